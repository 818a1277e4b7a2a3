/*
 * jail/gitread.h - what a git configuration says about where git goes.
 *
 * Read more kindly than by git: what git would not take is followed all the
 * same.
 */
#ifndef JAIL_GITREAD_H
#define JAIL_GITREAD_H

#include "jail/list.h"

struct gitread {
	const char	*home;		/* "~" in them; the caller sets it */
	struct list	 hooks;		/* core.hooksPath, as they are written
					   but for "~name" */
	struct list	 trees;		/* core.worktree; absolute */
	struct list	 includes;	/* absolute */
};

/* A configuration, and what it includes; one that is not there is none. */
void	gitread_file(struct gitread *, const char *path);
/* The same of a text that lies in `dir`; what it includes is not read. */
void	gitread_text(struct gitread *, const char *text, const char *dir);
void	gitread_clear(struct gitread *);

#endif
