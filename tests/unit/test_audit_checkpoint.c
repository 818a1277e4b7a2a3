/*
 * Checkpoints are made of what verifies, and cover it; rotation keeps one
 * chain across files.
 */
#include "tests/unit/unit.h"

#include <dirent.h>

#include "audit/checkpoint.h"
#include "audit/logset.h"
#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"

static void
expect_ok(struct testlog *t, uint64_t records, uint64_t covered)
{
	static const struct verify_options modes[] = {
		{ .fast = true }, { .full = false }, { .full = true } };

	for (size_t i = 0; i < 3; i++) {
		struct verify_report r;

		testlog_verify_as(t, &modes[i], &r);
		ck_assert_msg(r.exit == VERIFY_EXIT_OK && r.n_findings == 0,
		    "mode %zu: exit %d, %s in %s:%d, %s", i, (int)r.exit,
		    verify_kind_name(r.findings[0].kind), r.findings[0].file,
		    (int)r.findings[0].line, r.findings[0].found);
		ck_assert_uint_eq(r.records, records);
		ck_assert_uint_eq(r.covered, covered);
	}
}

/* Records under the last checkpoint cost the default mode no signature. */
START_TEST(a_checkpoint_covers_what_is_before_it)
{
	struct testlog t;
	struct verify_report r;

	testlog_new(&t);
	testlog_fill(&t, 300);
	expect_ok(&t, t.seq + 1, 0);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, NULL), 0);
	expect_ok(&t, t.seq + 2, t.seq + 1);
	testlog_verify(&t, false, &r);
	ck_assert_uint_lt(r.signatures, 10);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	testlog_verify(&t, false, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_ge(r.signatures, 20);
	ck_assert_uint_lt(r.signatures, 40);
	testlog_end(&t);
}
END_TEST

/* A result whose approval lies under a checkpoint is still held against it. */
START_TEST(an_approval_under_a_checkpoint_is_found)
{
	unsigned char run[SIGN_SEED] = { 9 };
	struct testlog t;
	struct verify_report r;
	struct str stmt;
	char sig[SIGN_SIG_HEX + 1], id[ID_MAX + 1];
	uint64_t at;

	testlog_new(&t);
	str_init(&stmt, 4096);
	id_make(1, 4711, id);
	testlog_approval(&t, DECISION_RUN, id, run, &stmt, sig);
	ck_assert_int_eq(testlog_signed(&t, "approval", id, stmt.s, sig, -1,
	    NULL), 0);
	at = t.seq;
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, NULL), 0);
	str_reset(&stmt);
	testlog_result(id, run, &stmt, sig);
	ck_assert_int_eq(testlog_signed(&t, "tool.result", id, stmt.s, sig,
	    (int64_t)at, NULL), 0);
	expect_ok(&t, 4, 2);
	/* Another one's key: found in every mode. */
	run[0] = 8;
	str_reset(&stmt);
	testlog_result(id, run, &stmt, sig);
	ck_assert_int_eq(testlog_signed(&t, "tool.result", id, stmt.s, sig,
	    (int64_t)at, NULL), 0);
	testlog_verify_fast(&t, &r);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_UNSIGNED_DECISION);
	ck_assert_uint_eq(r.findings[0].line, 5);
	str_clear(&stmt);
	testlog_end(&t);
}
END_TEST

START_TEST(nothing_new_is_no_new_checkpoint)
{
	struct testlog t;
	struct str first, second;

	testlog_new(&t);
	str_init(&first, NOTE_MAX);
	str_init(&second, NOTE_MAX);
	ck_assert_int_eq(testlog_checkpoint(&t, &first, NULL), 0);
	ck_assert_int_eq(testlog_checkpoint(&t, &second, NULL), 0);
	ck_assert_str_eq(first.s, second.s);
	expect_ok(&t, 2, 1);
	str_clear(&first);
	str_clear(&second);
	testlog_end(&t);
}
END_TEST

START_TEST(no_checkpoint_of_a_log_that_was_changed)
{
	struct testlog t;
	struct err e;
	size_t len;
	char *text;

	testlog_new(&t);
	testlog_fill(&t, 20);
	text = testlog_read(&t, LOG, &len);
	text[len - 200] ^= 1;
	testlog_write(&t, LOG, text, len);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	free(text);
	testlog_end(&t);
}
END_TEST

START_TEST(no_checkpoint_by_a_strangers_key)
{
	struct testlog t;
	struct err e;

	testlog_new(&t);
	t.seed[0]++;
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	expect_ok(&t, 1, 0);
	testlog_end(&t);
}
END_TEST

START_TEST(due_by_number_or_by_time)
{
	struct testlog t;

	testlog_new(&t);
	ck_assert(!audit_checkpoint_due(t.fd, &t.clock));
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	t.clock.wall_ms += 70000;
	ck_assert(audit_checkpoint_due(t.fd, &t.clock));
	t.clock.wall_ms -= 70000;
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, NULL), 0);
	ck_assert(!audit_checkpoint_due(t.fd, &t.clock));
	t.clock.wall_ms += 70000;
	ck_assert(!audit_checkpoint_due(t.fd, &t.clock));
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	ck_assert(audit_checkpoint_due(t.fd, &t.clock));
	t.clock.wall_ms -= 70000;
	for (int i = 0; i < CHECKPOINT_EVERY; i++)
		ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	ck_assert(audit_checkpoint_due(t.fd, &t.clock));
	testlog_end(&t);
}
END_TEST

/* --- rotation --- */

static size_t
archives(struct testlog *t)
{
	int fd = openat(t->fd, "audit", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fdopendir(fd);
	struct dirent *de;
	size_t n = 0;
	uint64_t seq;

	while ((de = readdir(d)) != NULL)
		n += logset_archive_seq(de->d_name, &seq);
	closedir(d);
	return n;
}

static int
count(void *arg, const cJSON *record, const char *line, size_t len)
{
	uint64_t *want = arg;

	(void)line;
	(void)len;
	ck_assert_uint_eq(strtoull(json_str(record, "seq"), NULL, 10),
	    (*want)++);
	return 0;
}

START_TEST(one_chain_in_many_files)
{
	struct testlog t;
	uint64_t n = 0;

	testlog_new(&t);
	audit_rotate_at(t.a, 20000);
	testlog_fill(&t, 150);
	ck_assert_int_eq(testlog_checkpoint(&t, NULL, NULL), 0);
	testlog_fill(&t, 300);
	ck_assert_uint_ge(archives(&t), 5);
	expect_ok(&t, t.seq + 1, 150);
	ck_assert_int_eq(audit_walk(t.fd, count, &n, NULL), 0);
	ck_assert_uint_eq(n, t.seq + 1);
	testlog_end(&t);
}
END_TEST

START_TEST(a_new_month_is_a_new_file)
{
	struct event ev = { .kind = "session.end" };
	struct testlog t;

	testlog_new(&t);
	t.clock.wall_ms += 32LL * 86400 * 1000;
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	ck_assert_uint_eq(archives(&t), 0);
	ck_assert_int_eq(audit_append(t.a, &ev, &t.clock, NULL, NULL), 0);
	ck_assert_uint_eq(archives(&t), 1);
	ck_assert_int_eq(audit_append(t.a, &ev, &t.clock, NULL, NULL), 0);
	ck_assert_uint_eq(archives(&t), 1);
	expect_ok(&t, 4, 0);
	testlog_end(&t);
}
END_TEST

/* What a crash left is closed where it lies. */
START_TEST(no_rotation_behind_a_torn_tail)
{
	struct testlog t;
	struct verify_report r;
	int fd;

	testlog_new(&t);
	testlog_fill(&t, 50);
	fd = openat(t.fd, LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "{\"v\":1", 6), 6);
	close(fd);
	audit_rotate_at(t.a, 1000);
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	ck_assert_uint_eq(archives(&t), 0);
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	ck_assert_uint_eq(archives(&t), 1);
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_TORN);
	ck_assert(r.findings[0].closed);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/checkpoint",
	tcase_add_test(tc, a_checkpoint_covers_what_is_before_it);
	tcase_add_test(tc, an_approval_under_a_checkpoint_is_found);
	tcase_add_test(tc, nothing_new_is_no_new_checkpoint);
	tcase_add_test(tc, no_checkpoint_of_a_log_that_was_changed);
	tcase_add_test(tc, no_checkpoint_by_a_strangers_key);
	tcase_add_test(tc, due_by_number_or_by_time);
	tcase_add_test(tc, one_chain_in_many_files);
	tcase_add_test(tc, a_new_month_is_a_new_file);
	tcase_add_test(tc, no_rotation_behind_a_torn_tail);
)
