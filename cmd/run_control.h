/*
 * cmd/run_control.h - other network rules while the command runs.
 *
 * `--control-fd N`: whoever started us writes settings there, one JSON object
 * a line, each in place of the one before.  Only the network's lists act on a
 * running command: allowedDomains, deniedDomains, deniedResolvedAddresses,
 * transparentHttp.  They hold for what comes next; a tunnel that stands stays.
 * A line that is no settings is said and changes nothing.  A writer that is
 * gone before its first good line ends the command; later the last rules stay.
 * Nothing here is ever waited for.
 */
#ifndef CMD_RUN_CONTROL_H
#define CMD_RUN_CONTROL_H

#include <poll.h>
#include <stdbool.h>

#include "common/str.h"
#include "jail/spec.h"

struct run_control {
	int		 fd;		/* 0: none, or the writer is gone */
	bool		 updated;	/* a good line came */
	unsigned long	 lines;
	struct str	 line;		/* not yet whole */
	void		(*bad)(void *arg, const char *why);	/* of a line */
	void		*arg;
};

/* `ret->bad` and `arg` are set. */
int	run_control_open(int fd, struct run_control *ret, struct err *);
void	run_control_close(struct run_control *);

/*
 * Something is to be read.  1: `spec` has new rules; 0: it has not; -1: the
 * writer is gone too early.
 */
int	run_control_read(struct run_control *, const struct spec_place *,
	    struct spec *, struct err *);

#endif
