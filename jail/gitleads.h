/*
 * jail/gitleads.h - where git configurations that exist lead: to hooks
 * elsewhere than git has them itself (core.hooksPath), and to more
 * configuration (include.path, includeIf.*.path).
 *
 *	gitleads_users(...)	for each home
 *	gitleads_system(...)
 *	gitleads_above(...)	for each writable place
 *	gitleads_add(...)	for each git directory in them
 *	gitleads_paths(...)
 *	gitleads_clear(...)
 *
 * What lies there is run by git outside, so it stays as it is.  A repository
 * that is only reached from here (a linked work tree's, a submodule's, one that
 * a writable place lies in) is as good as one that lies here.
 */
#ifndef JAIL_GITLEADS_H
#define JAIL_GITLEADS_H

#include "jail/list.h"
#include "jail/walk.h"

struct gitleads {
	const char	*home;		/* "~" in them; the caller sets it */
	struct list	 hooks;		/* of every work tree, as written */
	struct list	 paths;		/* absolute; some twice */
};

/* What counts in every work tree, first of all. */
void	gitleads_users(struct gitleads *, const char *home);
/* The machine's, and what variables name instead. */
void	gitleads_system(struct gitleads *, char *const *environ);

/* The git directory, or `.git` of any kind, that an entry shows, or NULL. */
char	*gitleads_shown(const struct walk_entry *);
/*
 * One of these: a git directory, or a file or link named `.git` that leads to
 * one.  Hooks are run in it, or in the directory above.
 */
void	gitleads_add(struct gitleads *, const char *path);
/* The repositories in whose work trees a directory lies. */
void	gitleads_above(struct gitleads *, const char *path);

/*
 * Absolute normal paths, there or not, each once; taken out, so that other
 * directories may be added after them.
 */
void	gitleads_paths(struct gitleads *, struct list *ret);
void	gitleads_clear(struct gitleads *);

#endif
