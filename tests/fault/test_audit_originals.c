/*
 * Keeping, restoring and letting go, killed before every one of their system
 * calls, and with every call that can fill a disk failing in turn: nothing
 * that was there is lost, nothing reads as tampered with, and doing it again
 * finishes it.
 */
#include "tests/unit/unit.h"

#include "audit/originals/undo.h"
#include "tests/fault/crash.h"
#include "tests/unit/originals_bed.h"

static struct bed b;

static void
setup(void)
{
	/* Syncs are not what is tested, and on a disk take most of the time. */
	if (access("/dev/shm", W_OK) == 0)
		testlog_base = "/dev/shm";
	bed_new(&b);
}

static void
teardown(void)
{
	bed_end(&b);
}

/* Every list there is: now and then, so that it takes no hours. */
static void
intact(long k)
{
	struct bed_found f;

	if (k > 20 && k % 25 != 0)
		return;
	f = bed_verify(&b);

	ck_assert_msg(f.missing == 0 && f.edited == 0, "call %ld: %zu missing,"
	    " %zu edited", k, f.missing, f.edited);
}

/* --- keeping ------------------------------------------------------------- */

static char text[20000];

static int
keep_f(void *arg)
{
	char hex[DIGEST_HEX + 1];

	(void)arg;
	return bed_keep(&b, "f", false, hex, NULL) == 0 ? 0 : 1;
}

/* New content each time, so that every call is made each time. */
static void
next_version(long k)
{
	for (size_t i = 0; i < sizeof text - 1; i++)
		text[i] = (char)('a' + (i * i + (size_t)k) % 26);
	bed_text(&b, "f", text);
}

START_TEST(keeping_killed_at_every_call)
{
	bool more = true;
	long k;

	ck_assert_int_eq(mkdirat(b.log.fd, "x", 0700), 0);
	for (k = 0; more; k++) {
		next_version(k);
		more = crash_at(k, keep_f, NULL);
		intact(k);
		ck_assert(bed_is(&b, "f", text));
		ck_assert_int_eq(keep_f(NULL), 0);
	}
	ck_assert_int_gt(k, 30);
}
END_TEST

static const long fills[] = { SYS_write, SYS_openat, SYS_mkdirat,
	SYS_renameat, SYS_renameat2, SYS_pwrite64, SYS_ftruncate };

START_TEST(keeping_on_a_full_disk_is_an_error)
{
	bool more = true;
	int status;

	for (long k = 0; more; k++) {
		next_version(k);
		more = fail_at(k, ENOSPC, fills, ARRAY_LEN(fills), keep_f, NULL,
		    &status);
		intact(k);
		/* Said, or a call one can do without: then it is kept. */
		ck_assert(WIFEXITED(status));
	}
	ck_assert_int_eq(keep_f(NULL), 0);
	intact(-1);
}
END_TEST

/* --- restoring ----------------------------------------------------------- */

static int
restore_all(void *arg)
{
	(void)arg;
	return bed_restore(&b, NULL) == 0 ? 0 : 1;
}

/* Files to change, to make, to delete; a link; a folder. */
static void
arrange(long k)
{
	char hex[DIGEST_HEX + 1], now[40];
	static const char *const names[] = { "a", "gone", "made", "link", "d" };
	struct err e;

	snprintf(now, sizeof now, "agent %ld", k);
	snprintf(b.session, sizeof b.session, "s%ld", k);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (bed_keep(&b, names[i], true, hex, &e) == -1)
			testlog_fail("keep", &e);
	bed_text(&b, "a", now);
	bed_text(&b, "made", now);
	unlinkat(b.rootfd, "gone", 0);
	unlinkat(b.rootfd, "link", 0);
	bed_text(&b, "link", now);
	unlinkat(b.rootfd, "d/x", 0);
	unlinkat(b.rootfd, "d", AT_REMOVEDIR);
}

/* Is each as it was, or as the agent left it, whole? */
static void
one_or_the_other(long k)
{
	char now[40];

	snprintf(now, sizeof now, "agent %ld", k);
	ck_assert_msg(bed_is(&b, "a", "human") || bed_is(&b, "a", now),
	    "a at %ld", k);
	ck_assert_msg(bed_is(&b, "gone", "human") || bed_is(&b, "gone", NULL),
	    "gone at %ld", k);
	ck_assert_msg(bed_is(&b, "made", now) || bed_is(&b, "made", NULL),
	    "made at %ld", k);
}

static void
all_back(long k)
{
	char to[16] = "";
	struct fs_names l;

	ck_assert_msg(bed_is(&b, "a", "human"), "a at %ld", k);
	ck_assert_msg(bed_is(&b, "gone", "human"), "gone at %ld", k);
	ck_assert_msg(bed_is(&b, "made", NULL), "made at %ld", k);
	ck_assert_msg(bed_is(&b, "d/x", "deep"), "d/x at %ld", k);
	ck_assert_msg(readlinkat(b.rootfd, "link", to, sizeof to - 1) == 1 &&
	    to[0] == 'a', "link at %ld", k);
	ck_assert_int_eq(fs_list(b.rootfd, NULL, 100, &l, NULL, NULL), 0);
	ck_assert_msg(l.n == 4, "%zu names at %ld", l.n, k);
	fs_names_clear(&l);
}

static void
begin(void)
{
	bed_text(&b, "a", "human");
	bed_text(&b, "gone", "human");
	ck_assert_int_eq(symlinkat("a", b.rootfd, "link"), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0755), 0);
	bed_text(&b, "d/x", "deep");
}

START_TEST(restoring_killed_at_every_call)
{
	bool more = true;
	long k;

	begin();
	for (k = 0; more; k++) {
		arrange(k);
		more = crash_at(k, restore_all, NULL);
		one_or_the_other(k);
		ck_assert_msg(restore_all(NULL) == 0, "again at %ld", k);
		all_back(k);
		intact(k);
	}
	ck_assert_int_gt(k, 100);
	intact(0);
}
END_TEST

START_TEST(restoring_on_a_full_disk_loses_nothing)
{
	bool more = true;
	int status;

	begin();
	for (long k = 0; more; k++) {
		arrange(k);
		more = fail_at(k, ENOSPC, fills, ARRAY_LEN(fills), restore_all,
		    NULL, &status);
		ck_assert(WIFEXITED(status));
		one_or_the_other(k);
		ck_assert_msg(restore_all(NULL) == 0, "again at %ld", k);
		all_back(k);
		intact(k);
	}
}
END_TEST

/* --- restoring a file, by the log -------------------------------------- */

static size_t steps;		/* of the last one that was not killed */

/* `restore f`, as the command does it. */
static int
undo_f(void *arg)
{
	static char f[] = "f";
	char *const only[] = { f };
	struct restore_ask ask = { .only = only, .n_only = 1 };
	const struct deed *last;
	struct undo u;
	uint64_t seq;
	bool good;

	(void)arg;
	good = undo_open(&u, b.log.fd, b.rootfd, PROJECT, NULL) == 0;
	ask.store = u.store;
	ask.time = &u.time;
	good = good && restore_want_last(&ask, b.rootfd, &u.want, &last,
	    NULL) != -1 && undo_plan(&u, NULL) == 0 &&
	    (u.plan.steps == 0 || undo_run(&u, &seq, NULL) == 0) &&
	    u.plan.refused == 0;
	steps = u.plan.steps;
	undo_close(&u);
	return good ? 0 : 1;
}

/* The agent's version, and what is to come back. */
static void
edit_f(long k)
{
	char hex[DIGEST_HEX + 1], now[40];
	struct err e;

	snprintf(now, sizeof now, "agent %ld", k);
	bed_text(&b, "f", "human");
	if (bed_keep(&b, "f", false, hex, &e) == -1)
		testlog_fail("keep", &e);
	bed_text(&b, "f", now);
	ck_assert_int_eq(bed_note(&b, hex), 0);
}

/* Did it let go of its list, so that the next one takes it back? */
static bool
has_ended(void)
{
	int dir = openat(b.log.fd, "originals/pending", O_RDONLY |
	    O_DIRECTORY | O_CLOEXEC);
	struct fs_names l = { 0 };
	bool none;

	if (dir == -1 || !bed_is(&b, "f", "human"))
		return false;
	ck_assert_int_eq(fs_list(dir, NULL, 100, &l, NULL, NULL), 0);
	none = l.n == 0;
	fs_names_clear(&l);
	close(dir);
	return none;
}

static void
f_is_back(long k)
{
	struct fs_names l;

	ck_assert_msg(bed_is(&b, "f", "human"), "f at %ld", k);
	ck_assert_int_eq(fs_list(b.rootfd, NULL, 100, &l, NULL, NULL), 0);
	ck_assert_msg(l.n == 1, "%zu names at %ld", l.n, k);
	fs_names_clear(&l);
}

START_TEST(a_killed_restore_is_gone_on_with)
{
	bool more = true;
	long k;

	for (k = 0; more; k++) {
		edit_f(k);
		steps = 1;
		more = crash_at(k, undo_f, NULL);
		ck_assert_msg(has_ended() || undo_f(NULL) == 0,
		    "again at %ld", k);
		f_is_back(k);
		/* As often as it finds nothing to do. */
		if (steps == 0) {
			ck_assert_int_eq(undo_f(NULL), 0);
			f_is_back(k);
		}
	}
	ck_assert_int_gt(k, 100);
}
END_TEST

START_TEST(a_restore_that_failed_is_gone_on_with)
{
	bool more = true;
	int status;

	for (long k = 0; more; k++) {
		edit_f(k);
		more = fail_at(k, ENOSPC, fills, ARRAY_LEN(fills), undo_f, NULL,
		    &status);
		ck_assert(WIFEXITED(status));
		if (WEXITSTATUS(status) != 0)
			ck_assert_msg(undo_f(NULL) == 0, "again at %ld", k);
		f_is_back(k);
	}
}
END_TEST

/* --- letting go ---------------------------------------------------------- */

static int
collect_some(void *arg)
{
	const struct originals_keep keep = { 6 * 4096, INT64_MAX };
	struct originals_gone gone;

	(void)arg;
	return originals_collect(b.log.fd, b.log.a, &b.log.clock, &keep, &gone,
	    NULL) == 0 ? 0 : 1;
}

START_TEST(letting_go_killed_at_every_call)
{
	char hex[DIGEST_HEX + 1];
	struct err e = { 0 };
	bool more = true;
	long k;

	for (k = 0; more; k++) {
		for (int i = 0; i < 3; i++) {
			next_version(k * 3 + i);
			ck_assert_int_eq(bed_keep(&b, "f", false, hex, &e), 0);
		}
		more = crash_at(k, collect_some, NULL);
		intact(k);
	}
	ck_assert_int_gt(k, 30);
	ck_assert_int_eq(collect_some(NULL), 0);
	intact(0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("fault/originals");
	TCase *tc = tcase_create("fault/originals");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 240);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, keeping_killed_at_every_call);
	tcase_add_test(tc, keeping_on_a_full_disk_is_an_error);
	tcase_add_test(tc, restoring_killed_at_every_call);
	tcase_add_test(tc, restoring_on_a_full_disk_loses_nothing);
	tcase_add_test(tc, a_killed_restore_is_gone_on_with);
	tcase_add_test(tc, a_restore_that_failed_is_gone_on_with);
	tcase_add_test(tc, letting_go_killed_at_every_call);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
