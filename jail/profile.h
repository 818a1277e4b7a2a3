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
 * A user who wants another one, or other hosts, writes
 * ~/.config/sandbox/profiles/NAME.json, in the form of any settings: it is
 * taken whole, instead of the one that is built in.
 */
#ifndef JAIL_PROFILE_H
#define JAIL_PROFILE_H

#include "jail/spec.h"

/*
 * `place->cwd` is the project.  Fails where neither the user nor we have one
 * of that name, and where the user's is not whole and valid.
 */
int	profile_load(const char *name, const struct spec_place *,
	    struct spec *ret, struct err *);

#endif
