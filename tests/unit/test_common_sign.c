/* common/digest, common/sign: published vectors, and exact reading. */
#include "common/sign.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/io.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static struct err e;

static void
setup(void)
{
	ck_assert_int_eq(digest_setup(&e), 0);
}

/* BLAKE2b-256, as `b2sum -l 256` prints it. */
static const struct {
	const char	*text, *hex;
} vectors[] = {
	{ "", "0e5751c026e543b2e8ab2eb06099daa1"
	    "d1e5df47778f7787faab45cdf12fe3a8" },
	{ "abc", "bddd813c634239723171ef3fee98579b"
	    "94964e3bb1cb3e427262c8c068d52319" },
};

START_TEST(digest_vectors)
{
	struct digest d, again;
	char hex[DIGEST_HEX + 1];

	digest_of(vectors[_i].text, strlen(vectors[_i].text), NULL, &d);
	digest_hex(&d, hex);
	ck_assert_str_eq(hex, vectors[_i].hex);
	ck_assert_int_eq(digest_parse(hex, &again), 0);
	ck_assert(digest_eq(&d, &again));
}
END_TEST

START_TEST(digest_pieces_equal_the_whole)
{
	struct digest_state s;
	struct digest a, b;

	digest_of("hello world", 11, "purpose", &a);
	digest_begin(&s, "purpose");
	digest_add(&s, "hello", 5);
	digest_add(&s, " world", 6);
	digest_end(&s, &b);
	ck_assert(digest_eq(&a, &b));
	digest_of("hello world", 11, "another", &b);
	ck_assert(!digest_eq(&a, &b));
	digest_of("hello world", 11, NULL, &b);
	ck_assert(!digest_eq(&a, &b));
}
END_TEST

START_TEST(digest_fields_cannot_run_together)
{
	struct digest_state s;
	struct digest a, b;

	digest_begin(&s, NULL);
	digest_add_field(&s, "ab", 2);
	digest_add_field(&s, "c", 1);
	digest_end(&s, &a);
	digest_begin(&s, NULL);
	digest_add_field(&s, "a", 1);
	digest_add_field(&s, "bc", 2);
	digest_end(&s, &b);
	ck_assert(!digest_eq(&a, &b));

	digest_begin(&s, NULL);
	digest_add_u64(&s, 0x0102030405060708);
	digest_end(&s, &a);
	digest_of("\1\2\3\4\5\6\7\10", 8, NULL, &b);
	ck_assert(digest_eq(&a, &b));
}
END_TEST

START_TEST(digest_of_a_file)
{
	FILE *f = tmpfile();
	struct digest a, b;
	auto_free char *big = xcalloc(100000, 1);
	int fd = fileno(f);

	memset(big, 'z', 100000);
	ck_assert_int_eq(io_write_all(fd, big, 100000, &e), 0);
	digest_of(big, 100000, NULL, &a);
	ck_assert_int_eq(digest_fd(fd, 100000, &b, &e), 0);
	ck_assert(digest_eq(&a, &b));
	ck_assert_int_eq(digest_fd(fd, 99999, &b, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_int_eq(digest_fd(-1, 99999, &b, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYSTEM);
	fclose(f);
}
END_TEST

START_TEST(hex_is_exact)
{
	unsigned char b[2];
	char out[5];

	ck_assert_int_eq(hex_get("00ff", b, 2), 0);
	ck_assert_mem_eq(b, "\x00\xff", 2);
	hex_put(b, 2, out);
	ck_assert_str_eq(out, "00ff");
	ck_assert_int_eq(hex_get("00f", b, 2), -1);
	ck_assert_int_eq(hex_get("00ff0", b, 2), -1);
	ck_assert_int_eq(hex_get("00FF", b, 2), -1);
	ck_assert_int_eq(hex_get("00f ", b, 2), -1);
	ck_assert_int_eq(hex_get("0x0f", b, 2), -1);
	ck_assert_int_eq(hex_get("", b, 0), 0);
}
END_TEST

/* RFC 8032, section 7.1, tests 1 to 3. */
static const struct {
	const char	*seed, *pub, *text, *sig;
	size_t		 len;
} ed25519[] = {
	{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
	    "",
	    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
	    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
	    0 },
	{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
	    "\x72",
	    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
	    1 },
	{ "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
	    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
	    "\xaf\x82",
	    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
	    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
	    2 },
};

START_TEST(sign_vectors)
{
	unsigned char seed[SIGN_SEED], pub[SIGN_PUB];
	char hex[SIGN_PUB_HEX + 1], sig[SIGN_SIG_HEX + 1];

	ck_assert_int_eq(hex_get(ed25519[_i].seed, seed, sizeof seed), 0);
	sign_public(seed, pub);
	hex_put(pub, sizeof pub, hex);
	ck_assert_str_eq(hex, ed25519[_i].pub);
	sign_make(seed, ed25519[_i].text, ed25519[_i].len, sig);
	ck_assert_str_eq(sig, ed25519[_i].sig);
	ck_assert(sign_ok(pub, ed25519[_i].text, ed25519[_i].len, sig));
	ck_assert(!sign_ok(pub, "other", 5, sig));
	for (size_t i = 0; i < SIGN_SIG_HEX; i++) {
		char old = sig[i];

		sig[i] = old == '0' ? '1' : '0';
		ck_assert(!sign_ok(pub, ed25519[_i].text, ed25519[_i].len,
		    sig));
		sig[i] = old;
	}
	sig[SIGN_SIG_HEX - 1] = '\0';
	ck_assert(!sign_ok(pub, ed25519[_i].text, ed25519[_i].len, sig));
	ck_assert(!sign_ok(pub, ed25519[_i].text, ed25519[_i].len, ""));
}
END_TEST

START_TEST(statements_split_one_way)
{
	auto_str struct str s = { 0 };
	auto_free char *store = NULL;
	const char *f[3];

	str_init(&s, 10000);
	stmt_add(&s, "sandbox-test-v1");
	stmt_add(&s, "a-b_c.D/0:9");
	stmt_add(&s, "-");
	ck_assert_str_eq(s.s, "sandbox-test-v1\na-b_c.D/0:9\n-\n");
	ck_assert_int_eq(stmt_split(s.s, "sandbox-test-v1", 3, f, &store, &e),
	    0);
	ck_assert_str_eq(f[0], "sandbox-test-v1");
	ck_assert_str_eq(f[1], "a-b_c.D/0:9");
	ck_assert_str_eq(f[2], "-");
}
END_TEST

static const char *const bad_statements[] = {
	"", "\n", "t", "t\n", "t\na", "t\na\nb", "t\na\nb\nc\n", "t\na\nb\n\n",
	"x\na\nb\n", "T\na\nb\n", "t\n\nb\n", "t\na b\nb\n", "t\na\r\nb\n",
	" t\na\nb\n", "t\na\tb\nb\n", "t\na\xc3\xbc\nb\n", "t\na'\nb\n",
	"tt\na\nb\n", "t\na\\n\nb\n", "\nt\na\nb\n",
};

START_TEST(damaged_statements_are_refused)
{
	char *store = NULL;
	const char *f[3];

	ck_assert_int_eq(stmt_split(bad_statements[_i], "t", 3, f, &store,
	    &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_ptr_null(store);
}
END_TEST

START_TEST(statement_fields_have_a_length)
{
	auto_free char *field = xcalloc(4098, 1);
	auto_str struct str s = { 0 };
	auto_free char *store = NULL;
	char *none = NULL;
	const char *f[2];

	str_init(&s, 10000);
	memset(field, 'a', 4096);
	stmt_add(&s, "t");
	stmt_add(&s, field);
	ck_assert_int_eq(stmt_split(s.s, "t", 2, f, &store, &e), 0);
	ck_assert_str_eq(f[1], field);
	field[4096] = 'a';
	str_reset(&s);
	str_addf(&s, "t\n%s\n", field);
	ck_assert_int_eq(stmt_split(s.s, "t", 2, f, &none, &e), -1);
}
END_TEST

static const char *const bad_fields[] = { "", "a b", "a\n", "\xc3\xbc", "\"" };

START_TEST(forbidden_fields_are_bugs)
{
	struct str s;

	fclose(stderr);
	str_init(&s, 100);
	stmt_add(&s, bad_fields[_i]);
}
END_TEST

#define PUB1 "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
#define PUB2 "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"

START_TEST(keyring_finds_its_keys)
{
	static const char text[] = "# mine\n\ned25519 " PUB1 " J\xc3\xbc\n"
	    "ed25519 " PUB2 " two words";
	unsigned char seed[SIGN_SEED];
	char sig[SIGN_SIG_HEX + 1];
	struct keyring k;
	const struct key_entry *got;

	ck_assert_int_eq(keyring_parse(text, sizeof text - 1, &k, &e), 0);
	ck_assert_uint_eq(k.n, 2);
	ck_assert_str_eq(k.keys[0].name, "J\xc3\xbc");
	ck_assert_str_eq(k.keys[1].name, "two words");

	ck_assert_int_eq(hex_get(ed25519[1].seed, seed, sizeof seed), 0);
	sign_make(seed, "text", 4, sig);
	got = keyring_verify(&k, "text", 4, sig);
	ck_assert_ptr_eq(got, &k.keys[1]);
	ck_assert_ptr_null(keyring_verify(&k, "Text", 4, sig));
	ck_assert_int_eq(hex_get(ed25519[2].seed, seed, sizeof seed), 0);
	sign_make(seed, "text", 4, sig);
	ck_assert_ptr_null(keyring_verify(&k, "text", 4, sig));
	ck_assert_ptr_null(keyring_verify(&k, "text", 4, ""));

	ck_assert_ptr_eq(keyring_find(&k, PUB1), &k.keys[0]);
	ck_assert_ptr_null(keyring_find(&k, ed25519[2].pub));
	ck_assert_ptr_null(keyring_find(&k, "d75a"));
	keyring_clear(&k);
	ck_assert_uint_eq(k.n, 0);
}
END_TEST

START_TEST(keyring_may_be_empty)
{
	struct keyring k;

	ck_assert_int_eq(keyring_parse("", 0, &k, &e), 0);
	ck_assert_uint_eq(k.n, 0);
	ck_assert_ptr_null(keyring_find(&k, PUB1));
	keyring_clear(&k);
}
END_TEST

static const char *const bad_rings[] = {
	"rsa " PUB1 " n\n", "ed25519  " PUB1 " n\n", "ed25519 " PUB1 "\n",
	"ed25519 " PUB1 " \n", "ed25519 " PUB1 "n\n", " ed25519 " PUB1 " n\n",
	"ed25519 D75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a n",
	"ed25519 " PUB1 " \xff\n", "ed25519 d75a n\n", "x\n",
	"ed25519 " PUB1 " ok\ngarbage\n", "ed25519 " PUB1 "0 n\n",
	"ed25519 " PUB1 " 12345678901234567890123456789012345678901234567890"
	"123456789012345\n",
};

START_TEST(damaged_rings_are_refused_whole)
{
	struct keyring k = { 0 };

	ck_assert_int_eq(keyring_parse(bad_rings[_i], strlen(bad_rings[_i]),
	    &k, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_ptr_null(k.keys);
}
END_TEST

START_TEST(keyring_refuses_nul_and_floods)
{
	struct keyring k = { 0 };
	auto_str struct str s = { 0 };

	ck_assert_int_eq(keyring_parse("#a\0b\n", 5, &k, &e), -1);
	str_init(&s, 65 * 100);
	for (int i = 0; i < 64; i++)
		str_addf(&s, "ed25519 " PUB1 " %d\n", i);
	ck_assert_int_eq(keyring_parse(s.s, s.len, &k, &e), 0);
	ck_assert_uint_eq(k.n, 64);
	keyring_clear(&k);
	str_add(&s, "ed25519 " PUB1 " x\n");
	ck_assert_int_eq(keyring_parse(s.s, s.len, &k, &e), -1);
	ck_assert_str_eq(e.text, "line 65: too many keys");
}
END_TEST

UNIT_MAIN("common/sign",
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, digest_vectors, 0, (int)ARRAY_LEN(vectors));
	tcase_add_test(tc, digest_pieces_equal_the_whole);
	tcase_add_test(tc, digest_fields_cannot_run_together);
	tcase_add_test(tc, digest_of_a_file);
	tcase_add_test(tc, hex_is_exact);
	tcase_add_loop_test(tc, sign_vectors, 0, (int)ARRAY_LEN(ed25519));
	tcase_add_test(tc, statements_split_one_way);
	tcase_add_loop_test(tc, damaged_statements_are_refused, 0,
	    (int)ARRAY_LEN(bad_statements));
	tcase_add_test(tc, statement_fields_have_a_length);
	tcase_add_loop_test_raise_signal(tc, forbidden_fields_are_bugs,
	    SIGABRT, 0, (int)ARRAY_LEN(bad_fields));
	tcase_add_test(tc, keyring_finds_its_keys);
	tcase_add_test(tc, keyring_may_be_empty);
	tcase_add_loop_test(tc, damaged_rings_are_refused_whole, 0,
	    (int)ARRAY_LEN(bad_rings));
	tcase_add_test(tc, keyring_refuses_nul_and_floods);
)
