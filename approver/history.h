/*
 * approver/history.h - what was decided here before, and did this very call
 * run?
 *
 * Asked of the private side only: a closed request in the folder proves
 * nothing, so its words count only if they are the bytes that an approval in
 * the ledger names.
 *
 * A watch asks again and again and keeps what it read; the newest
 * HISTORY_RUNS runs count, so that neither time nor memory grows with age.
 */
#ifndef APPROVER_HISTORY_H
#define APPROVER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/str.h"
#include "queue/home.h"
#include "queue/queue.h"

#define HISTORY_MAX	8
#define HISTORY_SIMILAR	64	/* so many decisions are looked at */
#define HISTORY_RUNS	1000

struct past {
	char	id[39];
	int64_t	ago_s;
	char	outcome[24];
};

struct history;
struct history	*history_new(const struct home *);	/* borrows it */
void		 history_free(struct history *);

/* Runs of this call, the newest first; returns how many. */
size_t	history_of(struct history *, const struct digest *call_key,
	    const struct clock *, struct past ret[static HISTORY_MAX]);

/* Calls that are alike (summary_like) but not the same. */
struct similar {
	size_t	session;	/* of all kinds: decided in its session */
	size_t	ran, allowed, denied;
	char	outcome[64];	/* of the newest that ran: "exit 0" */
	char	text[256];	/* with the newest denial, raw, perhaps cut */
};
/*
 * Of the newest HISTORY_SIMILAR decisions.  The words come from the folder and
 * count only if they are the ones that were signed.
 */
void	history_similar(struct history *, struct queue *,
	    const struct request *, struct similar *ret);

/* H(scripts) of what was approved then; -1: not known. */
int	history_scripts(const struct home *, const char *id,
	    struct digest *ret);

/* --- rows for "what is over" --- */

struct decided_before {
	char		id[ID_MAX + 1];
	char		session[72];		/* raw, perhaps cut */
	char		how[64];		/* "exit 0 after 3.1 s" */
	struct str	line;			/* one line, raw */
	/* What was asked, if those are the bytes that were decided; else NULL.
	   Borrowed for as long as `each` is called. */
	const struct request *req;
	bool		edited;			/* another command ran */
	bool		denied, has_text;
	struct digest	text;			/* H of the human's words */
	int64_t		end_ms;			/* wall; 0: it did not run */
};
/*
 * The newest `max` that were decided, oldest first, each given to `each`.
 */
void	history_each(const struct home *, struct queue *, size_t max,
	    void (*each)(void *, const struct decided_before *), void *arg);

#endif
