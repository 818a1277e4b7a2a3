/*
 * cmd/run_registry.h - where a contained build may fetch packages from.
 *
 * The built-in profiles `project` and `build` have no network of their own.
 * The hosts that the project's accepted policy names as `registries` are let
 * through: a human said so, and `npm ci` needs it.  Other hosts that policy
 * allows are not: there it is judged what a command sends, and in a jail
 * nobody sees that.
 */
#ifndef CMD_RUN_REGISTRY_H
#define CMD_RUN_REGISTRY_H

#include "cmd/cmd.h"
#include "jail/spec.h"

/*
 * Add them to `spec`, and to `set` (NULL: to nothing) variables that lead
 * caches into the jail's own /tmp, where the user's cannot be written.  No
 * project, or a policy that cannot be read: nothing is added.
 */
void	run_registry(const struct cmd_ctx *, struct spec *, struct list *set);

#endif
