/*
 * What cannot be read is never said to be whole: errors of the disk at every
 * read, a folder that is gone, more wrong than there is room to tell.
 */
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"

/* Ours come before the libraries': they count, and fail when told to. */
static atomic_int reads, fail_read_at;
static bool fail_start;

ssize_t
pread(int fd, void *buf, size_t n, off_t at)
{
	if (atomic_fetch_add(&reads, 1) + 1 >= fail_read_at &&
	    fail_read_at > 0) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, n, at);
}

int
sodium_init(void)
{
	int (*real)(void) = NULL;

	*(void **)&real = dlsym(RTLD_NEXT, "sodium_init");
	return fail_start ? -1 : real();
}

static int
verify(struct testlog *t, bool full, struct verify_report *ret, struct err *e)
{
	const struct verify_options o = { .project = PROJECT, .full = full,
		.genesis = t->genesis, .approvers = &t->ring,
		.believed = &t->ring };

	return audit_verify(t->fd, &o, ret, e);
}

/* From the k-th read on the disk fails, for every k: never "ok". */
static void
each_read(struct testlog *t, bool full, enum verify_exit whole)
{
	struct verify_report r;
	struct err e = { 0 };
	int k = 0, failed = 0;

	do {
		reads = 0;
		fail_read_at = ++k;
		if (verify(t, full, &r, &e) == -1) {
			ck_assert_uint_gt(strlen(e.text), 0);
			failed++;
		} else if (reads >= k) {
			ck_assert_msg(r.exit != VERIFY_EXIT_OK,
			    "read %d of %d", k, reads);
		}
	} while (reads >= k);
	fail_read_at = 0;
	ck_assert_int_gt(k, 4);
	ck_assert_int_gt(failed, 1);
	ck_assert_int_eq(verify(t, full, &r, &e), 0);
	ck_assert_int_eq((int)r.exit, (int)whole);
}

START_TEST(a_disk_that_fails_at_any_read)
{
	struct testlog t;
	struct err e = { 0 };

	testlog_new(&t);
	testlog_fill(&t, 40);
	each_read(&t, false, VERIFY_EXIT_OK);
	each_read(&t, true, VERIFY_EXIT_OK);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, &e), 0);
	testlog_fill(&t, 60);
	each_read(&t, false, VERIFY_EXIT_OK);
	testlog_end(&t);
}
END_TEST

/* Lines that must be looked at one by one, and a second reading of all. */
START_TEST(a_disk_that_fails_while_it_is_classified)
{
	struct testlog t;
	char *log;
	size_t len;

	testlog_new(&t);
	testlog_fill(&t, 40);
	log = testlog_read(&t, LOG, &len);
	memcpy(strstr(strchr(log, '\n') + 1, "\"pid\":"), "\"pit\":", 6);
	testlog_write(&t, LOG, log, len);
	free(log);
	each_read(&t, false, VERIFY_EXIT_TAMPERED);
	testlog_end(&t);
}
END_TEST

/* A checkpoint of more than the log's own say: read again from there. */
START_TEST(a_disk_that_fails_behind_a_checkpoint_that_is_gone)
{
	struct testlog t;
	struct err e = { 0 };
	char *log, *line;
	size_t len;

	testlog_new(&t);
	testlog_fill(&t, 40);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, &e), 0);
	log = testlog_read(&t, LOG, &len);
	line = strstr(log, "\"kind\":\"checkpoint\"");
	ck_assert_ptr_nonnull(line);
	while (line[-1] != '\n')
		line--;
	testlog_write(&t, LOG, log, (size_t)(line - log));
	free(log);
	each_read(&t, false, VERIFY_EXIT_TAMPERED);
	testlog_end(&t);
}
END_TEST

START_TEST(a_library_that_does_not_start)
{
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };

	testlog_new(&t);
	fail_start = true;
	ck_assert_int_eq(verify(&t, false, &r, &e), -1);
	fail_start = false;
	ck_assert_int_eq(verify(&t, false, &r, &e), 0);
	testlog_end(&t);
}
END_TEST

START_TEST(a_folder_that_is_gone)
{
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };

	testlog_new(&t);
	testlog_fill(&t, 5);
	ck_assert_int_eq(renameat(t.fd, "audit", t.fd, "elsewhere"), 0);
	ck_assert(verify(&t, false, &r, &e) == -1 ||
	    r.exit == VERIFY_EXIT_TRUNCATED);
	ck_assert_int_eq(renameat(t.fd, "elsewhere", t.fd, "audit"), 0);
	testlog_end(&t);
}
END_TEST

/* A checkpoint file that others may write, that is a link, that says "x". */
START_TEST(a_checkpoint_that_is_none)
{
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };

	testlog_new(&t);
	testlog_fill(&t, 5);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, &e), 0);
	if (_i == 0) {
		ck_assert_int_eq(fchmodat(t.fd, "audit/checkpoint", 0666, 0),
		    0);
	} else if (_i == 1) {
		ck_assert_int_eq(renameat(t.fd, "audit/checkpoint", t.fd,
		    "audit/other"), 0);
		ck_assert_int_eq(symlinkat("other", t.fd, "audit/checkpoint"),
		    0);
	} else {
		testlog_write(&t, "audit/checkpoint", "x\n", 2);
	}
	ck_assert_int_eq(verify(&t, false, &r, &e), 0);
	ck_assert_int_eq((int)r.exit, VERIFY_EXIT_TAMPERED);
	ck_assert_str_eq(r.findings[r.n_findings - 1].file,
	    "checkpoint");
	testlog_end(&t);
}
END_TEST

/* A crash, and what an approver vouched for: read once, not all over again. */
START_TEST(what_needs_no_second_look)
{
	static const unsigned char zero[256];
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };
	int fd;

	testlog_new(&t);
	testlog_fill(&t, 20);
	fd = openat(t.fd, LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "{\"v\":1,", 7), 7);
	close(fd);
	ck_assert_int_eq(verify(&t, false, &r, &e), 0);
	ck_assert_int_eq((int)r.exit, VERIFY_EXIT_TORN);
	ck_assert_int_eq((int)r.findings[0].kind, VERIFY_TORN);
	testlog_fill(&t, 22);
	testlog_write(&t, "log.key", zero, sizeof zero);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e), 0);
	ck_assert_int_eq(verify(&t, false, &r, &e), 0);
	ck_assert_int_eq((int)r.exit, VERIFY_EXIT_KEY);
	ck_assert_int_eq((int)r.findings[r.n_findings - 1].kind,
	    VERIFY_RESUMED);
	testlog_end(&t);
}
END_TEST

/* Two hundred edits and a damaged checkpoint: 64 are told, the rest counted. */
START_TEST(more_than_there_is_room_for)
{
	struct testlog t;
	struct verify_report r;
	struct err e = { 0 };
	char *log, *p;
	size_t len;
	int edits = 0;

	testlog_new(&t);
	testlog_fill(&t, 300);
	log = testlog_read(&t, LOG, &len);
	for (p = strchr(log, '\n'); p != NULL && p[1] != '\0' && edits < 200;
	    p = strchr(p + 1, '\n'), edits++)
		memcpy(strstr(p, "\"pid\":"), "\"pit\":", 6);
	testlog_write(&t, LOG, log, len);
	free(log);
	testlog_write(&t, "audit/checkpoint", "x\n", 2);
	ck_assert_int_eq(verify(&t, false, &r, &e), 0);
	ck_assert_int_eq((int)r.exit, VERIFY_EXIT_TAMPERED);
	ck_assert_uint_eq(r.n_findings, VERIFY_FINDINGS);
	ck_assert_uint_ge(r.more, 1);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/verify, failing",
	tcase_add_test(tc, a_disk_that_fails_at_any_read);
	tcase_add_test(tc, a_disk_that_fails_while_it_is_classified);
	tcase_add_test(tc, a_disk_that_fails_behind_a_checkpoint_that_is_gone);
	tcase_add_test(tc, a_library_that_does_not_start);
	tcase_add_test(tc, a_folder_that_is_gone);
	tcase_add_loop_test(tc, a_checkpoint_that_is_none, 0, 3);
	tcase_add_test(tc, what_needs_no_second_look);
	tcase_add_test(tc, more_than_there_is_room_for);
)
