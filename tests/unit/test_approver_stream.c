/*
 * What a command says: kept apart, in order, capped; and everything it started
 * ends with it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approver/executor/executor.h"
#include "approver/reap.h"
#include "approver/stream.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

static char top[] = "/tmp/sandbox-run.XXXXXX";
static char path[] = "PATH=/usr/bin:/bin";
static char *env[] = { path, NULL };

static int
fresh(void)
{
	memcpy(top, "/tmp/sandbox-run.XXXXXX", sizeof top);
	ck_assert_ptr_nonnull(mkdtemp(top));
	return open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
gone(int dir)
{
	unlinkat(dir, SPOOL_NAME, 0);
	close(dir);
	ck_assert_int_eq(rmdir(top), 0);
}

static pid_t
start(struct stream *s, const char *command)
{
	cJSON *input = json_object();
	struct work w = { .input = input, .target = "", .envp = env,
	    .cwd_fd = open("/", O_RDONLY | O_CLOEXEC) };
	struct err e = { 0 };
	int ends[2];
	pid_t pid;

	json_add_str(input, "command", command);
	ck_assert_int_eq(stream_open(s->spool, s, ends, &e), 0);
	ck_assert_msg(execute_shell(&w, ends[0], ends[1], &pid, &e) == 0,
	    "%s", e.text);
	close(ends[0]);
	close(ends[1]);
	close(w.cwd_fd);
	json_free(input);
	return pid;
}

/* The frames as "o:text|e:text|", neighbours of one stream joined. */
static void
frames(int dir, struct str *ret)
{
	auto_close int fd = fs_open_own(dir, SPOOL_NAME, NULL, NULL);
	struct str one;
	char stream, last = 0;
	off_t at = 0;
	struct err e;

	str_init(ret, 64 * 1024 * 1024);
	str_init(&one, 70000);
	while (spool_next(fd, &at, &stream, &one, &e) == 1) {
		if (stream != last)
			str_addf(ret, "|%c:", stream);
		str_addn(ret, one.s, one.len);
		str_reset(&one);
		last = stream;
	}
	str_clear(&one);
}

static int
run(const char *command, int dir)
{
	struct spool spool;
	struct stream s = { .spool = &spool };
	struct err e;
	int status = -1;
	pid_t pid;

	ck_assert_int_eq(reap_setup(&e), 0);
	ck_assert_int_eq(spool_create(dir, &spool, &e), 0);
	pid = start(&s, command);
	while ((stream_wait(&s, -1) & STREAM_CHILD) == 0 ||
	    !reap_ended(pid, &status))
		continue;
	ck_assert_uint_eq(reap_all(pid, 0, &status), 0);
	stream_drain(&s);
	ck_assert_int_eq(spool_finish(&spool, &e), 0);
	stream_close(&s);
	spool_clear(&spool);
	return status;
}

START_TEST(order_of_writes_is_kept)
{
	int dir = fresh();
	struct str out, want;

	run("for i in {1..200}; do echo a$i; echo b$i >&2; done", dir);
	frames(dir, &out);
	str_init(&want, 1024 * 1024);
	for (int i = 1; i <= 200; i++)
		str_addf(&want, "|o:a%d\n|e:b%d\n", i, i);
	for (size_t i = 0; i < want.len; i++)
		ck_assert_msg(out.s[i] == want.s[i], "at %zu: %.60s", i,
		    out.s + (i < 20 ? 0 : i - 20));
	ck_assert_uint_eq(out.len, want.len);
	str_clear(&out);
	str_clear(&want);
	gone(dir);
}
END_TEST

/* Of writes of many pages nothing is lost; each stream keeps its own order. */
START_TEST(large_writes_arrive_whole)
{
	int dir = fresh();
	struct str out;
	size_t n[128] = { 0 };

	run("head -c 300000 /dev/zero | tr '\\0' x; echo end >&2; "
	    "head -c 8192 /dev/zero | tr '\\0' y", dir);
	frames(dir, &out);
	for (size_t i = 0; i < out.len; i++)
		n[out.s[i] & 127]++;
	ck_assert_uint_eq(n['x'], 300000);
	ck_assert_uint_eq(n['y'], 8192);
	ck_assert_ptr_nonnull(strstr(out.s, "|e:end\n"));
	ck_assert_ptr_null(strstr(strchr(out.s, 'y'), "x"));
	str_clear(&out);
	gone(dir);
}
END_TEST

/* 100 MB out, at most head and tail kept, and the end is the end. */
START_TEST(output_without_end_is_capped)
{
	int dir = fresh();
	struct str text, frm;
	uint64_t gap = 0;
	struct stat st;
	struct err e;

	run("head -c 100000000 /dev/zero | tr '\\0' x; echo THE END", dir);
	ck_assert_int_eq(fstatat(dir, SPOOL_NAME, &st, 0), 0);
	ck_assert_int_lt(st.st_size, SPOOL_HEAD + SPOOL_TAIL + 1024 * 1024);

	auto_close int fd = fs_open_own(dir, SPOOL_NAME, NULL, &e);

	str_init(&text, 64 * 1024 * 1024);
	str_init(&frm, 64 * 1024 * 1024);
	ck_assert_int_eq(spool_text(fd, &text, &frm, &gap, &e), 0);
	ck_assert_uint_gt(gap, 90000000);
	ck_assert(str_ends(text.s, "xTHE END\n"));
	ck_assert_ptr_nonnull(strstr(text.s, "bytes left out ...]\n"));
	str_clear(&text);
	str_clear(&frm);
	gone(dir);
}
END_TEST

/* The disk is full behind the head, and 100 bytes. */
START_TEST(a_tail_without_room_is_counted)
{
	static char piece[65536];
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit full = all;
	int dir = fresh();
	struct spool spool;
	struct str text, frm;
	uint64_t gap = 0;
	struct err e;

	memset(piece, 'x', sizeof piece);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(spool_create(dir, &spool, &e), 0);
	for (int i = 0; i < 80; i++)
		spool_put(&spool, 'o', piece, sizeof piece);
	full.rlim_cur = (rlim_t)lseek(spool.fd, 0, SEEK_CUR) + 100;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	ck_assert_int_eq(spool_finish(&spool, &e), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	spool_clear(&spool);

	auto_close int fd = fs_open_own(dir, SPOOL_NAME, NULL, &e);

	str_init(&text, 2 * SPOOL_HEAD);
	str_init(&frm, 2 * SPOOL_HEAD);
	ck_assert_int_eq(spool_text(fd, &text, &frm, &gap, &e), 0);
	ck_assert_uint_eq(gap, 80 * sizeof piece - SPOOL_HEAD);
	ck_assert_ptr_nonnull(strstr(text.s, "bytes left out ...]\n"));
	str_clear(&text);
	str_clear(&frm);
	gone(dir);
}
END_TEST

START_TEST(exit_and_signal_are_told)
{
	int dir = fresh(), status;

	status = run("exit 7", dir);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	unlinkat(dir, SPOOL_NAME, 0);
	status = run("kill -9 $$", dir);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == 9);
	gone(dir);
}
END_TEST

static bool
anyone_named(const char *mark)
{
	char *cmd = xasprintf("pgrep -f '[s]leep %s' >/dev/null", mark);
	int rc = system(cmd);

	free(cmd);
	return WEXITSTATUS(rc) == 0;
}

/* New session, double fork, ignored SIGTERM: still ours to end. */
START_TEST(setsid_does_not_escape)
{
	int dir = fresh(), status = -1;
	struct spool spool;
	struct stream s = { .spool = &spool };
	char *command, *mark = xasprintf("4%d.25", (int)getpid());
	struct err e;
	pid_t pid;

	command = xasprintf("trap '' TERM; (setsid sh -c \"trap '' TERM; "
	    "sleep %s & sleep %s\" &) ; setsid nohup sleep %s >/dev/null "
	    "2>&1 & echo up; sleep %s", mark, mark, mark, mark);
	ck_assert_int_eq(reap_setup(&e), 0);
	ck_assert_int_eq(spool_create(dir, &spool, &e), 0);
	pid = start(&s, command);
	while (spool.written == 0)
		stream_wait(&s, 1000);
	for (int i = 0; i < 500 && !anyone_named(mark); i++)
		usleep(10000);
	ck_assert(anyone_named(mark));
	ck_assert_uint_eq(reap_all(pid, 50, &status), 0);
	ck_assert(!anyone_named(mark));
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == 9);
	stream_close(&s);
	spool_clear(&spool);
	free(command);
	free(mark);
	gone(dir);
}
END_TEST

START_TEST(secrets_do_not_reach_the_text)
{
	int dir = fresh();
	struct str text, frm;
	uint64_t gap;
	struct err e;

	run("echo 'DB_PASSWORD=hunter2hunter2'; printf '\\377\\n'", dir);

	auto_close int fd = fs_open_own(dir, SPOOL_NAME, NULL, &e);

	str_init(&text, 100000);
	str_init(&frm, 100000);
	ck_assert_int_eq(spool_text(fd, &text, &frm, &gap, &e), 0);
	ck_assert_ptr_null(strstr(text.s, "hunter2"));
	ck_assert(utf8_ok(text.s, text.len));
	str_clear(&text);
	str_clear(&frm);
	gone(dir);
}
END_TEST

UNIT_MAIN("approver/stream",
	tcase_add_test(tc, order_of_writes_is_kept);
	tcase_add_test(tc, large_writes_arrive_whole);
	tcase_add_test(tc, output_without_end_is_capped);
	tcase_add_test(tc, a_tail_without_room_is_counted);
	tcase_add_test(tc, exit_and_signal_are_told);
	tcase_add_test(tc, setsid_does_not_escape);
	tcase_add_test(tc, secrets_do_not_reach_the_text);)
