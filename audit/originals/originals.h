/*
 * audit/originals/originals.h - what an agent changes can be given back.
 *
 * Before a call changes a path, what lies there is kept; afterwards, what came
 * of it.  Either is a list of paths with their contents' digests; the list is
 * itself a content of the store, and its digest goes into the record of the
 * call in the audit log: "originals" before, "changed" behind.
 *
 *	originals_open(...)
 *	originals_before(o, targets, n, hex, e)		then record hex
 *	...the call runs...
 *	originals_after(o, hex, changed, e)		then record changed
 *	originals_close(o)
 *
 * Only the project's own files are kept, those that can be: docs/ORIGINALS.md
 * has the limits and the bytes.  A store that fails is an error and the caller
 * must not go on; a file that cannot be kept is said in the list.
 */
#ifndef AUDIT_ORIGINALS_ORIGINALS_H
#define AUDIT_ORIGINALS_ORIGINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"

/* The names of the fields in records; the last is a restore's alone. */
#define ORIGINALS_FIELD	"originals"
#define CHANGED_FIELD	"changed"
#define WANTED_FIELD	"wanted"

struct originals;

/* Who waits decides how much may be kept for one call. */
enum originals_patience {
	ORIGINALS_HOOK = 0,	/* an agent's client waits 10 s at most */
	ORIGINALS_RUNNER	/* a human has approved and waits */
};

/* Makes the store when there is none.  `root` is the project. */
int	originals_open(int privfd, int rootfd, const char *root_path,
	    enum originals_patience, struct originals **ret, struct err *);
void	originals_close(struct originals *);

/*
 * Calls may keep so many bytes between two sweeps (originals_collect); what
 * would be more is not kept, and the call's `lost` says so.  Nobody fills the
 * disk with originals, or has older ones swept, without being asked about.
 * 0 (default): no such limit.
 */
void	originals_budget(struct originals *, uint64_t bytes);

/* A path that is about to change; absolute, anything outside is left out. */
struct originals_target {
	const char	*path;		/* where it leads, without a link */
	const char	*named;		/* as it was given, or NULL */
	bool		 whole;		/* and everything below it */
};

/*
 * The digest of the list, or "" when there is nothing to keep.  ret_lost (may
 * be NULL): a file's content could not be kept, because it is too large, not
 * readable, or one of too many.
 */
int	originals_before(struct originals *, const struct originals_target *,
	    size_t n, char ret[static DIGEST_HEX + 1], bool *ret_lost,
	    struct err *);

/*
 * What of the list `before` is different now: the digest of the list of how it
 * is, or "" when nothing is.  Below a directory that was not there before
 * everything is listed.
 */
int	originals_after(struct originals *, const char *before,
	    char ret[static DIGEST_HEX + 1], struct err *);

/*
 * Let go of what is too old or too much, oldest first, whole records at a
 * time: a "file.forgotten" record says up to which one before anything goes.
 * Contents that nobody names go too.  Does nothing while somebody adds or
 * restores, and spares what an interrupted restore needs.
 */
struct originals_keep {
	uint64_t	bytes;		/* on the disk */
	int64_t		ms;		/* age */
};
struct audit;
struct clock;
struct originals_gone {
	size_t		objects;
	uint64_t	bytes;		/* of them */
	uint64_t	left;		/* still there */
	uint64_t	upto;		/* records; 0: none */
};
int	originals_collect(int privfd, struct audit *, const struct clock *,
	    const struct originals_keep *, struct originals_gone *ret,
	    struct err *);
/*
 * Was that long ago (a day, or the clock went back), or came half of what may
 * be kept since?
 */
bool	originals_collect_due(int privfd, const struct clock *,
	    const struct originals_keep *);

/*
 * All of the project but what tools make, once for a session: the digest of
 * the list, or "" when this session has one.  What is unchanged since an
 * earlier one is not read again.  `ret_cut`: there was more than time or
 * limits allowed.
 */
struct baseline {
	char	list[DIGEST_HEX + 1];
	size_t	files;
	bool	cut;
};
int	originals_baseline(struct originals *, const char *session,
	    int64_t wall_ms, struct baseline *ret, struct err *);
/* It is recorded: this session has one.  Before, it would be taken again. */
int	originals_baseline_noted(struct originals *, const char *session,
	    const struct baseline *, struct err *);

#endif
