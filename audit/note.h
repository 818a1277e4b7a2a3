/*
 * audit/note.h - a checkpoint as C2SP signed note (c2sp.org/tlog-checkpoint).
 *
 *	sandbox-audit-v1/0123456789abcdef0123456789abcdef
 *	41
 *	<root of the tree over records 0 .. 40, base64>
 *	chain <their last record's hash, 64 hex>
 *
 *	— sandbox-audit-v1/0123... <base64 of 4 bytes key hash, 64 signature>
 *
 * The first four lines with their LF are what is signed, by an approver.  The
 * fourth is an extension line: it ties the checkpoint to the hash chain, so
 * that it also holds where the tree cannot be computed again because an
 * archive is gone.  Pure.
 */
#ifndef AUDIT_NOTE_H
#define AUDIT_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/sign.h"
#include "common/str.h"

#define NOTE_ORIGIN	"sandbox-audit-v1/"
#define NOTE_MAX	1024
/* The last one, in the folder `audit`. */
#define CHECKPOINT_FILE	"checkpoint"

struct note {
	char		project[33];
	uint64_t	size;		/* records it vouches for */
	struct digest	root;
	struct digest	chain;		/* of record size - 1 */
};

void	note_encode(const struct note *, struct str *ret);
/* Exactly what note_encode writes; ERR_FORMAT when not. */
int	note_decode(const char *text, struct note *ret, struct err *);

/* Text and signature as one signed note. */
void	note_seal(const char *text, const char *sig_hex,
	    const unsigned char pub[static SIGN_PUB], struct str *ret);

/* The same from key hash and signature as they were. */
void	note_seal_raw(const char *text, const void *raw68, struct str *ret);

/* A signed note taken apart: what note_seal writes, for the key it names. */
struct sealed {
	char		text[NOTE_MAX];
	char		sig[SIGN_SIG_HEX + 1];
	unsigned char	key_hash[4];
	struct note	note;
};
int	note_open(const char *sealed, size_t len, struct sealed *ret,
	    struct err *);
/* Is it this key's, and does its signature hold? */
bool	note_by(const struct sealed *,
	    const unsigned char pub[static SIGN_PUB]);

/* Base64 as C2SP uses it; take: exactly n bytes, or -1. */
void	note_base64(const void *, size_t n, struct str *ret);
int	note_base64_get(const char *, size_t len, void *ret, size_t n);

#endif
