/*
 * audit/originals/inside.h - an object's bytes and names, as the store's own
 * files share them.
 *
 *	 0	"sbxorig1"
 *	 8	length of the content	big endian
 *	16	length of the frame	big endian
 *	24	1: a difference to `base`
 *	32	base, or zeroes
 *	64	the frame
 */
#ifndef AUDIT_ORIGINALS_INSIDE_H
#define AUDIT_ORIGINALS_INSIDE_H

#include <stdatomic.h>

#include "audit/originals/store.h"

#define HEADER_MAGIC	"sbxorig1"
#define HEADER_BYTES	64
#define OBJECT_NAME	(DIGEST_HEX + 2)	/* a slash and a NUL */
#define TMP_NAME	32

struct store {
	int		dir, objects, tmp, last, lock, pending;
	atomic_uint	n_tmp;
	atomic_ullong	added;		/* bytes of new objects */
};

struct header {
	uint64_t	raw, stored;
	bool		delta;
	struct digest	base;
};

void	object_name(const struct digest *, char ret[static OBJECT_NAME]);
void	header_put(const struct header *,
	    unsigned char ret[static HEADER_BYTES]);
/* Behind its header; ERR_NO_ID or ERR_DIGEST. */
int	object_open(struct store *, const struct digest *, struct header *ret,
	    struct err *);
void	tmp_name(struct store *, char ret[static TMP_NAME]);
/* Move tmp/NAME to where the digest says. */
int	object_publish(struct store *, const char *tmp, const struct digest *,
	    struct err *);

#endif
