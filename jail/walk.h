/*
 * jail/walk.h - look at everything below a directory, following nothing.
 *
 * Each directory is read whole before its entries are told, so that the teller
 * can say whether it has the shape of a git directory.  Links are entries, not
 * ways; directories that cannot be opened are passed over, and so are files of
 * loose objects below a `.git`.  What changes
 * meanwhile is seen before or after the change, never through a link.
 */
#ifndef JAIL_WALK_H
#define JAIL_WALK_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "common/err.h"

#define WALK_MAX	2000000		/* entries, over all walks of a run */

struct walk_entry {
	const char	*path;		/* absolute */
	const char	*name;		/* its last component */
	int		 dirfd;		/* the directory it lies in */
	unsigned char	 type;		/* DT_DIR, DT_LNK, ...; never unknown */
	ino_t		 ino;
	bool		 in_git;	/* its directory is a git directory */
	unsigned	 depth;		/* directories between it and the top */
	bool		 deepest;	/* what is in it will not be told */
	unsigned	 refused;	/* so many times, by walk_below alone */
};

enum walk_next { WALK_ON, WALK_SKIP /* do not enter it */ };
typedef enum walk_next walk_fn(void *arg, const struct walk_entry *);

/* As many as we may have: each level takes one.  The limit was `ret_before`. */
void	walk_raise(struct rlimit *ret_before);

/* Is the last component `.git`, in any case? */
bool	walk_is_git(const char *path);

/* Has a call failed because there are no descriptors left?  Asks errno. */
bool	walk_is_short(void);

/* `budget` counts down over several walks; an error when it is used up. */
int	walk(const char *top, walk_fn *fn, void *arg, long *budget,
	    struct err *e);

/*
 * The same below a directory that is being told, down to the same depth.  For
 * who must see everything: a directory that is there and cannot be opened is
 * told again, with `refused` counting from 1, until it can or WALK_SKIP is
 * returned, and one that no descriptor is left for, or no room, as a deepest
 * one.  `budget` is of the entries that are kept at the same time.
 */
int	walk_below(const struct walk_entry *, walk_fn *fn, void *arg,
	    long *budget, struct err *e);

#endif
