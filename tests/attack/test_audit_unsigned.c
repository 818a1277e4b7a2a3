/*
 * "A decision without the approver's signature is an error, never skipped":
 * records that the log's own key signed, but no approver answers for.
 */
#include "tests/unit/unit.h"

#include "audit/logfile.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define ID	"0011223344556677-0000000000aa-1f"
#define ID2	"8811223344556677-0000000000aa-1f"

static const unsigned char run[SIGN_SEED] = { 9 }, stranger[SIGN_SEED] = { 5 };

static void
put(struct testlog *t, const char *kind, const char *id, const char *stmt,
    const char *sig, int64_t approval)
{
	struct err e = { 0 };

	if (testlog_signed(t, kind, id, stmt, sig, approval, &e) == -1)
		testlog_fail(kind, &e);
}

static void
put_approval(struct testlog *t, const char *kind, enum decision d,
    const char *id, const unsigned char *signer)
{
	char sig[SIGN_SIG_HEX + 1];
	struct str stmt;

	str_init(&stmt, 4096);
	testlog_approval(t, d, ID, run, &stmt, sig);
	if (signer != NULL)
		sign_make(signer, stmt.s, stmt.len, sig);
	put(t, kind, id, stmt.s, sig, -1);
	str_clear(&stmt);
}

static void
put_result(struct testlog *t, const char *id, const char *about,
    const unsigned char *signer, int64_t approval)
{
	char sig[SIGN_SIG_HEX + 1];
	struct str stmt;

	str_init(&stmt, 4096);
	testlog_result(about, signer, &stmt, sig);
	put(t, "tool.result", id, stmt.s, sig, approval);
	str_clear(&stmt);
}

static void
by_stranger(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID, stranger);
}

static void
by_run_key(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID, run);
}

static void
for_another_id(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID2, NULL);
}

static void
deny_as_approval(struct testlog *t)
{
	put_approval(t, "approval", DECISION_DENY, ID, NULL);
}

static void
approval_as_deny(struct testlog *t)
{
	put_approval(t, "deny", DECISION_RUN, ID, NULL);
}

static void
result_alone(struct testlog *t)
{
	put_result(t, ID, ID, run, 0);
}

static void
result_of_a_denial(struct testlog *t)
{
	put_approval(t, "deny", DECISION_DENY, ID, NULL);
	put_result(t, ID, ID, stranger, (int64_t)t->seq);
}

static void
result_by_stranger(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID, NULL);
	put_result(t, ID, ID, stranger, (int64_t)t->seq);
}

static void
result_of_another(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID, NULL);
	put_result(t, ID2, ID2, run, (int64_t)t->seq);
}

static void
result_renamed(struct testlog *t)
{
	put_approval(t, "approval", DECISION_RUN, ID, NULL);
	put_result(t, ID2, ID, run, (int64_t)t->seq);
}

static void
put_signed(struct testlog *t, const char *kind, const char *stmt,
    const unsigned char *seed)
{
	char sig[SIGN_SIG_HEX + 1];

	sign_make(seed, stmt, strlen(stmt), sig);
	put(t, kind, NULL, stmt, sig, -1);
}

static void
policy_by_stranger(struct testlog *t)
{
	put_signed(t, "policy.accept", "sandbox-policy-v1 " PROJECT " aa bb",
	    stranger);
}

static void
policy_of_another(struct testlog *t)
{
	put_signed(t, "policy.accept", "sandbox-policy-v1 feed aa bb",
	    t->seed);
}

static void
policy_without_end(struct testlog *t)
{
	put_signed(t, "policy.accept", "sandbox-policy-v1 " PROJECT, t->seed);
}

static void
key_adds_itself(struct testlog *t)
{
	unsigned char pub[SIGN_PUB];
	char hex[65];
	auto_free char *stmt = NULL;

	sign_public(stranger, pub);
	hex_put(pub, 32, hex);
	stmt = xasprintf("sandbox-key-v1\n" PROJECT "\nadd\n%s\n%s\n", hex,
	    hex);
	put_signed(t, "key", stmt, stranger);
}

static void
key_without_key(struct testlog *t)
{
	put_signed(t, "key", "sandbox-key-v1\n" PROJECT "\nadd\nx\ny\n",
	    t->seed);
}

/* audit_append would refuse this one; whoever has log.key need not ask. */
static void
no_statement_at_all(struct testlog *t)
{
	struct logfile f = LOGFILE_INIT;
	struct chain_key next;
	struct str s;
	struct err e = { 0 };

	if (logfile_open(t->fd, true, &f, &e) == -1 ||
	    logfile_tail(&f, &e) == -1 ||
	    logfile_ready(&f, &t->clock, &e) == -1)
		testlog_fail("open", &e);
	key_next(&f.now, &next);
	str_init(&s, 4096);
	chain_put_prefix(f.tail.seq + 1, &f.tail.hash, next.pub, &s);
	str_add(&s, "approval\",\"project\":\"" PROJECT "\"");
	key_sign(&f.now, &s);
	chain_hash(s.s, s.len, &f.tail.hash);
	str_addc(&s, '\n');
	ck_assert_int_eq(write(f.log, s.s, s.len), (ssize_t)s.len);
	t->seq = ++f.tail.seq;
	ck_assert_int_eq(logfile_pin(&f, t->clock.boot_id, &e), 0);
	str_clear(&s);
	logfile_close(&f);
}

static void (*const bad[])(struct testlog *) = {
	by_stranger, by_run_key, for_another_id, deny_as_approval,
	approval_as_deny, result_alone, result_of_a_denial,
	result_by_stranger, result_of_another, result_renamed,
	policy_by_stranger, policy_of_another, policy_without_end,
	key_adds_itself, key_without_key, no_statement_at_all,
};

START_TEST(nobody_answers_for_it)
{
	struct testlog t;
	struct verify_report r;

	testlog_new(&t);
	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	bad[_i](&t);
	uint64_t seq = t.seq;

	ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	testlog_verify(&t, false, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_TAMPERED);
	ck_assert_uint_eq(r.n_findings, 1);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_UNSIGNED_DECISION);
	ck_assert_uint_eq(r.findings[0].seq, seq);
	ck_assert_uint_eq(r.findings[0].line, seq + 1);
	testlog_end(&t);
}
END_TEST

START_TEST(an_added_approver_may_decide_until_removed)
{
	struct testlog t;
	struct verify_report r;
	unsigned char pub[SIGN_PUB], own[SIGN_PUB];
	char hex[65], by[65];

	testlog_new(&t);
	sign_public(stranger, pub);
	sign_public(t.seed, own);
	hex_put(pub, 32, hex);
	hex_put(own, 32, by);
	for (int i = 0; i < 2; i++) {
		auto_free char *stmt = xasprintf("sandbox-key-v1\n" PROJECT
		    "\n%s\n%s\n%s\n", i == 0 ? "add" : "remove", hex, by);

		put_signed(&t, "key", stmt, t.seed);
		put_signed(&t, "policy.accept", "sandbox-policy-v1 " PROJECT
		    " aa bb", stranger);
		testlog_verify(&t, false, &r);
		ck_assert_int_eq(r.exit, i == 0 ? VERIFY_EXIT_OK :
		    VERIFY_EXIT_TAMPERED);
	}
	testlog_end(&t);
}
END_TEST

/* The key that began the log stays good for it when it is retired. */
START_TEST(the_pinned_genesis_vouches_for_its_approver)
{
	struct testlog t;
	struct verify_report r;
	struct keyring none = { 0 };

	testlog_new(&t);
	testlog_fill(&t, 20);
	keyring_clear(&t.ring);
	t.ring = none;
	testlog_verify(&t, false, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	memset(t.genesis, '0', 64);
	testlog_verify(&t, false, &r);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_KEY_CHANGED);
	t.genesis[0] = '\0';		/* no pin and no known approver */
	testlog_verify(&t, false, &r);
	ck_assert_int_eq(r.findings[0].kind, VERIFY_KEY_CHANGED);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("attack/audit/unsigned",
	tcase_add_loop_test(tc, nobody_answers_for_it, 0,
	    (int)ARRAY_LEN(bad));
	tcase_add_test(tc, an_added_approver_may_decide_until_removed);
	tcase_add_test(tc, the_pinned_genesis_vouches_for_its_approver);
)
