/*
 * An exported archive and a proof: whatever is changed in them is found, and
 * the member that was changed is named.
 */
#include "tests/attack/evidence_bed.h"

START_TEST(whole_it_is_good)
{
	unsigned char other[SIGN_PUB] = { 1 };
	struct evidence v;
	struct bed b;

	bed_up(&b);
	v = look(&b.tar, b.pub);
	ck_assert_msg(v.good, "%s:%d: %s", v.member, (int)v.line, v.why);
	ck_assert_uint_eq(v.records, 3);	/* with the beginning */
	ck_assert_uint_eq(v.outputs, 1);
	ck_assert(v.policy);
	ck_assert(look(&b.tar, NULL).good);
	ck_assert(!look(&b.tar, other).good);
	ck_assert(look(&b.proof, b.pub).good);
	ck_assert(look(&b.proof, NULL).good);
	ck_assert(!look(&b.proof, other).good);
	bed_down(&b);
}
END_TEST

/* Which member does the byte lie in?  Headers and padding: the archive. */
static const char *
member_at(const struct str *tar, size_t at, char name[USTAR_NAME + 1])
{
	struct ustar u = { .data = tar->s, .len = tar->len };
	struct ustar_member m;

	while (ustar_next(&u, &m, NULL) == 1) {
		size_t start = (size_t)(m.data - tar->s);

		if (at < start || at >= start + m.len)
			continue;
		memcpy(name, m.name, sizeof m.name);
		return name;
	}
	return "archive";
}

/* _i: which bit of each byte. */
START_TEST(no_bit_of_an_archive_is_free)
{
	char name[USTAR_NAME + 1];
	struct bed b;

	bed_up(&b);
	for (size_t i = 0; i < b.tar.len; i++) {
		const char *member = member_at(&b.tar, i, name);
		struct evidence v;

		b.tar.s[i] ^= (char)(1 << _i);
		v = look(&b.tar, b.pub);
		b.tar.s[i] ^= (char)(1 << _i);
		ck_assert_msg(!v.good, "byte %zu of %s", i, member);
		ck_assert_msg(strcmp(v.member, member) == 0,
		    "byte %zu of %s: said %s:%d: %s", i, member, v.member,
		    (int)v.line, v.why);
	}
	bed_down(&b);
}
END_TEST

START_TEST(no_bit_of_a_proof_is_free)
{
	struct bed b;

	bed_up(&b);
	for (size_t i = 0; i < b.proof.len * 8; i++) {
		struct evidence v;

		b.proof.s[i / 8] ^= (char)(1 << i % 8);
		v = look(&b.proof, b.pub);
		b.proof.s[i / 8] ^= (char)(1 << i % 8);
		ck_assert_msg(!v.good, "bit %zu", i);
	}
	for (size_t n = 0; n < b.proof.len; n++) {
		struct evidence v;

		ck_assert_int_eq(audit_evidence(b.proof.s, n, b.pub, &v,
		    NULL), 0);
		ck_assert(!v.good);
	}
	bed_down(&b);
}
END_TEST

/* What is not under the last checkpoint, or not the log's, is not given out. */
START_TEST(no_evidence_of_what_was_changed)
{
	struct evidence_order o = { .project = PROJECT,
		.choice.until_ms = INT64_MAX };
	struct err e;
	struct str s;
	struct bed b;
	uint64_t left;
	size_t len;
	char *text, *p;

	bed_up(&b);
	text = testlog_read(&b.t, "audit/audit.jsonl", &len);
	p = memmem(text, len, "make step", 9);
	ck_assert_ptr_nonnull(p);
	memcpy(p, "evil step", 9);
	testlog_write(&b.t, "audit/audit.jsonl", text, len);
	str_init(&s, EVIDENCE_MAX);
	ck_assert_int_eq(audit_export(b.t.fd, &o, &s, &left, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_int_eq(audit_proof(b.t.fd, PROJECT, b.id, &s, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_uint_eq(s.len, 0);
	str_clear(&s);
	free(text);
	bed_down(&b);
}
END_TEST


UNIT_MAIN("attack/audit/evidence",
	tcase_add_test(tc, whole_it_is_good);
	tcase_add_loop_test(tc, no_bit_of_an_archive_is_free, 0, 8);
	tcase_add_test(tc, no_bit_of_a_proof_is_free);
	tcase_add_test(tc, no_evidence_of_what_was_changed);
)
