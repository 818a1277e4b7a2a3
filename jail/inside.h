/*
 * jail/inside.h - the first process in the jail; part of jail/enter.c.
 *
 * It is process 1 of its pid namespace: it builds the walls around itself,
 * starts the command, reaps whatever is orphaned, and when the command ends,
 * or the other side of `wire` is gone, kills everything else, sweeps and ends.
 * What it could not sweep, or all if it was killed, is swept from outside.
 * It has no capability and cannot be traced while the command runs.
 *
 * The wire is a SOCK_SEQPACKET pair; a packet is one struct said.  Its end of
 * file is also the sign that the other side died.
 */
#ifndef JAIL_INSIDE_H
#define JAIL_INSIDE_H

#include <sys/types.h>

#include "jail/enter.h"
#include "jail/plan.h"
#include "jail/scan.h"

enum said_kind {
	/* to the inside */
	SAID_GO,		/* what was handed out is served */
	SAID_SIGNAL,		/* value: pass it to the command */
	/* to the outside */
	SAID_PTY,		/* carries the terminal's master */
	SAID_NET,		/* carries listeners; text: what they are */
	SAID_STOPPED,		/* value: the signal that stopped it */
	SAID_NOTE,		/* text, for the user */
	SAID_ENDED,		/* value: exit status; text: why not all was
				   swept, empty if it was */
	SAID_FAILED		/* value: err.sys; text: why nothing ran */
};

struct said {
	int	kind;
	int	value;
	char	text[640];
};

/* What the inside needs, made before the namespaces. */
struct inside {
	const struct jail	*jail;
	struct scene		*scene;		/* its own after the division */
	const struct plan	*plan;
	const struct list	*env;
	int			 wire;
	uid_t			 uid;		/* outside */
	gid_t			 gid;
	bool			 tty[3];	/* these get the pty */
	bool			 counted;	/* by a control group */
};

int	said_send(int wire, enum said_kind, int value, const char *text);
/* The same with descriptors. */
int	said_send_fds(int wire, enum said_kind, const char *text,
	    const int *fds, size_t n);

/* Runs in the child and ends it. */
void	inside(const struct inside *) __attribute__((noreturn));

#endif
