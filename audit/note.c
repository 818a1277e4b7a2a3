#include "audit/note.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define DASH		"\xe2\x80\x94 "		/* U+2014 and a space */
#define B64		sodium_base64_VARIANT_ORIGINAL
#define SIG_BYTES	(4 + SIGN_SIG)
#define PROJECT		32

void
note_base64(const void *p, size_t n, struct str *ret)
{
	size_t max = sodium_base64_ENCODED_LEN(n, B64);
	auto_free char *text = xcalloc(max, 1);

	sodium_bin2base64(text, max, p, n, B64);
	str_add(ret, text);
}

int
note_base64_get(const char *text, size_t len, void *ret, size_t n)
{
	auto_str struct str again = { 0 };
	size_t got;

	if (sodium_base642bin(ret, n, text, len, NULL, &got, NULL, B64) != 0 ||
	    got != n)
		return -1;
	/* Some bytes above 0x7f pass as letters there. */
	str_init(&again, sodium_base64_ENCODED_LEN(n, B64));
	note_base64(ret, n, &again);
	return again.len == len && memcmp(again.s, text, len) == 0 ? 0 : -1;
}

void
note_encode(const struct note *n, struct str *ret)
{
	char hex[DIGEST_HEX + 1];

	str_addf(ret, NOTE_ORIGIN "%s\n%" PRIu64 "\n", n->project, n->size);
	note_base64(n->root.b, DIGEST_BYTES, ret);
	digest_hex(&n->chain, hex);
	str_addf(ret, "\nchain %s\n", hex);
}

int
note_decode(const char *text, struct note *ret, struct err *e)
{
	char root[64] = "", hex[DIGEST_HEX + 1] = "";
	auto_str struct str again = { 0 };
	struct note n = { 0 };

	if (sscanf(text, NOTE_ORIGIN "%32[0-9a-f]\n%13" SCNu64
	    "\n%60[A-Za-z0-9+/=]\nchain %64[0-9a-f]\n", n.project, &n.size,
	    root, hex) != 4 ||
	    note_base64_get(root, strlen(root), n.root.b, DIGEST_BYTES) == -1 ||
	    digest_parse(hex, &n.chain) == -1)
		return err_set(e, ERR_FORMAT, "not a checkpoint's text");
	/* One spelling only. */
	str_init(&again, NOTE_MAX);
	note_encode(&n, &again);
	if (!str_eq(again.s, text) || strlen(n.project) != PROJECT)
		return err_set(e, ERR_FORMAT, "not a checkpoint's text");
	*ret = n;
	return 0;
}

/* SHA-256 of name, LF, the algorithm's number and the key. */
static void
key_hash(const char *name, const unsigned char *pub, unsigned char ret[4])
{
	crypto_hash_sha256_state st;
	unsigned char out[crypto_hash_sha256_BYTES];

	crypto_hash_sha256_init(&st);
	crypto_hash_sha256_update(&st, (const unsigned char *)name,
	    strlen(name));
	crypto_hash_sha256_update(&st, (const unsigned char *)"\n\x01", 2);
	crypto_hash_sha256_update(&st, pub, SIGN_PUB);
	crypto_hash_sha256_final(&st, out);
	memcpy(ret, out, 4);
}

static void
key_name(const char *text, char ret[static 64])
{
	size_t n = strcspn(text, "\n");

	snprintf(ret, 64, "%.*s", (int)n, text);
}

void
note_seal(const char *text, const char *sig_hex,
    const unsigned char pub[static SIGN_PUB], struct str *ret)
{
	unsigned char raw[SIG_BYTES];
	char name[64];

	key_name(text, name);
	key_hash(name, pub, raw);
	if (hex_get(sig_hex, raw + 4, SIGN_SIG) == -1)
		BUG("a signature that is not hex");
	note_seal_raw(text, raw, ret);
}

void
note_seal_raw(const char *text, const void *raw68, struct str *ret)
{
	char name[64];

	key_name(text, name);
	str_addf(ret, "%s\n" DASH "%s ", text, name);
	note_base64(raw68, SIG_BYTES, ret);
	str_addc(ret, '\n');
}

int
note_open(const char *sealed, size_t len, struct sealed *ret, struct err *e)
{
	static const char gap[] = "\n\n" DASH;
	struct sealed s = { 0 };
	unsigned char raw[SIG_BYTES];
	char name[64];
	const char *blank = memmem(sealed, len, gap, sizeof gap - 1);
	const char *end = sealed + len, *b64;

	if (blank == NULL || blank - sealed + 2 > (long)sizeof s.text ||
	    memchr(sealed, '\0', len) != NULL)
		return err_set(e, ERR_FORMAT, "not a signed note");
	memcpy(s.text, sealed, (size_t)(blank + 1 - sealed));
	if (note_decode(s.text, &s.note, e) == -1)
		return -1;
	key_name(s.text, name);
	b64 = blank + sizeof gap - 1 + strlen(name) + 1;
	if (b64 >= end || end[-1] != '\n' || b64[-1] != ' ' ||
	    memcmp(blank + sizeof gap - 1, name, strlen(name)) != 0 ||
	    note_base64_get(b64, (size_t)(end - 1 - b64), raw, sizeof raw) ==
	    -1)
		return err_set(e, ERR_FORMAT,
		    "a checkpoint without its one signature line");
	memcpy(s.key_hash, raw, 4);
	hex_put(raw + 4, SIGN_SIG, s.sig);
	*ret = s;
	return 0;
}

bool
note_by(const struct sealed *s, const unsigned char pub[static SIGN_PUB])
{
	unsigned char want[4];
	char name[64];

	key_name(s->text, name);
	key_hash(name, pub, want);
	return memcmp(want, s->key_hash, 4) == 0 &&
	    sign_ok(pub, s->text, strlen(s->text), s->sig);
}
