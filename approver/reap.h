/*
 * approver/reap.h - everything a command started ends with it.
 *
 * The runner is a subreaper: whoever daemonises, double-forks or makes a new
 * session still becomes our child when its parent ends, so "no child left"
 * means that nothing is left.  Processes of another user (an approved `sudo`)
 * may refuse our signals; those are counted, not hidden.
 */
#ifndef APPROVER_REAP_H
#define APPROVER_REAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

int	reap_setup(struct err *);

/* Collect every child that ended; true when `pid` was among them. */
bool	reap_ended(pid_t pid, int *ret_status);

/* No child at all is left, not even one that was never ours before. */
bool	reap_none(void);

/*
 * SIGTERM to all, up to grace_ms for them to go, then SIGKILL until none is
 * left.  *ret_status is set if `pid` ended on the way.  Returns how many
 * processes it could not end (another user's).
 */
size_t	reap_all(pid_t pid, int grace_ms, int *ret_status);

#endif
