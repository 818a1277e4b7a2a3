#include "common/sign.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define FIELD_MAX	4096
#define KEYS_MAX	64
#define NAME_MAX_LEN	64

void
sign_public(const unsigned char seed[static SIGN_SEED],
    unsigned char ret_pub[static SIGN_PUB])
{
	unsigned char sk[crypto_sign_SECRETKEYBYTES];

	crypto_sign_seed_keypair(ret_pub, sk, seed);
	sodium_memzero(sk, sizeof sk);
}

void
sign_make(const unsigned char seed[static SIGN_SEED], const void *text,
    size_t len, char ret[static SIGN_SIG_HEX + 1])
{
	unsigned char pub[SIGN_PUB], sig[SIGN_SIG];
	unsigned char sk[crypto_sign_SECRETKEYBYTES];

	crypto_sign_seed_keypair(pub, sk, seed);
	crypto_sign_detached(sig, NULL, text, len, sk);
	sodium_memzero(sk, sizeof sk);
	hex_put(sig, sizeof sig, ret);
}

bool
sign_ok(const unsigned char pub[static SIGN_PUB], const void *text, size_t len,
    const char *sig_hex)
{
	unsigned char sig[SIGN_SIG];

	return hex_get(sig_hex, sig, sizeof sig) == 0 &&
	    crypto_sign_verify_detached(sig, text, len, pub) == 0;
}

static bool
field_ok(const char *s, size_t len)
{
	static const char good[] = "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ:._/-";

	return len > 0 && len <= FIELD_MAX && strspn(s, good) >= len;
}

int
stmt_split(const char *stmt, const char *title, size_t n, const char *ret[],
    char **store, struct err *e)
{
	auto_free char *copy = xstrdup(stmt);
	char *p = copy;

	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(p, "\n");

		if (p[len] != '\n' || !field_ok(p, len))
			return err_set(e, ERR_FORMAT,
			    "field %zu of a statement is damaged", i);
		p[len] = '\0';
		if (i == 0 && strcmp(p, title) != 0)
			return err_set(e, ERR_FORMAT,
			    "not a statement of kind '%s'", title);
		ret[i] = p;
		p += len + 1;
	}
	if (*p != '\0')
		return err_set(e, ERR_FORMAT, "a statement has surplus fields");
	*store = mem_steal(&copy);
	return 0;
}

void
stmt_add(struct str *s, const char *field)
{
	if (!field_ok(field, strlen(field)))
		BUG("a forbidden byte in a statement");
	str_add(s, field);
	str_addc(s, '\n');
}

/* One line, without its newline; 1 when it held a key, 0 for none. */
static int
parse_key_line(char *line, struct key_entry *ret)
{
	static const char type[] = "ed25519 ";
	char *name;

	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if (!str_starts(line, type))
		return -1;
	line += sizeof type - 1;
	if (strlen(line) < SIGN_PUB_HEX + 2 || line[SIGN_PUB_HEX] != ' ')
		return -1;
	line[SIGN_PUB_HEX] = '\0';
	name = line + SIGN_PUB_HEX + 1;
	if (hex_get(line, ret->pub, SIGN_PUB) == -1 ||
	    strlen(name) > NAME_MAX_LEN || !utf8_ok(name, strlen(name)))
		return -1;
	ret->name = xstrdup(name);
	return 1;
}

int
keyring_parse(const char *text, size_t len, struct keyring *ret,
    struct err *e)
{
	auto_free char *copy = xstrndup(text, len);
	struct keyring k = { .keys = xcalloc(KEYS_MAX, sizeof *k.keys) };
	char *next = copy, *line;
	unsigned number = 0;

	if (strlen(copy) != len) {
		keyring_clear(&k);
		return err_set(e, ERR_FORMAT, "a NUL in a list of keys");
	}
	while ((line = strsep(&next, "\n")) != NULL) {
		struct key_entry entry = { 0 };
		int got = parse_key_line(line, &entry);

		number++;
		if (got == -1 || (got == 1 && k.n == KEYS_MAX)) {
			free(entry.name);
			keyring_clear(&k);
			return err_set(e, ERR_FORMAT, "line %u: %s", number,
			    got == -1 ? "not a key" : "too many keys");
		}
		if (got == 1)
			k.keys[k.n++] = entry;
	}
	*ret = k;
	return 0;
}

void
keyring_clear(struct keyring *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->keys[i].name);
	free(k->keys);
	*k = (struct keyring){ 0 };
}

const struct key_entry *
keyring_verify(const struct keyring *k, const void *text, size_t len,
    const char *sig_hex)
{
	for (size_t i = 0; i < k->n; i++)
		if (sign_ok(k->keys[i].pub, text, len, sig_hex))
			return &k->keys[i];
	return NULL;
}

const struct key_entry *
keyring_find(const struct keyring *k, const char *pub_hex)
{
	unsigned char pub[SIGN_PUB];

	if (hex_get(pub_hex, pub, sizeof pub) == -1)
		return NULL;
	for (size_t i = 0; i < k->n; i++)
		if (memcmp(k->keys[i].pub, pub, sizeof pub) == 0)
			return &k->keys[i];
	return NULL;
}
