/*
 * approver/remember.h - writing down what a human wants remembered.
 *
 * A person's wish is a text, "SCOPE" or "SCOPE:UNTIL": scope as in
 * policy/remember.h, until "session" (when nothing is said), so many minutes of
 * it ("20m"), "today" or YYYY-MM-DD (the end of that day, at most a year from
 * now).  decide() takes
 * it in deed.remember and calls the rest; a screen needs remember_prepare() for
 * what it would amount to.
 */
#ifndef APPROVER_REMEMBER_H
#define APPROVER_REMEMBER_H

#include "approver/desk.h"
#include "approver/key.h"
#include "policy/remember.h"
#include "queue/request.h"

/*
 * What the judgement on the desk and the wish amount to, complete but for the
 * signature.  ERR_USAGE with what is possible, ERR_PERMITTED when it cannot be
 * remembered.  No wish (NULL): nothing, and the two below then do nothing.
 */
int	remember_prepare(struct desk *, const struct request *,
	    const char *wish, const struct clock *,
	    struct remembered *ret, struct err *);

/* Signed by the key, which is unlocked. */
void	remember_seal(struct remembered *, const char *project,
	    const struct key *);

/* Record it in the log, then put it into the file. */
int	remember_store(struct desk *, const struct remembered *,
	    const struct clock *, struct err *);

/*
 * Forget by id or unique prefix (ERR_NO_ID): mark, record, rewrite.  `key` is
 * unlocked.
 */
int	remember_forget(const struct home *, struct audit *, const char *prefix,
	    const struct key *, const struct clock *, struct err *);

#endif
