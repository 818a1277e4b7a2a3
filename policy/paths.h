/*
 * policy/paths.h - from a path a program was given to a fact.
 *
 * A path is joined with every directory the command may run in, walked as the
 * kernel would (the world tells), and classified: inside the project or not,
 * guarded, secret, a device.  What cannot be walked or is not fully known is
 * judged by the worst it could be.
 */
#ifndef POLICY_PATHS_H
#define POLICY_PATHS_H

#include "policy/facts.h"

enum path_use {
	PATH_LIST = 0,	/* names and sizes: ls, stat, test, find */
	PATH_READ,	/* the content */
	PATH_TREE,	/* the content of everything below */
	PATH_KEEP,	/* a change whose original is kept */
	PATH_MERGE,	/* the same, and perhaps of all below it */
	PATH_STAGE,	/* PATH_KEEP of what others see then: git add */
	PATH_MOVE,	/* it goes elsewhere with all below it */
	PATH_ALIAS,	/* a second name for it is made */
	PATH_WRITE,	/* a change that is not kept */
	PATH_DELETE,
	PATH_WIPE,	/* delete or change everything below */
	PATH_TOOL	/* Write or Edit, the agent's own tools */
};

#define CWD_MAX	8

/* The directories a command may run in: all of them are judged. */
struct cwds {
	const char	*dir[CWD_MAX];
	size_t		 n;
	bool		 unknown;	/* or anywhere else */
};

/* Where a value was written: for spans, rules and relative paths. */
struct site {
	const struct cwds	*cwds;
	const struct command	*cmd;
	struct span		 span;
};

void	paths_add(struct facts *, enum path_use, const char *value,
	    const struct site *);

/*
 * Absolute and without ".", "..", "//", lexically; NULL when it is too long.
 * What stands before a ".." that leaves an unknown component is unknown too.
 */
const char *paths_join(struct arena *, const char *cwd, const char *value);

/*
 * What value names where the command runs: /proc/self/cwd and its like are
 * ours while we judge, and are replaced before any ".." behind them is taken.
 * The value itself where there is none of them; NULL: nobody can tell.
 */
const char *paths_own(struct arena *, const char *cwd, const char *value);

/* Might it be one of those, so that a directory matters to it? */
bool	paths_is_own(const char *value);

/* Where value leads from cwd, links followed; NULL: nobody can tell. */
const char *paths_lead(struct facts *, const char *cwd, const char *value);

#endif
