/*
 * audit/chain.h - the bytes of a line, found by offset.
 *
 *	{"v":1,"seq":"000000000041","prev":"<64>","next":"<64>","kind":"...
 *	... ,"sig":"<128>"}
 *
 * Pure.  What links the records (seq, prev, next, sig) is read from its fixed
 * place in the raw bytes; no JSON reader stands between the bytes that were
 * signed and the bytes that are checked.
 */
#ifndef AUDIT_CHAIN_H
#define AUDIT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/sign.h"
#include "common/str.h"

#define CHAIN_RECORD_MAX	65536		/* a line without its LF */
#define CHAIN_SEQ_MAX		999999999999ULL	/* 12 digits */

struct chain_line {
	uint64_t	 seq;
	struct digest	 prev;
	unsigned char	 next[SIGN_PUB];
	const char	*kind;		/* borrowed, kind_len characters */
	size_t		 kind_len;
	char		 sig[SIGN_SIG_HEX + 1];
	size_t		 signed_len;	/* the first bytes, which sig covers */
};

/* Everything up to and without the kind's name. */
void	chain_put_prefix(uint64_t seq, const struct digest *prev,
	    const unsigned char next[static SIGN_PUB], struct str *ret);
void	chain_put_sig(const unsigned char sig[static SIGN_SIG],
	    struct str *ret);

/* Has the line this shape?  The hex and the digits are checked too. */
bool	chain_parse(const char *line, size_t len, struct chain_line *ret);

/* What the next record's `prev` must be. */
void	chain_hash(const char *line, size_t len, struct digest *ret);

bool	chain_kind_is(const struct chain_line *, const char *kind);

#endif
