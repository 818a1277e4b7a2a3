/*
 * policy/world_git.h - what `git` run in a directory would be told to start.
 */
#ifndef POLICY_WORLD_GIT_H
#define POLICY_WORLD_GIT_H

#include "policy/policy.h"

/*
 * The repository git would find from dir upward: 0 when its own configuration
 * holds nothing but plain settings (or there is none), 1 when a key may start
 * a program, -1 cannot tell.  The user's ~/.gitconfig is the human's own and
 * not looked at.
 */
int	world_git_helpers(void *arg, const char *dir);

/* Does that repository have hooks?  Samples are none. */
int	world_git_hooks(void *arg, const char *dir);

#endif
