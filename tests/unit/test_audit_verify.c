#include "tests/unit/unit.h"

#include "audit/logfile.h"
#include "audit/reader.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"

static void
allow(struct testlog *t, int n)
{
	struct err e = { 0 };

	while (n-- > 0) {
		if (testlog_allow(t, "ls", &e) == -1)
			testlog_fail("allow", &e);
	}
}

static void
add_text(struct testlog *t, const char *text, size_t len)
{
	int fd = openat(t->fd, LOG, O_WRONLY | O_APPEND | O_CLOEXEC);

	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
}

/* A record with the log's own next key, of any kind and after any parent. */
static void
add_signed(struct testlog *t, const char *body, bool other_past)
{
	auto_logfile struct logfile f = LOGFILE_INIT;
	struct chain_key next;
	struct err e = { 0 };
	struct str s;

	if (logfile_open(t->fd, true, &f, &e) == -1 ||
	    logfile_tail(&f, &e) == -1 ||
	    logfile_ready(&f, &t->clock, &e) == -1)
		testlog_fail("open", &e);
	key_next(&f.now, &next);
	str_init(&s, 4096);
	f.tail.hash.b[0] ^= other_past;
	chain_put_prefix(f.tail.seq + 1, &f.tail.hash, next.pub, &s);
	str_add(&s, body);
	key_sign(&f.now, &s);
	chain_hash(s.s, s.len, &f.tail.hash);
	str_addc(&s, '\n');
	add_text(t, s.s, s.len);
	f.tail.seq++;
	if (logfile_pin(&f, t->clock.boot_id, &e) == -1)
		testlog_fail("pin", &e);
	str_clear(&s);
}

static void
expect(struct testlog *t, enum verify_exit code, enum verify_kind kind,
    uint64_t line)
{
	struct verify_report r;

	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == code && r.n_findings > 0 &&
	    r.findings[0].kind == kind && r.findings[0].line == line,
	    "exit %d, %zu findings, %s in line %d", (int)r.exit, r.n_findings,
	    verify_kind_name(r.findings[0].kind), (int)r.findings[0].line);
}

START_TEST(every_kind_has_a_name)
{
	for (int k = VERIFY_OK; k <= VERIFY_RESUMED; k++)
		ck_assert_uint_gt(strlen(verify_kind_name(
		    (enum verify_kind)k)), 1);
}
END_TEST

START_TEST(a_signed_record_of_no_kind)
{
	static const char *const bodies[] = { "newkind\",\"x\":1",
		"approval\",\"x\"", "approval\"" };
	static const enum verify_kind kinds[] = { VERIFY_EDITED,
		VERIFY_EDITED, VERIFY_UNSIGNED_DECISION };
	struct testlog t;

	testlog_new(&t);
	allow(&t, 1);
	add_signed(&t, bodies[_i], false);
	allow(&t, 1);
	expect(&t, VERIFY_EXIT_TAMPERED, kinds[_i], 3);
	testlog_end(&t);
}
END_TEST

START_TEST(a_signed_record_with_another_past)
{
	struct testlog t;

	testlog_new(&t);
	allow(&t, 2);
	add_signed(&t, "allow\"", true);
	allow(&t, 2);
	expect(&t, VERIFY_EXIT_TAMPERED, VERIFY_FORKED, 4);
	testlog_end(&t);
}
END_TEST

/* More findings than the table holds: counted, and still tampering. */
START_TEST(a_hundred_findings)
{
	struct testlog t;
	struct verify_report r;
	size_t len;
	char *log, *second;

	testlog_new(&t);
	allow(&t, 3);
	log = testlog_read(&t, LOG, &len);
	second = strchr(log, '\n') + 1;
	for (int i = 0; i < 100; i++)
		add_text(&t, second, (size_t)(strchr(second, '\n') + 1 -
		    second));
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_TAMPERED);
	ck_assert_uint_eq(r.n_findings, VERIFY_FINDINGS);
	ck_assert_uint_eq(r.more, 100 - VERIFY_FINDINGS);
	testlog_write(&t, LOG, log, len);
	for (int i = 0; i < 100; i++)
		add_text(&t, "x\n", 2);
	testlog_verify(&t, true, &r);
	ck_assert_uint_eq(r.more, 100 - VERIFY_FINDINGS);
	ck_assert_int_eq(r.findings[9].kind, VERIFY_INSERTED);
	free(log);

	/* Resumed over it: the approver's record vouches for the bytes. */
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, NULL),
	    0);
	allow(&t, 1);
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_KEY);
	ck_assert_uint_eq(r.n_findings, 2);
	ck_assert_uint_eq(r.more, 0);
	ck_assert(r.findings[0].closed);
	ck_assert_int_eq(r.findings[1].kind, VERIFY_RESUMED);
	testlog_end(&t);
}
END_TEST

START_TEST(a_resume_must_be_an_approvers)
{
	struct testlog t;
	struct verify_report r;
	unsigned char stranger[SIGN_SEED] = { 3 };

	testlog_new(&t);
	allow(&t, 3);
	unlinkat(t.fd, "log.key", 0);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, stranger, &t.clock,
	    NULL), 0);
	allow(&t, 2);
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_KEY_CHANGED);
	ck_assert_uint_eq(r.findings[0].seq, 4);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_TAMPERED);
	ck_assert_int_eq(r.findings[1].kind, VERIFY_UNSIGNED_DECISION);
	testlog_end(&t);
}
END_TEST

START_TEST(without_the_log_there_is_no_end)
{
	struct testlog t;
	struct err e = { 0 };

	testlog_new(&t);
	allow(&t, 2);
	unlinkat(t.fd, LOG, 0);
	expect(&t, VERIFY_EXIT_TRUNCATED, VERIFY_TRUNCATED, 0);
	ck_assert_int_eq(audit_walk(t.fd, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_SETUP);
	ck_assert_int_eq(mkdirat(t.fd, LOG, 0700), 0);
	ck_assert_int_eq(audit_walk(t.fd, NULL, NULL, &e), -1);
	unlinkat(t.fd, LOG, AT_REMOVEDIR);
	testlog_end(&t);
}
END_TEST

/* _i: how long the line is; the buffer is four records long. */
START_TEST(lines_of_any_length_are_read)
{
	static const size_t lengths[] = { CHAIN_RECORD_MAX - 1,
		CHAIN_RECORD_MAX, CHAIN_RECORD_MAX + 1, 4 * CHAIN_RECORD_MAX,
		4 * CHAIN_RECORD_MAX + 1, 9 * CHAIN_RECORD_MAX + 7 };
	size_t n = lengths[_i];
	struct testlog t;
	struct logset set;
	struct reader r;
	struct line l;
	char *text = xcalloc(n + 8, 1);
	int fd;

	testlog_dir(&t);
	memset(text, 'x', n + 8);
	memcpy(text, "a\n\n", 3);
	memcpy(text + 3 + n, "\nb\nc", 4);
	testlog_write(&t, "lines", text, n + 7);
	fd = openat(t.fd, "lines", O_RDONLY | O_CLOEXEC);
	logset_one(fd, n + 7, &set);
	reader_all(&r, &set);
	for (uint64_t number = 1; number <= 5; number++) {
		static const char *const short_lines[] = { "a", "", NULL, "b",
			"c" };
		const char *want = short_lines[number - 1];

		ck_assert_int_eq(reader_next(&r, &l, NULL), 1);
		ck_assert_uint_eq(l.number, number);
		ck_assert_int_eq(l.ended, number < 5);
		ck_assert_int_eq(l.overlong, want == NULL &&
		    n > CHAIN_RECORD_MAX);
		if (want != NULL)
			ck_assert_str_eq(l.text, want);
		else
			ck_assert_uint_eq(l.len, l.overlong ? 0 : n);
		ck_assert_uint_eq(l.offset, number < 4 ? number == 1 ? 0 :
		    number : number == 4 ? n + 4 : n + 6);
	}
	ck_assert_int_eq(reader_next(&r, &l, NULL), 0);
	reader_clear(&r);

	/* Shorter than it was said to be: an error, not an end. */
	logset_clear(&set);
	logset_one(fd, n + 70, &set);
	reader_all(&r, &set);
	while (reader_next(&r, &l, NULL) == 1)
		;
	ck_assert_int_eq(reader_next(&r, &l, NULL), -1);
	reader_clear(&r);
	logset_clear(&set);
	close(fd);
	free(text);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/verify",
	tcase_add_test(tc, every_kind_has_a_name);
	tcase_add_loop_test(tc, a_signed_record_of_no_kind, 0, 3);
	tcase_add_test(tc, a_signed_record_with_another_past);
	tcase_add_test(tc, a_hundred_findings);
	tcase_add_test(tc, a_resume_must_be_an_approvers);
	tcase_add_test(tc, without_the_log_there_is_no_end);
	tcase_add_loop_test(tc, lines_of_any_length_are_read, 0, 6);
)
