/*
 * jail/env.h - which variables a jailed command sees.  Pure.
 *
 * An allow list (where programs, homes and languages are; what compilers and
 * package managers read), plus the settings' `environment.pass`, less
 * `credentials.envVars`.  A name that looks like a secret's passes only when
 * the settings spell it out.
 */
#ifndef JAIL_ENV_H
#define JAIL_ENV_H

#include "jail/spec.h"

/*
 * `environ` filtered, NAME=VALUE each, into ret.  `set` comes on top, and its
 * names win.
 */
void	env_make(const struct spec *, char *const *environ,
	    const struct list *set, struct list *ret);

/* Of a list made above: the value, or NULL. */
const char *env_get(const struct list *, const char *name);

#endif
