/*
 * A process that appends again keeps its files open: whatever others do to
 * the log meanwhile is seen before the next record.
 */
#include "tests/unit/unit.h"

#include <sys/file.h>
#include <sys/wait.h>

#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"

static void
must_allow(struct testlog *t, struct audit *a)
{
	struct audit *own = t->a;
	struct err e = { 0 };

	t->a = a;
	if (testlog_allow(t, "ls", &e) == -1)
		testlog_fail("allow", &e);
	t->a = own;
}

static void
whole(struct testlog *t, uint64_t records)
{
	struct verify_report r;

	testlog_verify(t, true, &r);
	ck_assert_int_eq((int)r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.records, records);
}

static void
refused(struct testlog *t, const char *why)
{
	struct err e = { 0 };

	ck_assert_int_eq(testlog_allow(t, "ls", &e), -1);
	ck_assert_msg(strstr(e.text, why) != NULL, "%s", e.text);
}

START_TEST(two_that_take_turns)
{
	struct testlog t;
	struct audit *other;
	struct err e = { 0 };

	testlog_new(&t);
	ck_assert_int_eq(audit_open(t.fd, PROJECT, &other, &e), 0);
	audit_rotate_at(other, 40000);
	audit_rotate_at(t.a, 40000);
	for (int i = 0; i < 100; i++) {
		must_allow(&t, t.a);
		must_allow(&t, t.a);
		must_allow(&t, other);
	}
	whole(&t, 301);
	audit_free(other);
	testlog_end(&t);
}
END_TEST

struct heard {
	uint64_t	next;	/* number expected */
	bool		gap;
};

static int
hear(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct heard *h = arg;

	(void)line;
	(void)len;
	h->gap |= strtoull(json_str(record, "seq"), NULL, 10) != h->next++;
	return 0;
}

/* Who follows hears every record once, whatever file it went to. */
START_TEST(followed_while_files_change)
{
	struct testlog t;
	struct heard h = { .next = 0 };
	struct err e = { 0 };
	uint64_t at = 0;
	char torn[] = "{\"v\":1,\"seq";

	testlog_new(&t);
	audit_rotate_at(t.a, 20000);
	for (int i = 0; i < 300; i++) {
		must_allow(&t, t.a);
		if (i % 7 != 0)
			continue;
		/* Half a line is no line yet. */
		if (i == 147) {
			int fd = openat(t.fd, LOG, O_WRONLY | O_APPEND |
			    O_CLOEXEC);

			ck_assert_int_eq(write(fd, torn, sizeof torn - 1),
			    (ssize_t)sizeof torn - 1);
			close(fd);
		}
		ck_assert_int_eq(audit_walk_on(t.fd, &at, hear, &h, &e), 0);
		ck_assert(!h.gap);
		ck_assert_uint_eq(h.next, t.seq + 1);
	}
	testlog_end(&t);
}
END_TEST

/* What a child inherits locks nobody out: it opens its own. */
START_TEST(a_child_of_a_process_with_a_log)
{
	struct testlog t;
	int status = 1;
	pid_t pid;

	testlog_new(&t);
	must_allow(&t, t.a);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	for (int i = 0; i < 300; i++)
		must_allow(&t, t.a);
	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	whole(&t, 602);
	testlog_end(&t);
}
END_TEST

/* A copy under the name: the name counts, not what was open. */
START_TEST(a_file_that_was_exchanged)
{
	static const char *const names[] = { "log.key", LOG, "audit.head" };
	struct testlog t;
	char *text;
	size_t len;

	testlog_new(&t);
	testlog_fill(&t, 10);
	text = testlog_read(&t, names[_i], &len);
	ck_assert_int_eq(renameat(t.fd, names[_i], t.fd, "moved"), 0);
	testlog_write(&t, names[_i], text, len);
	free(text);
	must_allow(&t, t.a);
	whole(&t, 11);
	testlog_end(&t);
}
END_TEST

START_TEST(a_log_that_was_cut_or_closed)
{
	static const unsigned char zero[256];
	struct testlog t;
	char *text;
	size_t len;

	testlog_new(&t);
	testlog_fill(&t, 10);
	text = testlog_read(&t, LOG, &len);
	testlog_write(&t, LOG, text, (size_t)((char *)memrchr(text, '\n',
	    len - 1) + 1 - text));
	refused(&t, "does not end as pinned");
	testlog_write(&t, LOG, text, len);
	free(text);
	must_allow(&t, t.a);
	/* Another process found a sync to fail. */
	testlog_write(&t, "log.key", zero, sizeof zero);
	refused(&t, "closed until an approver");
	testlog_end(&t);
}
END_TEST

/* After an error nothing is kept, least of all the numbers of what was open. */
START_TEST(an_error_in_between)
{
	static char big[200001];
	struct testlog t;
	struct err e = { 0 };
	int fds[8];

	testlog_new(&t);
	must_allow(&t, t.a);
	memset(big, 'y', sizeof big - 1);
	ck_assert_int_eq(testlog_allow(&t, big, &e), -1);
	for (int i = 0; i < 8; i++)
		fds[i] = openat(t.fd, ".", O_RDONLY | O_CLOEXEC);
	must_allow(&t, t.a);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(close(fds[i]), 0);
	whole(&t, 3);
	testlog_end(&t);
}
END_TEST

START_TEST(patience_ends)
{
	struct testlog t;
	int64_t start;
	int fd;

	testlog_new(&t);
	must_allow(&t, t.a);
	fd = openat(t.fd, "log.key", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_SH), 0);
	audit_patience(t.a, 60);
	start = clock_boot_ms();
	refused(&t, "another process holds");
	ck_assert_int_ge(clock_boot_ms() - start, 60);
	close(fd);
	must_allow(&t, t.a);
	whole(&t, 3);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit, again",
	tcase_add_test(tc, two_that_take_turns);
	tcase_add_test(tc, followed_while_files_change);
	tcase_add_test(tc, a_child_of_a_process_with_a_log);
	tcase_add_loop_test(tc, a_file_that_was_exchanged, 0, 3);
	tcase_add_test(tc, a_log_that_was_cut_or_closed);
	tcase_add_test(tc, an_error_in_between);
	tcase_add_test(tc, patience_ends);
)
