#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/audit_log.h"

static void
must_allow(struct testlog *t)
{
	struct err e = { 0 };

	ck_assert_msg(testlog_allow(t, "ls", &e) == 0, "%s", e.text);
}

static void
expect_ok(struct testlog *t)
{
	struct verify_report r;

	testlog_verify(t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.n_findings, 0);
}

START_TEST(a_decision_without_its_signature_is_refused)
{
	struct testlog t;
	struct err e = { 0 };
	char sig[SIGN_SIG_HEX + 1];
	struct event bare = { .kind = "approval" };

	testlog_new(&t);
	memset(sig, 'a', SIGN_SIG_HEX);
	sig[SIGN_SIG_HEX] = '\0';
	ck_assert_int_eq(audit_append(t.a, &bare, &t.clock, NULL, &e), -1);
	ck_assert_int_eq(testlog_signed(&t, "deny", "x", "sandbox-other-v1\n",
	    sig, -1, &e), -1);
	ck_assert_int_eq(testlog_signed(&t, "deny", "x",
	    "sandbox-approval-v1\n", "short", -1, &e), -1);
	ck_assert_int_eq(testlog_signed(&t, "tool.result", "x",
	    "sandbox-result-v1\n", sig, -1, &e), -1);
	must_allow(&t);
	expect_ok(&t);
	testlog_end(&t);
}
END_TEST

START_TEST(hostile_text_stays_text)
{
	static const char evil[] = "\x1b[2J\xff\"},\n\"sig\":\"x\u202e";
	struct testlog t;
	struct err e = { 0 };
	struct event ev = { .kind = "allow", .session = evil, .agent = evil,
		.id = evil };
	char *big, *log;
	size_t len;

	testlog_new(&t);
	ck_assert_int_eq(testlog_allow(&t, evil, &e), 0);
	ck_assert_int_eq(audit_append(t.a, &ev, &t.clock, NULL, &e), 0);
	big = calloc(1, 200001);
	memset(big, 'y', 200000);
	ck_assert_int_eq(testlog_allow(&t, big, &e), -1);
	ev.session = big;		/* a name is cut instead */
	ck_assert_int_eq(audit_append(t.a, &ev, &t.clock, NULL, &e), 0);
	expect_ok(&t);
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	ck_assert(utf8_ok(log, len));
	for (size_t i = 0; i < len; i++)
		ck_assert(log[i] == '\n' || (unsigned char)log[i] >= 0x20);
	free(log);
	free(big);
	testlog_end(&t);
}
END_TEST

/* In a child, because it must not survive. */
static int
append_dies_of(const char *kind, const char *name)
{
	struct testlog t;
	cJSON *f = json_object();
	struct event ev = { .kind = kind, .fields = f };
	int status = 0;
	pid_t pid;

	testlog_new(&t);
	if (name != NULL)
		json_add_str(f, name, "1");
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		close(STDERR_FILENO);
		audit_append(t.a, &ev, &t.clock, NULL, NULL);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	json_free(f);
	testlog_end(&t);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

START_TEST(our_own_mistakes_are_bugs)
{
	ck_assert_int_eq(append_dies_of("allowed", NULL), SIGABRT);
	ck_assert_int_eq(append_dies_of("allow", "seq"), SIGABRT);
	ck_assert_int_eq(append_dies_of("allow", "torn"), SIGABRT);
	ck_assert_int_eq(append_dies_of("allow", "tool"), 0);
}
END_TEST

static int
count(void *arg, const cJSON *record, const char *line, size_t len)
{
	uint64_t *n = arg;
	const char *kind = json_str(record, "kind");

	ck_assert_uint_eq(strlen(line), len);
	ck_assert_str_eq(kind, *n == 0 ? "genesis" : "allow");
	return ++*n == 4 ? 42 : 0;
}

START_TEST(a_walk_goes_from_oldest_to_newest)
{
	struct testlog t;
	struct err e = { 0 };
	uint64_t n = 0;

	testlog_new(&t);
	must_allow(&t);
	must_allow(&t);
	ck_assert_int_eq(audit_walk(t.fd, count, &n, &e), 0);
	ck_assert_uint_eq(n, 3);
	must_allow(&t);
	n = 0;
	ck_assert_int_eq(audit_walk(t.fd, count, &n, &e), 42);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/event",
	tcase_add_test(tc, a_decision_without_its_signature_is_refused);
	tcase_add_test(tc, hostile_text_stays_text);
	tcase_add_test(tc, our_own_mistakes_are_bugs);
	tcase_add_test(tc, a_walk_goes_from_oldest_to_newest);
)
