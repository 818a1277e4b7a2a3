/*
 * audit/checkpoint.h - an approver puts a name to everything so far.
 *
 * A checkpoint is a signed note (note.h) over all records before it.  It is
 * appended as a record of kind `checkpoint` and kept as audit/checkpoint.
 * What it covers need not be checked signature by signature again, so it is
 * only made of a log that verifies: the records behind the last checkpoint
 * with all their signatures, what that one covers by hash and root.
 */
#ifndef AUDIT_CHECKPOINT_H
#define AUDIT_CHECKPOINT_H

#include <stdbool.h>

#include "audit/note.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/sign.h"
#include "common/str.h"

#define CHECKPOINT_EVERY	1024	/* records */
#define CHECKPOINT_MS		60000

struct checkpoint_order {
	const char		*project, *genesis;
	const struct keyring	*believed;	/* as in verify_options */
	const unsigned char	*seed;		/* the approver's */
	const struct clock	*clock;
};

/*
 * Make one and append the sealed note to ret.  When nothing was recorded since
 * the last one, that one is returned.  ERR_PERMITTED when the log is not what
 * was written: `sandbox audit verify` says how.
 */
int	audit_checkpoint(int privfd, const struct checkpoint_order *,
	    struct str *ret, struct err *);

/* The last one.  ERR_SETUP when there is none. */
int	audit_checkpoint_last(int privfd, struct sealed *ret, struct err *);

/*
 * Are 1024 records without one, or one that is 60 s old and something newer?
 * Costs two small reads; whoever holds an unlocked key asks now and then.
 */
bool	audit_checkpoint_due(int privfd, const struct clock *);

#endif
