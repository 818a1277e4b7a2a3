/*
 * jail/profile.h - settings that have a name, for what nobody wrote settings
 * for: a command that policy contains, an agent.
 *
 *	project		the project can be written, but for protected names;
 *			everything can be read, but for secrets; of the network
 *			the package registries that policy allows
 *	read-only	as project, and nothing can be written
 *	build		as project, and the caches of package managers and
 *			compilers can be written
 *
 * In `project` and `build` what can be written is a project, so they are for
 * nothing else.
 *
 * A user who wants another one, or other hosts, writes
 * ~/.config/sandbox/profiles/NAME.json, in the form of any settings: it is
 * taken whole, instead of the one that is built in.
 */
#ifndef JAIL_PROFILE_H
#define JAIL_PROFILE_H

#include "jail/spec.h"

/*
 * `place->cwd` is the project, if it `is_project`.  Fails where neither the
 * user nor we have one of that name, where the user's is not whole and valid,
 * and where ours would open to writing what is no project.
 */
int	profile_load(const char *name, const struct spec_place *,
	    bool is_project, struct spec *ret, struct err *);

#endif
