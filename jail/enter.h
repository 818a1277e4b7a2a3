/*
 * jail/enter.h - run one command inside walls.
 *
 *	spec_load(...)	what is allowed
 *	jail_drop(...)	first of all when root: become somebody else
 *	jail_run(...)	scan, plan, build, run, sweep; the exit status
 *
 * Either every wall stands before the command's first instruction, or the
 * command does not run and the error names the wall and the cure.  When
 * jail_run's process dies, in whatever way, everything inside dies with it.
 *
 * Processes: the caller keeps the terminal and passes signals on; the first
 * process inside (jail/inside.h) reaps, takes everything down at the end, and
 * sweeps; if it did not, the caller's process does.
 */
#ifndef JAIL_ENTER_H
#define JAIL_ENTER_H

#include <poll.h>

#include "jail/net.h"
#include "jail/scan.h"
#include "jail/spec.h"

/* Walls that are left out, to see that jail/prove.h notices. */
enum jail_without {
	JAIL_HOST_NET = 1, JAIL_NO_FILTER = 2, JAIL_NO_LANDLOCK = 4,
	JAIL_NO_NAMES = 8, JAIL_NO_SWEEP = 32,
	JAIL_NOT_AT_ALL = 16	/* for the caller: do not jail */
};

/*
 * What the caller does meanwhile, in the same loop.  Any of these may be NULL.
 */
struct jail_beside {
	/* What else to wait for, at most JAIL_BESIDE; and how long at most. */
	size_t	(*wants)(void *arg, struct pollfd *ret, int *ret_ms);
	/* -1: it shall end, and err says why. */
	int	(*turn)(void *arg, struct net *, const struct pollfd *,
		    size_t n, struct err *);
	/* What the sweep behind it did, or could not do. */
	void	(*kept)(void *arg, const char *line);
	/* A host was refused for the first time, or once more. */
	void	(*refused)(void *arg, const struct refusal *);
	/* A host that no rule knows: net_answer() some time later. */
	void	(*asked)(void *arg, struct net *, const struct net_question *);
	void	*arg;
};
#define JAIL_BESIDE	3

struct jail {
	const struct spec	*spec;
	struct spec_place	 place;		/* cwd is real */
	char *const		*argv;		/* argv[0]: looked up in PATH */
	char *const		*environ;	/* the caller's */
	const char		*user;		/* USER inside; NULL: as is */
	const struct list	*closed;	/* hidden, whatever spec says */
	const struct jail_gifts	*gifts;		/* or NULL */
	const struct list	*set;		/* NAME=VALUE for it; or NULL */
	const char		*proxy;		/* path of sandbox-proxy; NULL
						   where no host is allowed */
	int			 null_fd;	/* /dev/null for it; 0: none */
	bool			 debug;		/* the plan, on stderr */
	unsigned		 without;	/* of enum jail_without; 0 but
						   for our own probes */
	/* What was not done before, and was done after, the command. */
	void			(*note)(void *arg, const char *line);
	void			*note_arg;
	const struct jail_beside *beside;	/* or NULL */
};

/*
 * The command's exit status as a shell would give it (128 + n for signals).
 * -1 with the reason: nothing ran; or, with ERR_LOST, the jail itself was
 * killed, or what the command left could not be swept (jail/sweep.h).  err.sys
 * is ENOENT or EACCES when only the program is missing.
 */
int	jail_run(const struct jail *, int *ret_status, struct err *);

/*
 * Root can undo these walls from inside (/proc/sys/kernel/core_pattern is a
 * program the kernel starts as root), mapping it to another id does not help.
 * So when the effective user is root: become `user` (a name or a number, never
 * root), or fail.  Others must not name anybody else.
 */
int	jail_drop(const char *user, struct err *);

#endif
