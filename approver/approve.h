/*
 * approver/approve.h - a human's word becomes a deed, once.
 *
 *	decide(desk, signer, &(struct deed){ id, shown, ... }, &view, e)
 *
 * The order is the promise (docs/QUEUE.md):
 *
 *	lock run/<id>		nobody else decides meanwhile
 *	judge again		from the raw request; policy's deny stays
 *	compare			with the digest the human saw, all of it
 *	unlock, ask again	passphrase; critical
 *	sign
 *	judge and compare again	a person may take long over a passphrase
 *	look at the log		what cannot be recorded is not used up
 *	take, consume, record	from here on it never runs twice
 *	run, remember |		the rule, if that was wished: recorded, then
 *	remember, answer	in force
 *
 * Nothing runs before all of it is on disk.  The steps from `take` on are
 * rows of a table; each may be used once and only after the ones it needs.
 * INT, QUIT, TERM and HUP wait until the last of them is done.
 */
#ifndef APPROVER_APPROVE_H
#define APPROVER_APPROVE_H

#include <sys/types.h>

#include "approver/attach.h"
#include "approver/desk.h"
#include "approver/remember.h"
#include "approver/signer.h"
#include "audit/statement.h"

struct deed {
	const char		*id;	/* whole */
	const struct digest	*shown;	/* NULL only for a deny */
	bool			 deny;
	const char		*text;	/* the human's words, or NULL */
	const char		*edited; /* the command to run instead, or NULL;
					   `shown` is then its view's */
	const struct attach	*attach; /* give it this terminal, or NULL */
	char *const		*own_env;	/* the approver's environment */
	/* SCOPE[:UNTIL] as in approver/remember.h; NULL: remember nothing */
	const char		*remember;
};

struct decided {
	enum decision	decision;
	pid_t		runner;		/* DECISION_RUN */
	bool		background;
	char		remembered[REMEMBER_ID + 1];	/* "": nothing */
	/* Not a code of 0: it is decided, but what was wished is not
	   remembered, and this says why. */
	struct err	unremembered;
};

/*
 * ERR_LOST: someone else, expired, withdrawn.  ERR_DIGEST: not what was
 * shown.  ERR_PERMITTED: policy denies it, or the human did not agree.  The
 * caller has asked human_only() before.
 */
int	decide(struct desk *, struct signer *, const struct deed *,
	    struct decided *ret, struct err *);

#endif
