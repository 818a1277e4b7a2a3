/*
 * Eight approvers, two thousand requests, one execution each.  The runner is
 * the real one; every command writes its own number once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approver/approve.h"
#include "approver/follow.h"
#include "approver/view.h"
#include "audit/verify.h"
#include "common/io.h"
#include "tests/unit/project.h"
#include "tests/unit/unit.h"

#define REQUESTS	2000
#define BATCH		200
#define APPROVERS	8

static char path_var[] = "PATH=/usr/bin:/bin";
static char *own_env[] = { path_var, NULL };

/* The fixture's approver is the key of this test's human. */
static void
put_key(const struct project *p)
{
	char hex[2 * SIGN_SEED + 1], pub[SIGN_PUB_HEX + 1], text[1024];
	struct err e;
	int dir, n;

	setenv("XDG_DATA_HOME", p->dir, 1);
	dir = key_dir_open(true, &e);
	ck_assert_int_ge(dir, 0);
	hex_put(p->seed, SIGN_SEED, hex);
	hex_put(p->pub, SIGN_PUB, pub);
	n = snprintf(text, sizeof text, "{\"v\":1,\"name\":\"tester\","
	    "\"pub\":\"%s\",\"kdf\":\"none\",\"ops\":0,\"mem\":0,"
	    "\"salt\":\"%032d\",\"nonce\":\"%048d\",\"box\":\"%s\"}", pub, 0,
	    0, hex);
	ck_assert_int_eq(fs_write_new(dir, KEY_FILE, text, (size_t)n, false,
	    &e), 0);
	close(dir);
}

static void
submit(struct desk *d, const struct project *p, int number)
{
	struct request req;
	struct ticket ticket;
	struct clock now;
	struct stat st;
	struct err e;
	char *command = xasprintf("frobnicate 2>/dev/null; echo %d >> "
	    "%s/ran", number, p->dir);

	request_init(&req);
	memcpy(req.project, p->home.project, sizeof req.project);
	ck_assert_int_eq(fstat(p->home.root, &st), 0);
	req.origin = xstrdup("hook");
	req.agent = xstrdup("claude");
	req.session = xasprintf("s%d", number);
	req.agent_id = xstrdup("");
	req.tool_use_id = xstrdup("t");
	req.tool = xstrdup("Bash");
	req.input = json_object();
	json_add_str(req.input, "command", command);
	req.cwd = xstrdup(p->home.root_path);
	req.cwd_dev = (uint64_t)st.st_dev;
	req.cwd_ino = (uint64_t)st.st_ino;
	req.lang = xstrdup("");
	req.lc = json_object();
	req.tz = xstrdup("");
	req.agent_says = xstrdup("");
	req.ttl_s = 3600;

	const struct call call = { .client = req.agent,
	    .session = req.session, .agent_id = req.agent_id,
	    .tool = req.tool, .input = req.input, .cwd = req.cwd };

	call_key(&call, &req.call_key);
	ck_assert_int_eq(clock_now(&now, &e), 0);
	ck_assert_msg(queue_submit(d->queue, &req, &now, &ticket, &e) == 0,
	    "%s", e.text);
	ticket_close(&ticket);
	request_clear(&req);
	free(command);
}

/* Look at it as show does, then approve it.  1: we won. */
static int
try_one(struct desk *d, struct signer *s, const char *id)
{
	struct request req;
	struct view view;
	struct decided done;
	enum entry_state state;
	bool waiter;
	struct err e = { 0 };
	int got;

	if (queue_read(d->queue, id, &req, &state, &waiter, &e) == -1)
		return 0;
	if (state != ENTRY_PENDING || view_make(d, &req, &view, &e) == -1) {
		request_clear(&req);
		return 0;
	}

	const struct deed deed = { .id = id, .shown = &view.digest,
	    .own_env = own_env };

	got = decide(d, s, &deed, &done, &e);
	view_clear(&view);
	request_clear(&req);
	if (got == -1 && e.code != ERR_LOST && e.code != ERR_NO_ID) {
		fprintf(stderr, "%s: %s\n", id, e.text);
		_exit(99);
	}
	return got == 0 ? 1 : 0;
}

static int __attribute__((noreturn))
approver(const struct project *p, const char *libexec, int out)
{
	struct desk d;
	struct signer s;
	struct entries list;
	struct clock now;
	struct err e;
	int won = 0;
	size_t waiting = 1;

	if (desk_open(&p->home, libexec, &d, &e) == -1 ||
	    signer_open(&d.approvers, -1, true, &s, &e) == -1)
		_exit(98);
	while (waiting > 0) {
		if (clock_now(&now, &e) == -1 ||
		    queue_list(d.queue, &now, false, &list, &e) == -1)
			_exit(97);
		waiting = 0;
		for (size_t i = 0; i < list.n; i++) {
			if (list.e[i].state != ENTRY_PENDING)
				continue;
			waiting++;
			won += try_one(&d, &s, list.e[i].req.id);
		}
		entries_clear(&list);
	}
	if (write(out, &won, sizeof won) != (ssize_t)sizeof won)
		_exit(96);
	_exit(0);
}

/* How often each number was written; -1 while some are missing. */
static int
count_runs(const struct project *p, int upto, int counts[static REQUESTS])
{
	char *path = xasprintf("%s/ran", p->dir);
	FILE *f = fopen(path, "r");
	int number, missing = 0;

	free(path);
	memset(counts, 0, REQUESTS * sizeof *counts);
	while (f != NULL && fscanf(f, "%d", &number) == 1)
		counts[number]++;
	if (f != NULL)
		fclose(f);
	for (int i = 0; i < upto; i++)
		missing += counts[i] == 0;
	return missing == 0 ? 0 : -1;
}

static int
race(const struct project *p, const char *libexec)
{
	int fds[2], won = 0, one, status;

	ck_assert_int_eq(pipe(fds), 0);
	for (int i = 0; i < APPROVERS; i++)
		if (fork() == 0)
			approver(p, libexec, fds[1]);
	close(fds[1]);
	while (read(fds[0], &one, sizeof one) == (ssize_t)sizeof one)
		won += one;
	close(fds[0]);
	for (int i = 0; i < APPROVERS; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	return won;
}

/* All results written: no runner is left that could still write. */
static bool
all_over(const struct project *p)
{
	struct fs_names l = { 0 };
	struct follow_end end;
	size_t over = 0;
	struct err e;

	ck_assert_int_eq(fs_list(p->home.run, id_ok, 2 * REQUESTS, &l, NULL,
	    &e), 0);
	for (size_t i = 0; i < l.n; i++)
		over += follow_look(&p->home, l.names[i], &end, &e) == 0 &&
		    end.state == FOLLOW_DONE;
	fs_names_clear(&l);
	return over == REQUESTS;
}

static void
check_log(const struct project *p)
{
	struct keyring ring;
	struct verify_report report;
	struct err e;

	ck_assert_int_eq(home_approvers(&p->home, &ring, &e), 0);

	const struct verify_options o = { .full = true,
	    .project = p->home.project, .genesis = p->home.genesis,
	    .approvers = &ring };

	ck_assert_int_eq(audit_verify(p->home.priv, &o, &report, &e), 0);
	ck_assert_int_eq(report.exit, VERIFY_EXIT_OK);
	/* genesis, and approval, started, result of each */
	ck_assert_uint_eq(report.records, 1 + 3 * REQUESTS);
	keyring_clear(&ring);
}

START_TEST(one_winner_and_one_run_each)
{
	static int counts[REQUESTS];
	const char *build = getenv("BUILD");
	struct project p;
	struct desk d;
	struct err e;
	int won = 0;

	ck_assert_ptr_nonnull(build);
	project_make(&p);
	project_policy(&p, "{\"version\":1,\"limits\":{\"pending_max\":100000,"
	    "\"new_per_minute\":1000000,\"pending_session_max\":100000,"
	    "\"queue_bytes\":1000000000}}");
	put_key(&p);
	ck_assert_msg(desk_open(&p.home, build, &d, &e) == 0, "%s", e.text);
	for (int n = 0; n < REQUESTS; n += BATCH) {
		for (int i = n; i < n + BATCH; i++)
			submit(&d, &p, i);
		won += race(&p, build);
		for (int i = 0; i < 1200 &&
		    count_runs(&p, n + BATCH, counts) == -1; i++)
			usleep(50000);
	}
	ck_assert_int_eq(won, REQUESTS);
	for (int i = 0; i < REQUESTS; i++)
		ck_assert_msg(counts[i] == 1, "%d ran %d times", i, counts[i]);
	for (int i = 0; i < 1200 && !all_over(&p); i++)
		usleep(50000);
	ck_assert(all_over(&p));
	check_log(&p);
	desk_close(&d);
	project_remove(&p);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("approver/race");
	TCase *tc = tcase_create("approver/race");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, one_winner_and_one_run_each);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
