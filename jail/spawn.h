/*
 * jail/spawn.h - the one place that starts a program.
 *
 * spawn() forks and execs with everything said explicitly: program by
 * absolute path, arguments, the whole environment, the working directory as a
 * descriptor, which descriptor the child has where.  Nothing is inherited by
 * accident: every other descriptor is closed, signals are default (but for
 * `keep_ignored`) and unblocked, no_new_privs is left alone (an approved `sudo`
 * must work).
 * `prepare` runs in the child when all that is done, right before exec: the
 * jail puts its last walls there.
 *
 * The authority test checks that no other object of ours imports exec.
 */
#ifndef JAIL_SPAWN_H
#define JAIL_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

struct spawn_fd {
	int	ours;		/* descriptor here */
	int	theirs;		/* number in the child */
};

struct spawn {
	const char	      *path;	/* absolute */
	char *const	      *argv;	/* NULL-terminated */
	char *const	      *envp;	/* NULL-terminated; the whole of it */
	int		       cwd_fd;	/* -1: stay */
	const struct spawn_fd *fds;	/* 0, 1, 2 not named: /dev/null */
	size_t		       n_fds;
	bool		       session;	/* setsid in the child */
	bool		       keep_ignored; /* what is ignored here stays so */
	bool		       detach;	/* double fork: the child is not ours to
					   wait for; ret_pid is still its pid */
	int		     (*prepare)(void *arg, struct err *); /* or NULL */
	void		      *arg;
};

/*
 * Returns when exec has happened in the child (a close-on-exec pipe tells), or
 * -1 with the reason exec failed (err.sys: of execve itself, else 0); then
 * nothing runs.
 */
int	spawn(const struct spawn *, pid_t *ret_pid, struct err *);

/*
 * Become another program, with the same descriptors, signals and parent: for a
 * door that is a program of its own.  Returns only to say why not.
 */
int	spawn_become(const char *path, char *const argv[],
	    char *const envp[], struct err *);

#endif
