/*
 * common/sign.h - Ed25519 over exact bytes, and the list of keys one trusts.
 *
 * Nothing is re-serialised on a trust path: what was signed is kept as the
 * string it was and verified as that string.
 *
 * A statement is a text of lines, each ended by LF, holding only ids, lower
 * case hex, integers and fixed words, never free text:
 *
 *	sandbox-approval-v1\n
 *	<field>\n
 *	...
 *
 * so that it splits in exactly one way.  Which fields a statement has is said
 * by the room that writes it.
 */
#ifndef COMMON_SIGN_H
#define COMMON_SIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

#define SIGN_SEED	32
#define SIGN_PUB	32
#define SIGN_SIG	64
#define SIGN_PUB_HEX	64
#define SIGN_SIG_HEX	128

/* The public half of a seed. */
void	sign_public(const unsigned char seed[static SIGN_SEED],
	    unsigned char ret_pub[static SIGN_PUB]);

/* Hex signature of text[0..len) into ret (129 bytes). */
void	sign_make(const unsigned char seed[static SIGN_SEED],
	    const void *text, size_t len, char ret[static SIGN_SIG_HEX + 1]);

/* Does `sig_hex` sign these bytes under `pub`?  Bad hex is a no. */
bool	sign_ok(const unsigned char pub[static SIGN_PUB], const void *text,
	    size_t len, const char *sig_hex);

/*
 * Split a statement: exactly n lines, the first equal to `title`, every field
 * 1..4096 bytes of [0-9a-zA-Z:._/-] or a single space-free word.  The pointers
 * in ret point into *store, which the caller frees after use.
 */
int	stmt_split(const char *stmt, const char *title, size_t n,
	    const char *ret[], char **store, struct err *);

/* Append one field and its LF.  A forbidden byte is a BUG. */
void	stmt_add(struct str *, const char *field);

/* --- keyring: lines `ed25519 <64 hex> <name>`, # comments --- */
struct key_entry {
	unsigned char	 pub[SIGN_PUB];
	char		*name;
};
struct keyring {
	struct key_entry *keys;
	size_t		  n;
};

/* At most 64 keys; a line that cannot be read refuses the whole list. */
int	keyring_parse(const char *text, size_t len, struct keyring *ret,
	    struct err *);
void	keyring_clear(struct keyring *);
/* The key that made this signature, or NULL. */
const struct key_entry *keyring_verify(const struct keyring *,
	    const void *text, size_t len, const char *sig_hex);
const struct key_entry *keyring_find(const struct keyring *,
	    const char *pub_hex);

#endif
