/*
 * approver/watched.h - what a watch watches: one queue over several projects.
 *
 * One person, one key, any number of folders; the oldest request comes first,
 * whichever folder it lies in.  Each is judged by its own policy and recorded
 * in its own log.
 */
#ifndef APPROVER_WATCHED_H
#define APPROVER_WATCHED_H

#include "approver/approve.h"
#include "approver/desk.h"
#include "approver/notify.h"
#include "approver/signer.h"

struct watched {
	struct desk		*desks;
	size_t			 n;		/* at least one */
	struct signer		*signer;
	const struct notify_how	*notify;
};

/* A request that waits or is held, and where. */
struct sighting {
	unsigned		 place;		/* index into desks */
	const struct entry	*entry;
};
struct sightings {
	struct sighting	*s;			/* oldest first */
	size_t		 n;
	size_t		 more;			/* beyond what was listed */
	struct entries	*lists;			/* private: owns the entries */
	size_t		 n_lists;
};

/*
 * Look at all of them.  One that cannot be looked at (its queue is broken, its
 * folder was moved away) lists nothing, and watched_trouble says so; -1 when
 * that is all of them.
 */
int	watched_look(const struct watched *, struct sightings *ret,
	    struct err *);
void	sightings_clear(struct sightings *);

/*
 * Tidy up after crashes and sync the logs, if it is time: every two seconds
 * while something is held, else seldom; the first time soon after the first
 * look.  *last is the caller's, 0 at first.  -1 as with watched_look.
 */
int	watched_sweep(const struct watched *, bool busy, int64_t *last,
	    struct err *);

/* Could this folder not be looked at?  Nothing is known of its requests. */
bool	watched_is_lost(const struct watched *, unsigned place);
/* What went wrong and was not said yet: once each.  False: nothing. */
bool	watched_trouble(const struct watched *, struct err *ret);

/*
 * decide() in the folder `place`, with our environment; what a deny would
 * remember is left out.
 */
int	watched_decide(const struct watched *, unsigned place, struct deed *,
	    struct decided *ret, struct err *);
/* "approved, running" and the like. */
const char *watched_said(const struct deed *, const struct decided *);

/* The homes, as watch_open() wants them; free the array. */
const struct home **watched_homes(const struct watched *);

#endif
