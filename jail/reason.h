/*
 * jail/reason.h - why a wall cannot be built here, and what a person can do.
 */
#ifndef JAIL_REASON_H
#define JAIL_REASON_H

#include "common/err.h"
#include "common/str.h"

/*
 * Add the setting of this machine that forbids namespaces, if one is found,
 * to an error about a failed clone or mount.  Returns -1.
 */
int	reason_add(struct err *);

/*
 * What of this machine a jail depends on, for a person: the settings that
 * could forbid namespaces as they are, and the version of Landlock.
 */
void	reason_describe(struct str *ret);

#endif
