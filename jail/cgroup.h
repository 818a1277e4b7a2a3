/*
 * jail/cgroup.h - one budget for everything in a jail, where the system lets
 * us.
 *
 * A resource limit of the classic kind counts the memory of each process by
 * itself.  A control group (version 2) counts the jail as a whole, and can be
 * made where whoever manages them (systemd, for a user's session) has given us
 * the group that ours lies in, with its memory controller.  Elsewhere the
 * classic limits hold, and the user is told what they do not.
 */
#ifndef JAIL_CGROUP_H
#define JAIL_CGROUP_H

#include "jail/spec.h"

struct cgroup {
	int	 parent, fd;	/* fd -1: there is none */
	char	 name[48];
};
#define CGROUP_NONE	{ .parent = -1, .fd = -1 }

/*
 * Only when the settings limit memory.  1: made, empty, with both limits set;
 * clone3 can start in `fd`.  0: not asked for.  -1: it cannot be here, and err
 * says why; nothing is left.
 */
int	cgroup_make(const struct spec *, struct cgroup *ret, struct err *);
/* Everything in it is dead. */
void	cgroup_end(struct cgroup *);

/*
 * Where a group of the jail's own would lie, from the text of
 * /proc/self/cgroup: beside ours.  NULL: it speaks of none.  The caller frees.
 */
char	*cgroup_above(const char *text);

#endif
