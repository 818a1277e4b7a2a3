/*
 * jail/sweep_git.h - what git would act on; part of jail/sweep.c.
 */
#ifndef JAIL_SWEEP_GIT_H
#define JAIL_SWEEP_GIT_H

#include "jail/sweep_aside.h"
#include "jail/walk.h"

/* An entry of a git directory: configuration, hooks, what leads elsewhere. */
enum walk_next	sweep_git(struct sweeper *, const struct walk_entry *);

/* Is it a hook of a git directory? */
bool	sweep_git_hook(const struct walk_entry *);

/*
 * Where git runs hooks from that was not held: in a work tree that is new, or
 * as a configuration says that somebody outside has changed.  What allows
 * changing configurations allows as much.
 */
void	sweep_git_runs(struct sweeper *);

/* Is it a `.git` file or link to where this sweep does not look? */
bool	sweep_git_leads_out(const struct sweeper *, const struct walk_entry *);

#endif
