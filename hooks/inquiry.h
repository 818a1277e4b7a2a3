/*
 * hooks/inquiry.h - one question to a human, apart from how its asker waits.
 *
 *	queue_open(...), await_open(...)	the bell before the question
 *	inquiry_put(...)			joined or published, recorded
 *	await_wait(...)				the asker's own affair
 *	inquiry_take(...)			believed, collected, recorded
 *	inquiry_done(...)			the words for a run
 *
 * A hook has one, the MCP server as many as its client has calls.
 */
#ifndef HOOKS_INQUIRY_H
#define HOOKS_INQUIRY_H

#include "hooks/collect.h"
#include "hooks/gate.h"
#include "queue/queue.h"

struct inquiry {
	struct request	req;		/* ours, or the one we joined */
	struct ticket	ticket;		/* owner: we published it */
	char		id[ID_MAX + 1];
};
#define INQUIRY_INIT	{ .ticket = { .fd = -1 } }

/* Drops the lock that shows the asker alive; takes nothing back. */
void	inquiry_clear(struct inquiry *);

/* The queue's limits as this policy has them. */
struct queue_limits inquiry_limits(const struct policy *);

/*
 * Join what the same call already asked, else ask.  What cannot be recorded is
 * not asked.
 */
int	inquiry_put(struct gate *, const struct hook_input *, struct queue *,
	    struct inquiry *ret, struct err *);

/* Somebody is at it: watching, or already executing this request. */
bool	inquiry_attended(const struct home *, struct queue *, const char *id);

/*
 * The answer is there: check it, become its collector, record that.  Takes the
 * time anew.
 */
int	inquiry_take(struct gate *, const struct hook_input *, struct queue *,
	    const struct inquiry *, struct collected *ret, struct err *);

/* What a run printed, in its frame, in at most `units` (hooks/reason.h). */
void	inquiry_done(const struct gate *, const struct inquiry *,
	    const struct collected *, size_t units, struct str *ret);

#endif
