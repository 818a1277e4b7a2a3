/*
 * The append, genesis and resume, killed before every one of their system
 * calls, and with every write and sync failing in turn: the log always goes
 * on, and verify calls it torn at most.
 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "audit/key.h"
#include "audit/logfile.h"
#include "common/mem.h"
#include "tests/fault/crash.h"
#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"

static const long writes[] = { SYS_write, SYS_pwrite64 };
static const long syncs[] = { SYS_fdatasync, SYS_fsync };

static int
allow(void *arg)
{
	return testlog_allow(arg, "make", NULL) == 0 ? 0 : 1;
}

static int
end_session(void *arg)
{
	struct testlog *t = arg;
	struct event ev = { .kind = "session.end" };

	return audit_append(t->a, &ev, &t->clock, NULL, NULL) == 0 ? 0 : 1;
}

static int
sync_now(void *arg)
{
	struct testlog *t = arg;

	return audit_sync(t->a, NULL) == 0 ? 0 : 1;
}

static int
begin(void *arg)
{
	struct testlog *t = arg;
	struct digest d;

	const struct audit_birth b = { PROJECT, "/home/u/proj", t->seed,
	    &t->clock };

	return audit_genesis(t->fd, &b, &d, NULL) == 0 ? 0 : 1;
}

static int
resume(void *arg)
{
	struct testlog *t = arg;

	return audit_resume(t->fd, PROJECT, t->seed, &t->clock, NULL) == 0 ?
	    0 : 1;
}

static void
tear(struct testlog *t)
{
	int fd = openat(t->fd, LOG, O_WRONLY | O_APPEND | O_CLOEXEC);

	ck_assert_int_eq(write(fd, "{\"v\":1,\"seq\":", 13), 13);
	close(fd);
}

/* Nothing but what a crash can leave. */
static void
expect_torn_at_most(struct testlog *t, long k)
{
	struct verify_report r;

	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK || r.exit == VERIFY_EXIT_TORN,
	    "call %ld: exit %d, %s: %s", k, (int)r.exit,
	    verify_kind_name(r.findings[0].kind), r.findings[0].found);
	for (size_t i = 0; i < r.n_findings; i++)
		ck_assert_int_eq(r.findings[i].kind, VERIFY_TORN);
}

static void
expect_goes_on(struct testlog *t, long k)
{
	struct verify_report r;
	struct err e = { 0 };

	expect_torn_at_most(t, k);
	ck_assert_msg(testlog_allow(t, "next", &e) == 0, "call %ld: %s", k,
	    e.text);
	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK, "call %ld: exit %d", k,
	    (int)r.exit);
}

/* Before which state does each step run?  It is made anew for every call. */
struct step {
	const char	*name;
	crash_fn	*fn;
	uint64_t	 records;	/* before it */
	bool		 torn;
};

static const struct step steps[] = {
	{ "append", allow, 5, false },
	{ "append and sync by number", allow, KEY_SYNC_EVERY, false },
	{ "append and sync by kind", end_session, 5, false },
	{ "append to a torn log", allow, 5, true },
	{ "append to a torn log and sync", end_session, 5, true },
	{ "sync", sync_now, 5, false },
};

static void
step_setup(const struct step *s, struct testlog *t)
{
	testlog_new(t);
	while (t->seq + 1 < s->records)
		ck_assert_int_eq(testlog_allow(t, "ls", NULL), 0);
	if (s->torn)
		tear(t);
}

START_TEST(killed_at_every_call)
{
	const struct step *s = &steps[_i];
	struct testlog t;
	bool hit = true;
	long k;

	for (k = 0; hit; k++) {
		step_setup(s, &t);
		hit = crash_at(k, s->fn, &t);
		expect_goes_on(&t, k);
		testlog_end(&t);
	}
	ck_assert_msg(k > 8, "%s: only %ld calls", s->name, k);
}
END_TEST

/* With files to move about, and with an approver's note to keep. */
static int
rotate_now(void *arg)
{
	struct testlog *t = arg;

	audit_rotate_at(t->a, 100);
	return end_session(t);
}

static int
checkpoint(void *arg)
{
	return testlog_checkpoint(arg, NULL, NULL) == 0 ? 0 : 1;
}

static crash_fn *const bigger[] = { rotate_now, checkpoint };

START_TEST(killed_in_a_rotation_or_a_checkpoint)
{
	struct testlog t;
	bool hit = true;
	long k;

	for (k = 0; hit; k++) {
		step_setup(&steps[0], &t);
		ck_assert_int_eq(testlog_checkpoint(&t, NULL, NULL), 0);
		ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
		hit = crash_at(k, bigger[_i], &t);
		expect_goes_on(&t, k);
		/* And the next ones find nothing in their way. */
		ck_assert_int_eq(rotate_now(&t), 0);
		ck_assert_int_eq(checkpoint(&t), 0);
		expect_goes_on(&t, k);
		testlog_end(&t);
	}
	ck_assert_int_gt(k, 20);
}
END_TEST

/* A rotation that cannot be is none. */
START_TEST(no_space_for_a_new_file)
{
	struct testlog t;
	bool hit = true;
	int status;

	for (long k = 0; hit; k++) {
		step_setup(&steps[0], &t);
		hit = fail_at(k, ENOSPC, writes, 2, rotate_now, &t, &status);
		ck_assert(WIFEXITED(status));
		expect_goes_on(&t, k);
		testlog_end(&t);
	}
}
END_TEST

/* Two writers killed one after the other. */
START_TEST(killed_twice)
{
	struct testlog t;
	bool hit = true;

	for (long k = 0; hit; k++) {
		step_setup(&steps[2], &t);
		hit = crash_at(k, end_session, &t);
		for (long j = 0; crash_at(j, allow, &t); j++)
			expect_torn_at_most(&t, k);
		expect_goes_on(&t, k);
		testlog_end(&t);
	}
}
END_TEST

START_TEST(no_space_at_every_write)
{
	const struct step *s = &steps[_i];
	struct testlog t;
	bool hit = true;
	int status;

	for (long k = 0; hit; k++) {
		step_setup(s, &t);
		hit = fail_at(k, ENOSPC, writes, 2, s->fn, &t, &status);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), hit ? 1 : 0);
		expect_goes_on(&t, k);
		testlog_end(&t);
	}
}
END_TEST

START_TEST(a_failed_sync_is_not_tried_again)
{
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };
	int status;
	long k;

	for (k = 0; ; k++) {
		step_setup(&steps[2], &t);
		if (!fail_at(k, EIO, syncs, 2, end_session, &t, &status))
			break;
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		ck_assert_int_eq(testlog_allow(&t, "ls", &e), -1);
		ck_assert_ptr_nonnull(strstr(e.text, "closed"));
		ck_assert_int_eq(resume(&t), 0);
		ck_assert_int_eq(testlog_allow(&t, "ls", &e), 0);
		testlog_verify(&t, true, &r);
		ck_assert_int_eq(r.findings[0].kind, VERIFY_RESUMED);
		testlog_end(&t);
	}
	ck_assert_int_eq(k, 2);
	testlog_end(&t);
}
END_TEST

START_TEST(genesis_killed_at_every_call)
{
	struct testlog t;
	bool hit = true;
	struct err e = { 0 };
	long k;

	for (k = 0; hit; k++) {
		struct verify_options o = { .project = PROJECT };
		struct verify_report r;

		testlog_dir(&t);
		o.approvers = &t.ring;
		hit = crash_at(k, begin, &t);
		/* There is a log, or it can be begun. */
		if (faccessat(t.fd, LOG, F_OK, 0) == -1)
			ck_assert_int_eq(begin(&t), 0);
		ck_assert_int_eq(audit_open(t.fd, PROJECT, &t.a, &e), 0);
		ck_assert_int_eq(testlog_allow(&t, "ls", &e), 0);
		ck_assert_int_eq(audit_verify(t.fd, &o, &r, &e), 0);
		ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
		ck_assert_uint_eq(r.records, 2);
		testlog_end(&t);
	}
	ck_assert_int_gt(k, 20);
}
END_TEST

START_TEST(resume_killed_at_every_call)
{
	struct testlog t;
	bool hit = true;
	struct err e = { 0 };
	long k;

	for (k = 0; hit; k++) {
		struct verify_report r;

		step_setup(&steps[_i], &t);
		unlinkat(t.fd, "log.key", 0);
		unlinkat(t.fd, "audit.head", 0);
		hit = crash_at(k, resume, &t);
		if (testlog_allow(&t, "ls", &e) == -1) {
			ck_assert_msg(audit_resume(t.fd, PROJECT, t.seed,
			    &t.clock, &e) == 0, "call %ld: %s", k, e.text);
			ck_assert_msg(testlog_allow(&t, "ls", &e) == 0,
			    "call %ld: %s", k, e.text);
		}
		testlog_verify(&t, true, &r);
		ck_assert_int_eq(r.exit, VERIFY_EXIT_KEY);
		for (size_t i = 0; i < r.n_findings; i++)
			ck_assert(r.findings[i].kind == VERIFY_RESUMED ||
			    r.findings[i].kind == VERIFY_TORN);
		testlog_end(&t);
	}
	ck_assert_int_gt(k, 20);
}
END_TEST

UNIT_MAIN("fault/audit/crash",
	tcase_add_loop_test(tc, killed_at_every_call, 0, 6);
	tcase_add_loop_test(tc, killed_in_a_rotation_or_a_checkpoint, 0,
	    (int)ARRAY_LEN(bigger));
	tcase_add_test(tc, no_space_for_a_new_file);
	tcase_add_test(tc, killed_twice);
	tcase_add_loop_test(tc, no_space_at_every_write, 0, 6);
	tcase_add_test(tc, a_failed_sync_is_not_tried_again);
	tcase_add_test(tc, genesis_killed_at_every_call);
	tcase_add_loop_test(tc, resume_killed_at_every_call, 2, 4);
)
