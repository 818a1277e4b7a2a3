/*
 * An exported archive and a proof: whatever is changed in them is found, and
 * the member that was changed is named.
 */
#include "tests/unit/unit.h"

#include "audit/chain.h"
#include "audit/evidence.h"
#include "audit/note.h"
#include "audit/ustar.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define OUTPUT	"all of it went well\n"

struct bed {
	struct testlog	t;
	char		id[ID_MAX + 1];
	struct str	tar, proof, policy;
	unsigned char	pub[SIGN_PUB];
};

static int
output(void *arg, const char *id, struct str *ret)
{
	const struct bed *b = arg;

	if (strcmp(id, b->id) != 0)
		return -1;
	str_add(ret, OUTPUT);
	return 0;
}

/* An approval and a result that names its output. */
static void
decide(struct bed *b)
{
	static const unsigned char run[SIGN_SEED] = { 9 };
	struct result r = { .start_ms = 1, .end_ms = 2 };
	struct str stmt;
	char sig[SIGN_SIG_HEX + 1];

	id_make(77, 4711, b->id);
	str_init(&stmt, 4096);
	testlog_approval(&b->t, DECISION_RUN, b->id, run, &stmt, sig);
	ck_assert_int_eq(testlog_signed(&b->t, "approval", b->id, stmt.s, sig,
	    -1, NULL), 0);
	snprintf(r.project, sizeof r.project, "%s", PROJECT);
	snprintf(r.id, sizeof r.id, "%s", b->id);
	snprintf(r.outcome, sizeof r.outcome, "exit:0");
	digest_of(b->id, strlen(b->id), NULL, &r.digest);
	digest_of(OUTPUT, strlen(OUTPUT), NULL, &r.output);
	str_reset(&stmt);
	result_encode(&r, &stmt);
	sign_make(run, stmt.s, stmt.len, sig);
	ck_assert_int_eq(testlog_signed(&b->t, "tool.result", b->id, stmt.s,
	    sig, (int64_t)b->t.seq, NULL), 0);
	str_clear(&stmt);
}

static void
seal_policy(struct bed *b)
{
	static const char text[] = "{\"version\":1}\n";
	char hex[DIGEST_HEX + 1], pub[SIGN_PUB_HEX + 1];
	char sig[SIGN_SIG_HEX + 1];
	struct digest d;

	digest_of(text, sizeof text - 1, NULL, &d);
	digest_hex(&d, hex);
	hex_put(b->pub, SIGN_PUB, pub);
	str_init(&b->policy, 4096);
	str_addf(&b->policy, "sandbox-policy-v1 %s %s %s", PROJECT, hex, pub);
	sign_make(b->t.seed, b->policy.s, b->policy.len, sig);
	str_addf(&b->policy, " %s\n%s", sig, text);
}

static void
bed_up(struct bed *b)
{
	struct evidence_order o = { .project = PROJECT,
		.choice.until_ms = INT64_MAX, .output = output, .arg = b };
	struct err e = { 0 };
	uint64_t left;

	testlog_new(&b->t);
	sign_public(b->t.seed, b->pub);
	testlog_fill(&b->t, 12);
	decide(b);
	testlog_fill(&b->t, 20);
	ck_assert_int_eq(testlog_checkpoint(&b->t, NULL, NULL), 0);
	seal_policy(b);
	o.choice.id = b->id;
	o.policy = b->policy.s;
	o.policy_len = b->policy.len;
	str_init(&b->tar, EVIDENCE_MAX);
	ck_assert_msg(audit_export(b->t.fd, &o, &b->tar, &left, &e) == 0,
	    "%s", e.text);
	str_init(&b->proof, 1 << 20);
	ck_assert_int_eq(audit_proof(b->t.fd, PROJECT, b->id, &b->proof,
	    &e), 0);
}

static void
bed_down(struct bed *b)
{
	str_clear(&b->tar);
	str_clear(&b->proof);
	str_clear(&b->policy);
	testlog_end(&b->t);
}

static struct evidence
look(const struct str *s, const unsigned char *key)
{
	struct evidence v;

	ck_assert_int_eq(audit_evidence(s->s, s->len, key, &v, NULL), 0);
	return v;
}

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

/* --- archives put together by somebody else --- */

struct members {
	struct ustar_member m[8];
	size_t		    n;
};

static void
members(const struct str *tar, struct members *ret)
{
	struct ustar u = { .data = tar->s, .len = tar->len };

	ret->n = 0;
	while (ustar_next(&u, &ret->m[ret->n], NULL) == 1)
		ret->n++;
	ck_assert_uint_eq(ret->n, 5);
}

static void
together(const struct members *m, struct str *ret)
{
	for (size_t i = 0; i < m->n; i++)
		ustar_add(ret, m->m[i].name, m->m[i].data, m->m[i].len);
	ustar_end(ret);
}

static char held[8][65536];

static void
set(struct members *m, size_t at, const char *data, size_t len)
{
	ck_assert_uint_lt(len, sizeof held[0]);
	memcpy(held[at], data, len);
	m->m[at].data = held[at];
	m->m[at].len = len;
}

static void
checkpoint_twice(struct members *m, struct bed *b)
{
	(void)b;
	memcpy(&m->m[3], &m->m[0], sizeof m->m[0]);	/* twice */
}

static void
drop_tree(struct members *m, struct bed *b)
{
	(void)b;
	memmove(&m->m[1], &m->m[2], 3 * sizeof m->m[0]);
	m->n--;
}

static void
drop_record(struct members *m, struct bed *b)
{
	const char *lf = memchr(m->m[2].data, '\n', m->m[2].len);

	(void)b;
	set(m, 2, m->m[2].data, (size_t)(lf + 1 - m->m[2].data));
}

static void
swap_records(struct members *m, struct bed *b)
{
	const char *p = m->m[2].data;
	size_t n = (size_t)((const char *)memchr(p, '\n', m->m[2].len) + 1 - p);
	struct str s;

	(void)b;
	str_init(&s, 65536);
	str_addn(&s, p + n, m->m[2].len - n);
	str_addn(&s, p, n);
	set(m, 2, s.s, s.len);
	str_clear(&s);
}

static void
more_records(struct members *m, struct bed *b)
{
	struct str s;

	(void)b;
	str_init(&s, 65536);
	str_addn(&s, m->m[2].data, m->m[2].len);
	str_addn(&s, m->m[2].data, m->m[2].len);
	set(m, 2, s.s, s.len);
	str_clear(&s);
}

static void
other_output(struct members *m, struct bed *b)
{
	(void)b;
	set(m, 4, "nothing\n", 8);
}

static void
other_policy(struct members *m, struct bed *b)
{
	struct str s;

	(void)b;
	str_init(&s, 65536);
	str_addn(&s, m->m[3].data, m->m[3].len);
	str_add(&s, "// and more\n");
	set(m, 3, s.s, s.len);
	str_clear(&s);
}

static void
output_of_nobody(struct members *m, struct bed *b)
{
	(void)b;
	snprintf(m->m[4].name, sizeof m->m[4].name, "out/readme.txt");
}

/* By a stranger, over the same tree. */
static void
signed_by_a_stranger(struct members *m, struct bed *b)
{
	static const unsigned char seed[SIGN_SEED] = { 99 };
	struct sealed s;
	struct str out;
	unsigned char pub[SIGN_PUB];
	char sig[SIGN_SIG_HEX + 1];

	(void)b;
	ck_assert_int_eq(note_open(m->m[0].data, m->m[0].len, &s, NULL), 0);
	sign_make(seed, s.text, strlen(s.text), sig);
	sign_public(seed, pub);
	str_init(&out, NOTE_MAX);
	note_seal(s.text, sig, pub, &out);
	set(m, 0, out.s, out.len);
	str_clear(&out);
}

/* An older checkpoint of the same log, by the approver. */
static void
older_checkpoint(struct members *m, struct bed *b)
{
	struct testlog t;
	struct str note;

	testlog_new(&t);
	str_init(&note, NOTE_MAX);
	ck_assert_int_eq(testlog_checkpoint(&t, &note, NULL), 0);
	set(m, 0, note.s, note.len);
	str_clear(&note);
	testlog_end(&t);
	(void)b;
}

/* A record and the tree's word for it, changed together. */
static void
record_and_tree(struct members *m, struct bed *b)
{
	struct digest was, is;
	char from[DIGEST_HEX + 1], to[DIGEST_HEX + 1], *p;
	const char *first = m->m[2].data;
	size_t n = (size_t)((const char *)memchr(first, '\n', m->m[2].len) -
	    first), at;

	(void)b;
	chain_hash(first + n + 1, (size_t)((const char *)memchr(first + n + 1,
	    '\n', m->m[2].len - n - 1) - first) - n - 1, &was);
	set(m, 2, first, m->m[2].len);
	set(m, 1, m->m[1].data, m->m[1].len);
	p = memmem(held[2] + n + 1, m->m[2].len - n - 1, "claude", 6);
	ck_assert_ptr_nonnull(p);
	memcpy(p, "clauda", 6);
	at = n + 1;
	chain_hash(held[2] + at, (size_t)((char *)memchr(held[2] + at, '\n',
	    m->m[2].len - at) - held[2]) - at, &is);
	digest_hex(&was, from);
	digest_hex(&is, to);
	p = memmem(held[1], m->m[1].len, from, DIGEST_HEX);
	ck_assert_ptr_nonnull(p);
	memcpy(p, to, DIGEST_HEX);
}

static const struct {
	const char	*name;
	void		(*fn)(struct members *, struct bed *);
	const char	*member;
} attacks[] = {
	{ "a member twice", checkpoint_twice, "checkpoint" },
	{ "no tree", drop_tree, "archive" },
	{ "a record left out", drop_record, "records.jsonl" },
	{ "records in another order", swap_records, "records.jsonl" },
	{ "more records than the tree has", more_records, "records.jsonl" },
	{ "another output", other_output, "out/" },
	{ "another policy", other_policy, "policy" },
	{ "an output of nobody", output_of_nobody, "out/readme.txt" },
	{ "signed by a stranger", signed_by_a_stranger, "checkpoint" },
	{ "a checkpoint of another log", older_checkpoint, "tree" },
	{ "a record and its hash", record_and_tree, "tree" },
};

START_TEST(an_archive_of_somebody_else)
{
	struct members m;
	struct evidence v;
	struct str s;
	struct bed b;

	bed_up(&b);
	members(&b.tar, &m);
	attacks[_i].fn(&m, &b);
	str_init(&s, EVIDENCE_MAX);
	together(&m, &s);
	v = look(&s, NULL);
	ck_assert_msg(!v.good && str_starts(v.member, attacks[_i].member),
	    "%s: %s:%d: %s", attacks[_i].name, v.member, (int)v.line, v.why);
	str_clear(&s);
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
	tcase_add_loop_test(tc, an_archive_of_somebody_else, 0,
	    (int)ARRAY_LEN(attacks));
	tcase_add_test(tc, no_evidence_of_what_was_changed);
)
