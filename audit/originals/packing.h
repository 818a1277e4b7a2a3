/*
 * audit/originals/packing.h - bytes made small, over libzstd.
 *
 * The only file of the house that knows the library.  Internal to the room.
 */
#ifndef AUDIT_ORIGINALS_PACKING_H
#define AUDIT_ORIGINALS_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/str.h"

struct bytes {
	const void	*p;
	size_t		 len;
};

/*
 * Append one frame that holds `in`; with a base, as the difference to it
 * (len 0: none).
 */
int	packing_pack(struct bytes in, struct bytes base, struct str *ret,
	    struct err *);

/* The reverse; exactly `len` bytes must come out. */
int	packing_unpack(struct bytes frame, struct bytes base, size_t len,
	    struct str *ret, struct err *);

/* What a thread keeps for the next time; at its end. */
void	packing_release(void);

/* Piece by piece, without a base.  A sink takes what comes out. */
typedef int pack_sink_fn(void *arg, const void *, size_t, struct err *);
struct packer;
struct packer *packer_new(bool unpack, pack_sink_fn *, void *arg);
int	packer_add(struct packer *, const void *, size_t, struct err *);
/* The frame must be whole by now. */
int	packer_end(struct packer *, struct err *);
void	packer_free(struct packer *);

#endif
