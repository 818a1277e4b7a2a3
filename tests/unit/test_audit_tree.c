/*
 * The tree of RFC 9162 and the signed note, against values computed elsewhere.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/note.h"
#include "audit/tree.h"
#include "common/mem.h"

#define N	70

static struct digest leaves[N];

static void
leaves_make(void)
{
	ck_assert_int_eq(digest_setup(NULL), 0);
	for (int i = 0; i < N; i++)
		digest_of(&i, sizeof i, NULL, &leaves[i]);
}

/* The definition, word for word: split at the largest power of two. */
static void
slow_root(size_t from, size_t to, struct digest *ret)
{
	unsigned char in[65] = { 0 };
	size_t k = 1;

	if (to - from == 1) {
		memcpy(in + 1, leaves[from].b, DIGEST_BYTES);
		crypto_hash_sha256(ret->b, in, 33);
		return;
	}
	while (k * 2 < to - from)
		k *= 2;
	in[0] = 1;
	slow_root(from, from + k, ret);
	memcpy(in + 1, ret->b, DIGEST_BYTES);
	slow_root(from + k, to, ret);
	memcpy(in + 33, ret->b, DIGEST_BYTES);
	crypto_hash_sha256(ret->b, in, 65);
}

static void
range(size_t from, size_t to, struct tree_range *ret)
{
	tree_begin(ret, from);
	for (size_t i = from; i < to; i++)
		tree_add(ret, &leaves[i]);
}

START_TEST(the_empty_tree)
{
	static const char want[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e464"
	    "9b934ca495991b7852b855";
	struct tree_range r;
	struct digest d;
	char hex[DIGEST_HEX + 1];

	tree_begin(&r, 0);
	tree_root(&r, &d);
	digest_hex(&d, hex);
	ck_assert_str_eq(hex, want);
}
END_TEST

START_TEST(the_root_is_the_definitions)
{
	leaves_make();
	for (size_t n = 1; n <= N; n++) {
		struct tree_range r;
		struct digest got, want;

		range(0, n, &r);
		tree_root(&r, &got);
		slow_root(0, n, &want);
		ck_assert(digest_eq(&got, &want));
	}
}
END_TEST

START_TEST(ranges_join_wherever_they_are_cut)
{
	struct digest want;

	leaves_make();
	slow_root(0, N, &want);
	for (size_t a = 0; a <= N; a++) {
		for (size_t b = a; b <= N; b++) {
			struct tree_range r, s, t;
			struct digest got;

			range(0, a, &r);
			range(a, b, &s);
			range(b, N, &t);
			ck_assert(tree_join(&r, &s));
			ck_assert(tree_join(&r, &t));
			tree_root(&r, &got);
			ck_assert(digest_eq(&got, &want));
			ck_assert(b == N || !tree_join(&r, &t));
		}
	}
}
END_TEST

START_TEST(a_path_proves_its_record_and_no_other)
{
	leaves_make();
	for (size_t n = 1; n <= N; n++) {
		struct tree_range all;
		struct tree_claim c = { .size = n };

		range(0, n, &all);
		tree_root(&all, &c.root);
		for (size_t i = 0; i < n; i++) {
			struct tree_range before, behind;
			struct digest path[TREE_PATH];

			range(0, i, &before);
			range(i + 1, n, &behind);
			c.index = i;
			c.record = leaves[i];
			c.path = path;
			c.n = tree_path(&before, &behind, path);
			ck_assert_uint_le(c.n, 7);
			ck_assert(tree_path_ok(&c));
			c.record.b[31] ^= 1;
			ck_assert(!tree_path_ok(&c));
			c.record = leaves[i];
			for (size_t p = 0; p < c.n; p++) {
				path[p].b[0] ^= 0x80;
				ck_assert(!tree_path_ok(&c));
				path[p].b[0] ^= 0x80;
			}
			c.index = n;
			ck_assert(!tree_path_ok(&c));
			c.index = i;
			c.n++;
			ck_assert(!tree_path_ok(&c));
		}
	}
}
END_TEST

static const unsigned char seed[SIGN_SEED] = { 42 };

static void
sealed_make(struct str *ret)
{
	struct note n = { .project = "0123456789abcdef0123456789abcdef",
		.size = 41 };
	struct str text;
	unsigned char pub[SIGN_PUB];
	char sig[SIGN_SIG_HEX + 1];

	leaves_make();
	n.root = leaves[1];
	n.chain = leaves[2];
	str_init(&text, NOTE_MAX);
	str_init(ret, NOTE_MAX);
	note_encode(&n, &text);
	sign_make(seed, text.s, text.len, sig);
	sign_public(seed, pub);
	note_seal(text.s, sig, pub, ret);
	str_clear(&text);
}

START_TEST(a_note_opens_as_it_was_sealed)
{
	unsigned char pub[SIGN_PUB], other[SIGN_PUB] = { 1 };
	struct sealed s;
	struct str text;

	sealed_make(&text);
	sign_public(seed, pub);
	ck_assert_int_eq(note_open(text.s, text.len, &s, NULL), 0);
	ck_assert_uint_eq(s.note.size, 41);
	ck_assert(digest_eq(&s.note.root, &leaves[1]));
	ck_assert(digest_eq(&s.note.chain, &leaves[2]));
	ck_assert(note_by(&s, pub));
	ck_assert(!note_by(&s, other));
	str_clear(&text);
}
END_TEST

START_TEST(no_bit_of_a_note_is_free)
{
	unsigned char pub[SIGN_PUB];
	struct str text;

	sealed_make(&text);
	sign_public(seed, pub);
	for (size_t i = 0; i < text.len * 8; i++) {
		struct sealed s;

		text.s[i / 8] ^= (char)(1 << i % 8);
		ck_assert_msg(note_open(text.s, text.len, &s, NULL) == -1 ||
		    !note_by(&s, pub), "bit %zu", i);
		text.s[i / 8] ^= (char)(1 << i % 8);
	}
	for (size_t n = 0; n < text.len; n++) {
		struct sealed s;

		ck_assert_int_eq(note_open(text.s, n, &s, NULL), -1);
	}
	str_clear(&text);
}
END_TEST

UNIT_MAIN("audit/tree",
	tcase_add_test(tc, the_empty_tree);
	tcase_add_test(tc, the_root_is_the_definitions);
	tcase_add_test(tc, ranges_join_wherever_they_are_cut);
	tcase_add_test(tc, a_path_proves_its_record_and_no_other);
	tcase_add_test(tc, a_note_opens_as_it_was_sealed);
	tcase_add_test(tc, no_bit_of_a_note_is_free);
)
