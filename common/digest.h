/*
 * common/digest.h - BLAKE2b-256 (RFC 7693, libsodium's crypto_generichash) and
 * lower-case hex.  Call digest_setup() once per process before anything else
 * here or in common/sign.h.
 */
#ifndef COMMON_DIGEST_H
#define COMMON_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sodium.h>

#include "common/err.h"

#define DIGEST_BYTES	32
#define DIGEST_HEX	64	/* characters, without the NUL */

struct digest {
	unsigned char	b[DIGEST_BYTES];
};

int	digest_setup(struct err *);

/* One shot.  `key` is a C string naming the purpose, or NULL. */
void	digest_of(const void *, size_t len, const char *key,
	    struct digest *ret);

/* Piece by piece: begin, add..., end. */
struct digest_state {
	crypto_generichash_state	st;
};
void	digest_begin(struct digest_state *, const char *key);
void	digest_add(struct digest_state *, const void *, size_t len);
void	digest_add_u64(struct digest_state *, uint64_t);	/* big endian */
/* Length first, then the bytes: two fields can never be read as one. */
void	digest_add_field(struct digest_state *, const void *, size_t len);
void	digest_end(struct digest_state *, struct digest *ret);

/* The content of an open file from its beginning, at most max bytes. */
int	digest_fd(int fd, size_t max, struct digest *ret, struct err *);

bool	digest_eq(const struct digest *, const struct digest *);

void	hex_put(const void *, size_t len, char *ret);	/* 2 * len + NUL */
/* Exactly 2 * len lower-case digits and nothing behind; else -1. */
int	hex_get(const char *, void *ret, size_t len);
void	digest_hex(const struct digest *, char ret[static DIGEST_HEX + 1]);
int	digest_parse(const char *hex, struct digest *ret);	/* -1: no */

#endif
