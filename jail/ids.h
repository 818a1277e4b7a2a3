/*
 * jail/ids.h - who the user is inside: the same as outside.
 */
#ifndef JAIL_IDS_H
#define JAIL_IDS_H

#include <sys/types.h>

#include "common/err.h"

/*
 * In the first process of a fresh user namespace, while the host's /proc is
 * there: map this one user and group to themselves.  Everybody else is nobody.
 */
int	ids_map(uid_t, gid_t, struct err *);

#endif
