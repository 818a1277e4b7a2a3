#include "tests/unit/unit.h"

#include <string.h>

#include "audit/statement.h"
#include "common/mem.h"

#define PROJECT	"0123456789abcdef0123456789abcdef"
#define ID	"0011223344556677-0000000000aa-1f"

static const unsigned char human[SIGN_SEED] = { 1 }, run[SIGN_SEED] = { 2 };

static struct approval
approval(void)
{
	struct approval a = { .project = PROJECT, .id = ID, .tier = "high",
		.decision = DECISION_RUN, .cwd_dev = 2049,
		.cwd_ino = UINT64_MAX, .has_run_key = true, .has_text = true,
		.expires_wall_ms = INT64_MAX };

	memset(a.digest.b, 0x11, 32);
	memset(a.environment.b, 0x22, 32);
	memset(a.scripts.b, 0x33, 32);
	memset(a.text.b, 0x44, 32);
	sign_public(run, a.run_key);
	sign_public(human, a.approver);
	return a;
}

static struct result
result(void)
{
	struct result r = { .project = PROJECT, .id = ID, .outcome = "exit:3",
		.start_ms = 5, .end_ms = 9 };

	memset(r.digest.b, 0x11, 32);
	memset(r.output.b, 0x55, 32);
	return r;
}

START_TEST(decode_is_the_inverse_of_encode)
{
	struct approval a = approval(), b;
	struct result r = result(), q;
	struct err e = { 0 };
	struct str s, t;

	str_init(&s, 8192);
	str_init(&t, 8192);
	for (int d = DECISION_DENY; d <= DECISION_ALLOW_ONCE; d++) {
		a.decision = (enum decision)d;
		a.has_edited = d == DECISION_RUN;
		a.has_run_key = d == DECISION_RUN;
		str_reset(&s);
		str_reset(&t);
		approval_encode(&a, &s);
		ck_assert_msg(approval_decode(s.s, &b, &e) == 0, "%s", e.text);
		approval_encode(&b, &t);
		ck_assert_str_eq(s.s, t.s);
		ck_assert_int_eq(b.decision, a.decision);
		ck_assert_uint_eq(b.cwd_ino, UINT64_MAX);
	}
	str_reset(&s);
	str_reset(&t);
	result_encode(&r, &s);
	ck_assert_msg(result_decode(s.s, &q, &e) == 0, "%s", e.text);
	result_encode(&q, &t);
	ck_assert_str_eq(s.s, t.s);
	str_clear(&s);
	str_clear(&t);
}
END_TEST

/* Replace line n of a statement by `with`. */
static char *
with_line(const char *stmt, int n, const char *with)
{
	const char *p = stmt, *end;

	while (n-- > 0)
		p = strchr(p, '\n') + 1;
	end = strchr(p, '\n');
	return xasprintf("%.*s%s%s", (int)(p - stmt), stmt, with, end);
}

static const struct {
	int line;
	const char *with;
} bad_approvals[] = {
	{ 0, "sandbox-approval-v2" }, { 1, PROJECT "0" }, { 2, "../x" },
	{ 3, "11" }, { 4, "maybe" }, { 5, "far-too-long-a-tier" },
	{ 6, "2049" }, { 6, "02049:1" }, { 6, "2049:18446744073709551616" },
	{ 6, ":" }, { 6, "1:2:3" }, { 7, "-" }, { 8, "zz" }, { 9, "x" },
	{ 10, "" }, { 11, "--" }, { 12, "-1" }, { 12, "9223372036854775808" },
	{ 12, "1.5" }, { 13, "-" }, { 13, "a\nb" },
};

static const struct {
	int line;
	const char *with;
} bad_results[] = {
	{ 0, "sandbox-approval-v1" }, { 2, "x" }, { 3, "" }, { 4, "exit:256" },
	{ 4, "exit:" }, { 4, "exit:-1" }, { 4, "signal:0" },
	{ 4, "signal:65" }, { 4, "done" }, { 5, "+1" }, { 6, " 1" },
	{ 7, "-" },
};

START_TEST(a_damaged_statement_is_refused)
{
	struct approval a = approval(), b;
	struct result r = result(), q;
	struct str s;

	str_init(&s, 8192);
	approval_encode(&a, &s);
	for (size_t i = 0; i < ARRAY_LEN(bad_approvals); i++) {
		auto_free char *bad = with_line(s.s, bad_approvals[i].line,
		    bad_approvals[i].with);

		ck_assert_msg(approval_decode(bad, &b, NULL) == -1, "%s", bad);
	}
	str_reset(&s);
	result_encode(&r, &s);
	for (size_t i = 0; i < ARRAY_LEN(bad_results); i++) {
		auto_free char *bad = with_line(s.s, bad_results[i].line,
		    bad_results[i].with);

		ck_assert_msg(result_decode(bad, &q, NULL) == -1, "%s", bad);
	}
	str_clear(&s);
}
END_TEST

START_TEST(every_outcome_has_a_word)
{
	static const char *const good[] = { "exit:0", "exit:255", "signal:9",
		"timeout", "stopped", "running", "not_started" };
	struct result r = result(), q;
	struct str s;

	str_init(&s, 8192);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		str_reset(&s);
		memcpy(r.outcome, good[i], strlen(good[i]) + 1);
		result_encode(&r, &s);
		ck_assert_msg(result_decode(s.s, &q, NULL) == 0, "%s",
		    good[i]);
	}
	str_clear(&s);
}
END_TEST

static void
ring_of(const unsigned char *seed, struct keyring *ret)
{
	unsigned char pub[SIGN_PUB];
	char hex[65];
	auto_free char *line = NULL;

	sign_public(seed, pub);
	hex_put(pub, 32, hex);
	line = xasprintf("ed25519 %s somebody\n", hex);
	ck_assert_int_eq(keyring_parse(line, strlen(line), ret, NULL), 0);
}

static int
verify(const char *stmt, const char *sig, const struct keyring *ring,
    const char *project, const char *id)
{
	const struct approval_for who = { ring, project, id };
	struct approval got;

	return approval_verify(stmt, sig, &who, &got, NULL);
}

START_TEST(an_approval_binds_project_id_and_signer)
{
	struct approval a = approval();
	struct keyring ring, other;
	struct str s;
	char sig[SIGN_SIG_HEX + 1];

	ring_of(human, &ring);
	ring_of(run, &other);
	str_init(&s, 8192);
	approval_encode(&a, &s);
	sign_make(human, s.s, s.len, sig);
	ck_assert_int_eq(verify(s.s, sig, &ring, PROJECT, ID), 0);
	ck_assert_int_eq(verify(s.s, sig, &other, PROJECT, ID), -1);
	ck_assert_int_eq(verify(s.s, sig, &ring, "other", ID), -1);
	ck_assert_int_eq(verify(s.s, sig, &ring, PROJECT, "other"), -1);
	s.s[s.len - 2] ^= 1;
	ck_assert_int_eq(verify(s.s, sig, &ring, PROJECT, ID), -1);

	/* Signed by one approver, in the name of another. */
	sign_public(run, a.approver);
	str_reset(&s);
	approval_encode(&a, &s);
	sign_make(human, s.s, s.len, sig);
	ck_assert_int_eq(verify(s.s, sig, &ring, PROJECT, ID), -1);
	str_clear(&s);
	keyring_clear(&ring);
	keyring_clear(&other);
}
END_TEST

START_TEST(a_result_binds_its_approval)
{
	struct approval a = approval();
	struct result r = result(), q;
	struct str s;
	char sig[SIGN_SIG_HEX + 1];

	str_init(&s, 8192);
	result_encode(&r, &s);
	sign_make(run, s.s, s.len, sig);
	ck_assert_int_eq(result_verify(s.s, sig, &a, &q, NULL), 0);
	a.has_run_key = false;
	ck_assert_int_eq(result_verify(s.s, sig, &a, &q, NULL), -1);
	a.has_run_key = true;
	a.digest.b[0] ^= 1;
	ck_assert_int_eq(result_verify(s.s, sig, &a, &q, NULL), -1);
	a.digest.b[0] ^= 1;
	a.project[0] ^= 1;
	ck_assert_int_eq(result_verify(s.s, sig, &a, &q, NULL), -1);
	a.project[0] ^= 1;
	sign_make(human, s.s, s.len, sig);
	ck_assert_int_eq(result_verify(s.s, sig, &a, &q, NULL), -1);
	str_clear(&s);
}
END_TEST

UNIT_MAIN("audit/statement",
	tcase_add_test(tc, decode_is_the_inverse_of_encode);
	tcase_add_test(tc, a_damaged_statement_is_refused);
	tcase_add_test(tc, every_outcome_has_a_word);
	tcase_add_test(tc, an_approval_binds_project_id_and_signer);
	tcase_add_test(tc, a_result_binds_its_approval);
)
