/*
 * jail/gitleads.h - where git configurations that exist lead: to hooks
 * elsewhere than git has them itself (core.hooksPath), and to more
 * configuration (include.path, includeIf.*.path).
 *
 *	gitleads_users(...)	for each home
 *	gitleads_file(...)	for each configuration
 *	gitleads_trees(...)	for the directories that hooks are run in
 *	gitleads_paths(...)
 *	gitleads_clear(...)
 *
 * What lies there is run by git outside, so it stays as it is.  Read more
 * kindly than by git: what git would not take is followed all the same.
 */
#ifndef JAIL_GITLEADS_H
#define JAIL_GITLEADS_H

#include "jail/list.h"

struct gitleads {
	const char	*home;		/* "~" in them; the caller sets it */
	struct list	 hooks;		/* as they are written */
	struct list	 includes;	/* absolute */
	struct list	 trees;
};

/* A configuration, and what it includes; one that is not there is none. */
void	gitleads_file(struct gitleads *, const char *path);
/* The same of a text that lies in `dir`; what it includes is not read. */
void	gitleads_text(struct gitleads *, const char *text, const char *dir);
/* The user's own configurations, which count in every work tree. */
void	gitleads_users(struct gitleads *, const char *home);
/* Relative hooks begin in the next `up` directories above path. */
void	gitleads_trees(struct gitleads *, const char *path, int up);

/* Absolute normal paths, there or not. */
void	gitleads_paths(const struct gitleads *, struct list *ret);
void	gitleads_clear(struct gitleads *);

#endif
