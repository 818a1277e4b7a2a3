/*
 * audit/spool.h - claims from where the log cannot be reached.
 *
 * A hook that runs inside the jail sees no private directory.  It leaves a
 * claim in the folder that it does see, `.sandbox/escalations/spool/`, one
 * file per record:
 *
 *	{"v":1,"kind":"tool.done","session":"...","agent":"...","id":"...",
 *	 "t_wall_ms":N,"fields":{...}}
 *
 * The host side takes them into the log as records of kind `claim`, with the
 * claimed kind in `claimed`, when it was said to be in `claimed_ms`, and the
 * fields as a *text* in `said`: whoever looks for a field of a record in the
 * raw bytes never finds one of a claim.  A claim proves nothing: whoever can
 * write the folder can make one or take one away.  It says so by its kind, and
 * no other record ever comes of it.
 */
#ifndef AUDIT_SPOOL_H
#define AUDIT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "audit/audit.h"

#define SPOOL_CLAIM_MAX	16384	/* bytes of a file */
#define SPOOL_AT_ONCE	256	/* files taken in one call */
#define SPOOL_FULL	8192	/* files; then no more are left */

/* Leave a claim; whole or not at all.  ERR_LOST when too many wait. */
int	audit_spool_put(int spoolfd, const struct event *,
	    const struct clock *, struct err *);

/*
 * Take claims into the log and remove their files; what is no claim is removed
 * and counted in ret_bad.  -1: the log cannot be written, and what is left
 * stays for the next call.
 */
struct spool_taken {
	size_t	taken, bad, left;
};
int	audit_spool_take(struct audit *, int spoolfd, const struct clock *,
	    struct spool_taken *ret, struct err *);

#endif
