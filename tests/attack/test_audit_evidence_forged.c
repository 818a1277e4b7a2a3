/*
 * Archives put together by somebody else, each part whole in itself: found,
 * and the member that does not belong is named.
 */
#include "tests/attack/evidence_bed.h"

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

UNIT_MAIN("attack/audit/evidence, forged",
	tcase_add_loop_test(tc, an_archive_of_somebody_else, 0,
	    (int)ARRAY_LEN(attacks));
)
