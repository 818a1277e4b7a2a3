/*
 * jail/sweep_aside.h - what a sweep does with a name; part of jail/sweep.c.
 */
#ifndef JAIL_SWEEP_ASIDE_H
#define JAIL_SWEEP_ASIDE_H

#include "jail/scan.h"

struct sweeper {
	const struct spec	*spec;
	const struct scene	*scene;
	struct list		*notes;
	size_t			 said;		/* and not all noted */
	size_t			 stayed;	/* what ought to be gone */
	struct list		 given;		/* MARK_OPEN: not looked at */
	struct list		 later;		/* links not judged yet */
	struct list		 gits;		/* jail/gitleads.h */
	size_t			 room;		/* left for these two */
	long			 behind;	/* budget of the links */
	long			 open;		/* of all other walks */
};
#define SWEEP_ROOM	(64UL << 20)	/* bytes */

/*
 * Put a path into one of these lists, for when all has been seen.  False: it is
 * longer than what a program could be given, or there is no room.
 */
bool	sweep_remember(struct sweeper *, struct list *, const char *path);

/* A line for the user: the path, made visible, and what about it. */
void	sweep_say(struct sweeper *, const char *path, const char *what);

/*
 * Give it another name, and say so.  Returns 0 if it is gone.  Its directory
 * may have been closed so that it stays.
 */
int	sweep_aside(struct sweeper *, int dirfd, const char *name,
	    const char *path, const char *why);

/* The same, with a name that no link can have been made for before. */
int	sweep_aside_unforeseen(struct sweeper *, int dirfd, const char *name,
	    const char *path, const char *why);

/*
 * A directory by its real path.  Outside the mounts do not hold us, so no link
 * that was put on the way may lead us elsewhere.
 */
int	sweep_dir(const char *path);

/*
 * Who closed a directory to its owner hides what is in it from us.  Where it
 * cannot be opened, the walk into it tells.
 */
void	sweep_open(struct sweeper *, int dirfd, const char *name,
	    const char *path);

/*
 * Again, because a walk was refused for the n-th time: somebody closes it
 * meanwhile.  False, and said, after enough of it.
 */
bool	sweep_open_again(struct sweeper *, int dirfd, const char *name,
	    const char *path, unsigned n);

/* Does a real path lie in a writable place? */
bool	sweep_roots_have(const struct sweeper *, const char *path);

/*
 * Does it lie in a place that the caller gave (struct jail_gifts)?  Such can be
 * written and is not looked at, though it may lie in a writable place.
 */
bool	sweep_given(const struct sweeper *, const char *path);

#endif
