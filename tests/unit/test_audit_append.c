#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/syscall.h>

#include "audit/key.h"
#include "audit/logfile.h"
#include "tests/unit/audit_log.h"

/* Ours comes before libc's: it counts, and fails when told to. */
static int syncs, fail_sync_at;

int
fdatasync(int fd)
{
	syncs++;
	if (syncs == fail_sync_at) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

static uint64_t
key_seq(struct testlog *t)
{
	struct key_slots s;
	struct err e = { 0 };
	uint64_t seq = 0;
	int fd = openat(t->fd, "log.key", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(key_slots_read(fd, &s, &e), 0);
	ck_assert(key_slots_newest(&s, &seq));
	ck_assert_msg(s.slot[0].valid != s.slot[1].valid, "an old seed stays");
	close(fd);
	return seq;
}

static void
must_allow(struct testlog *t)
{
	struct err e = { 0 };

	ck_assert_msg(testlog_allow(t, "ls", &e) == 0, "%s", e.text);
}

static void
must_refuse(struct testlog *t, const char *why)
{
	struct err e = { 0 };
	size_t before, after;

	free(testlog_read(t, "audit/audit.jsonl", &before));
	ck_assert_int_eq(testlog_allow(t, "ls", &e), -1);
	ck_assert_msg(strstr(e.text, why) != NULL, "%s", e.text);
	free(testlog_read(t, "audit/audit.jsonl", &after));
	ck_assert_uint_eq(before, after);
}

static void
expect(struct testlog *t, enum verify_exit code, enum verify_kind kind)
{
	struct verify_report r;

	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == code && (kind == VERIFY_OK ?
	    r.n_findings == 0 : r.n_findings > 0 &&
	    r.findings[0].kind == kind), "exit %d, %zu findings, first %s %s",
	    (int)r.exit, r.n_findings, verify_kind_name(r.findings[0].kind),
	    r.findings[0].found);
}

START_TEST(a_log_begins_and_goes_on)
{
	struct testlog t;
	struct verify_report r;

	testlog_new(&t);
	testlog_fill(&t, 50);
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.n_findings, 0);
	ck_assert_uint_eq(r.records, 50);
	ck_assert_uint_eq(r.last_good_seq, 49);
	testlog_end(&t);
}
END_TEST

START_TEST(files_are_private)
{
	static const char *const names[] = { "audit/audit.jsonl", "log.key",
		"audit.head" };
	struct testlog t;
	struct stat st;

	umask(0);
	testlog_new(&t);
	must_allow(&t);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		ck_assert_int_eq(fstatat(t.fd, names[i], &st, 0), 0);
		ck_assert_int_eq(st.st_mode & 07777, 0600);
	}
	ck_assert_int_eq(fchmodat(t.fd, "log.key", 0640, 0), 0);
	must_refuse(&t, "not a private file");
	testlog_end(&t);
}
END_TEST

START_TEST(no_log_is_a_missing_setup)
{
	struct testlog t;
	struct err e = { 0 };
	struct verify_options o = { .project = PROJECT, .approvers = &t.ring };
	struct verify_report r;

	testlog_dir(&t);
	ck_assert_int_eq(audit_open(t.fd, PROJECT, &t.a, &e), -1);
	ck_assert_int_eq(e.code, ERR_SETUP);
	ck_assert_int_eq(audit_verify(t.fd, &o, &r, &e), -1);
	ck_assert_int_eq(e.code, ERR_SETUP);
	testlog_end(&t);
}
END_TEST

START_TEST(a_second_genesis_is_refused)
{
	struct testlog t;
	struct err e = { 0 };
	struct digest d;

	testlog_new(&t);

	const struct audit_birth b = { PROJECT, "/x", t.seed, &t.clock };

	ck_assert_int_eq(audit_genesis(t.fd, &b, &d, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_OK, VERIFY_OK);
	testlog_end(&t);
}
END_TEST

/* An init that was killed before it noted the pin is finished by the next. */
START_TEST(a_log_of_ones_own_that_only_began_is_taken_on)
{
	struct testlog t;
	struct err e = { 0 };
	struct digest d;
	char hex[DIGEST_HEX + 1];
	unsigned char other[SIGN_SEED] = { 9 };

	testlog_new(&t);

	const struct audit_birth
	    mine = { PROJECT, "/home/u/proj", t.seed, &t.clock },
	    theirs = { PROJECT, "/home/u/proj", other, &t.clock },
	    foreign = { "f1", "/home/u/proj", t.seed, &t.clock };

	ck_assert_int_eq(audit_genesis(t.fd, &theirs, &d, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_int_eq(audit_genesis(t.fd, &foreign, &d, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_int_eq(audit_genesis(t.fd, &mine, &d, &e), 0);
	digest_hex(&d, hex);
	ck_assert_str_eq(hex, t.genesis);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_OK, VERIFY_OK);
	/* From here on it holds what nobody may begin anew. */
	ck_assert_int_eq(audit_genesis(t.fd, &mine, &d, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	testlog_end(&t);
}
END_TEST

START_TEST(an_allowed_call_syncs_nothing)
{
	struct testlog t;

	testlog_new(&t);
	syncs = 0;
	for (int i = 1; i < KEY_SYNC_EVERY; i++)
		must_allow(&t);
	ck_assert_int_eq(syncs, 0);
	ck_assert_uint_eq(key_seq(&t), 1);
	must_allow(&t);
	ck_assert_int_eq(syncs, 2);
	ck_assert_uint_eq(key_seq(&t), KEY_SYNC_EVERY + 1);
	testlog_end(&t);
}
END_TEST

START_TEST(thirty_seconds_of_activity_sync)
{
	struct testlog t;

	testlog_new(&t);
	t.clock.wall_ms += 31000;
	syncs = 0;
	must_allow(&t);
	ck_assert_int_eq(syncs, 0);
	must_allow(&t);
	ck_assert_int_eq(syncs, 2);
	ck_assert_uint_eq(key_seq(&t), 3);
	t.clock.wall_ms -= 31000;
	must_allow(&t);
	must_allow(&t);
	ck_assert_int_eq(syncs, 2);
	testlog_end(&t);
}
END_TEST

START_TEST(decisions_and_session_end_sync)
{
	struct testlog t;
	struct err e = { 0 };
	struct event end = { .kind = "session.end" };
	uint64_t seq = 0;

	testlog_new(&t);
	testlog_fill(&t, 7);		/* the last two: approval, result */
	ck_assert_uint_gt(key_seq(&t), 5);
	must_allow(&t);
	ck_assert_int_eq(audit_append(t.a, &end, &t.clock, &seq, &e), 0);
	ck_assert_uint_eq(key_seq(&t), seq + 1);
	must_allow(&t);
	ck_assert_int_eq(audit_sync(t.a, &e), 0);
	ck_assert_uint_eq(key_seq(&t), seq + 2);
	syncs = 0;
	ck_assert_int_eq(audit_sync(t.a, &e), 0);
	ck_assert_int_eq(syncs, 0);
	expect(&t, VERIFY_EXIT_OK, VERIFY_OK);
	testlog_end(&t);
}
END_TEST

/* _i: the sync of the log, the sync of the key. */
START_TEST(a_failed_sync_closes_the_log)
{
	struct testlog t;
	struct err e = { 0 };
	struct event end = { .kind = "session.end" };

	testlog_new(&t);
	syncs = 0;
	fail_sync_at = _i;
	ck_assert_int_eq(audit_append(t.a, &end, &t.clock, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYSTEM);
	fail_sync_at = 0;
	must_refuse(&t, "closed until an approver resumes it");
	expect(&t, VERIFY_EXIT_KEY, VERIFY_KEY_CHANGED);
	ck_assert_msg(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e) == 0,
	    "%s", e.text);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_KEY, VERIFY_RESUMED);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e),
	    -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	testlog_end(&t);
}
END_TEST

/* _i: how much of the last record is left. */
START_TEST(a_torn_tail_is_closed_by_the_next_record)
{
	static const size_t left[] = { 1, 20, 180, 0 };
	struct testlog t;
	struct err e = { 0 };
	size_t len, line;
	char *log;

	testlog_new(&t);
	for (int i = 0; i < 5; i++)
		must_allow(&t);
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	log[len - 1] = '\0';
	line = len - (size_t)(strrchr(log, '\n') + 1 - log);
	/* A record that a killed writer left: no pin speaks of it. */
	ck_assert_int_eq(audit_sync(t.a, &e), 0);
	log[len - 1] = '\n';
	log = realloc(log, len * 2);
	memcpy(log + len, log + len - line, line);
	len += left[_i] == 0 ? line - 1 : left[_i];
	testlog_write(&t, "audit/audit.jsonl", log, len);
	free(log);
	expect(&t, VERIFY_EXIT_TORN, VERIFY_TORN);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_OK, VERIFY_TORN);
	must_allow(&t);

	/* What it vouched for must stay as it was. */
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	char *torn = strstr(log, "\"torn\"");

	ck_assert_ptr_nonnull(torn);
	while (*torn != '\n')
		torn--;
	torn[-2] ^= 1;
	testlog_write(&t, "audit/audit.jsonl", log, len);
	free(log);
	expect(&t, VERIFY_EXIT_TAMPERED, VERIFY_INSERTED);
	testlog_end(&t);
}
END_TEST

START_TEST(a_long_torn_tail_needs_a_human)
{
	struct testlog t;
	struct err e = { 0 };
	size_t len;
	char *log;

	testlog_new(&t);
	must_allow(&t);
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	log = realloc(log, len + 3 * CHAIN_RECORD_MAX);
	memset(log + len, 'x', 3 * CHAIN_RECORD_MAX);
	testlog_write(&t, "audit/audit.jsonl", log, len + 3 * CHAIN_RECORD_MAX);
	must_refuse(&t, "no last record");
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e), 0);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_KEY, VERIFY_TORN);
	free(log);
	testlog_end(&t);
}
END_TEST

START_TEST(a_log_that_was_cut_is_not_continued)
{
	struct testlog t;
	struct err e = { 0 };
	size_t len;
	char *log, *end;

	testlog_new(&t);
	for (int i = 0; i < 4; i++)
		must_allow(&t);
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	log[len - 1] = '\0';
	end = strrchr(log, '\n') + 1;
	testlog_write(&t, "audit/audit.jsonl", log, (size_t)(end - log));
	free(log);
	must_refuse(&t, "does not end as pinned");
	expect(&t, VERIFY_EXIT_TRUNCATED, VERIFY_TRUNCATED);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e), 0);
	must_allow(&t);
	expect(&t, VERIFY_EXIT_KEY, VERIFY_RESUMED);
	testlog_end(&t);
}
END_TEST

START_TEST(a_missing_or_foreign_file_is_an_error)
{
	struct testlog t, other;
	struct err e = { 0 };
	size_t len;
	char *p;

	testlog_new(&t);
	testlog_new(&other);
	must_allow(&t);
	p = testlog_read(&other, "log.key", &len);
	testlog_write(&t, "log.key", p, len);
	free(p);
	must_refuse(&t, "no slot of log.key fits");
	expect(&t, VERIFY_EXIT_KEY, VERIFY_KEY_CHANGED);
	ck_assert_int_eq(unlinkat(t.fd, "log.key", 0), 0);
	must_refuse(&t, "'log.key' is gone");
	testlog_write(&t, "audit.head", "{}\n", 3);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, &e), 0);
	must_allow(&t);
	testlog_write(&t, "audit.head", "{}\n", 3);
	must_refuse(&t, "'audit.head' is damaged");
	ck_assert_int_eq(unlinkat(t.fd, "audit.head", 0), 0);
	must_refuse(&t, "'audit.head' is gone");
	ck_assert_int_eq(unlinkat(t.fd, "audit/audit.jsonl", 0), 0);
	ck_assert_int_eq(testlog_allow(&t, "ls", &e), -1);
	ck_assert_int_eq(symlinkat("/etc/passwd", t.fd, "audit/audit.jsonl"),
	    0);
	ck_assert_int_eq(testlog_allow(&t, "ls", &e), -1);
	testlog_end(&t);
	testlog_end(&other);
}
END_TEST

UNIT_MAIN("audit/append",
	tcase_add_test(tc, a_log_begins_and_goes_on);
	tcase_add_test(tc, files_are_private);
	tcase_add_test(tc, no_log_is_a_missing_setup);
	tcase_add_test(tc, a_second_genesis_is_refused);
	tcase_add_test(tc, a_log_of_ones_own_that_only_began_is_taken_on);
	tcase_add_test(tc, an_allowed_call_syncs_nothing);
	tcase_add_test(tc, thirty_seconds_of_activity_sync);
	tcase_add_test(tc, decisions_and_session_end_sync);
	tcase_add_loop_test(tc, a_failed_sync_closes_the_log, 1, 3);
	tcase_add_loop_test(tc, a_torn_tail_is_closed_by_the_next_record,
	    0, 4);
	tcase_add_test(tc, a_long_torn_tail_needs_a_human);
	tcase_add_test(tc, a_log_that_was_cut_is_not_continued);
	tcase_add_test(tc, a_missing_or_foreign_file_is_an_error);
)
