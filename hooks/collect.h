/*
 * hooks/collect.h - believe an answer, or do not.
 *
 * Everything under `.sandbox` may be forged, an answer file first of all.  It
 * counts when an approver's signature covers the digest of the very request
 * this call asked, a one-run key certified by that approval signed the result,
 * and H(output) and H(text) are the signed ones.  The two outcomes that a
 * sweeper without a key writes carry no text and can only deny.
 */
#ifndef HOOKS_COLLECT_H
#define HOOKS_COLLECT_H

#include <stdbool.h>

#include "audit/statement.h"
#include "common/clock.h"
#include "queue/queue.h"

struct collected {
	struct answer	answer;
	struct approval	approval;	/* not for the sweeper's two */
	struct result	result;		/* of OUTCOME_DONE */
	bool		copy;		/* someone else collected it first */
};
void	collected_init(struct collected *);
void	collected_clear(struct collected *);

/* What the caller asked: an answer to anything else is a forgery. */
struct collect_ask {
	const struct home	*home;
	const struct keyring	*approvers;
	const char		*id;
	const struct request	*req;	/* with its bytes */
	const struct clock	*now;
	bool			 owner;	/* this process published it */
};

/*
 * Is this answer what it says?  ERR_PERMITTED when not.  An allow_once past
 * its time is ERR_LOST.
 */
int	collect_check(const struct collect_ask *, const struct answer *,
	    struct approval *ret_approval, struct result *ret_result,
	    struct err *);

/*
 * Read, check, become the one collector.  Where the ledger cannot be written,
 * the process that published the request may use its answer, unless that
 * answer is an allow_once.
 */
int	collect(struct queue *, const struct collect_ask *,
	    struct collected *ret, struct err *);

#endif
