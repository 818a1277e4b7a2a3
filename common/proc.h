/*
 * common/proc.h - facts about processes, from /proc.
 *
 * A pid alone names nobody for long; a process is a pid and its start time
 * (field 22 of /proc/PID/stat, clock ticks since boot).
 */
#ifndef COMMON_PROC_H
#define COMMON_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

struct proc_id {
	pid_t			pid;
	unsigned long long	start;
};

/* ERR_SYSTEM when there is no /proc or no such process. */
int	proc_read(pid_t, struct proc_id *ret, pid_t *ret_parent,
	    struct err *);

/* Is that very process (not another one with its pid) still there? */
bool	proc_alive(const struct proc_id *);

/*
 * Our ancestors, parent first, up to pid 1 or max.  Returns how many, -1
 * without /proc.
 */
int	proc_ancestors(struct proc_id *ret, size_t max, struct err *);

/*
 * A key will pass through this process: no core, nobody looks in, and what it
 * creates is its user's alone.
 */
int	proc_harden(struct err *);

#endif
