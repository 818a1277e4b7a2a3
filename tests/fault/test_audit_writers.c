/*
 * Four processes write 10,000 records each into one log: no break, nothing
 * lost, and no sync per record.
 */
#include "tests/unit/unit.h"

#include <sys/wait.h>

#include "tests/unit/audit_log.h"

#define WRITERS	4
#define EACH	10000

static int
write_all(int privfd, int who)
{
	struct audit *a;
	struct err e = { 0 };

	if (audit_open(privfd, PROJECT, &a, &e) == -1)
		return 1;
	for (int i = 0; i < EACH; i++) {
		cJSON *f = json_object();
		struct event ev = { .kind = "allow", .fields = f };
		struct clock now;

		json_add_int(f, "writer", who);
		json_add_int(f, "number", i);
		if (clock_now(&now, &e) == -1 ||
		    audit_append(a, &ev, &now, NULL, &e) == -1) {
			fprintf(stderr, "%s\n", e.text);
			return 1;
		}
		json_free(f);
	}
	audit_free(a);
	return 0;
}

/* Every writer's records are there, in its order. */
static int
count(void *arg, const cJSON *record, const char *line, size_t len)
{
	int64_t *next = arg, who = json_int(record, "writer", -1);

	(void)line;
	(void)len;
	if (who == -1)
		return 0;
	return json_int(record, "number", -1) == next[who]++ ? 0 : 1;
}

START_TEST(four_writers_one_chain)
{
	int64_t next[WRITERS] = { 0 };
	pid_t pids[WRITERS];
	struct verify_report r;
	struct testlog t;

	testlog_new(&t);
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		ck_assert_int_ne(pids[i], -1);
		if (pids[i] == 0)
			_exit(write_all(t.fd, i));
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	testlog_verify(&t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK && r.n_findings == 0,
	    "exit %d, %s", (int)r.exit, verify_kind_name(r.findings[0].kind));
	ck_assert_uint_eq(r.records, WRITERS * EACH + 1);
	ck_assert_uint_gt(r.signatures, WRITERS * EACH);
	testlog_verify_fast(&t, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_lt(r.signatures, 10);
	ck_assert_int_eq(audit_walk(t.fd, count, next, NULL), 0);
	for (int i = 0; i < WRITERS; i++)
		ck_assert_int_eq(next[i], EACH);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("fault/audit/writers",
	tcase_add_test(tc, four_writers_one_chain);
)
