/*
 * jail/prepare.h - what jail_run makes before it divides, and what the inside
 * looks up before it starts the command.
 */
#ifndef JAIL_PREPARE_H
#define JAIL_PREPARE_H

#include <signal.h>

#include "jail/enter.h"
#include "jail/plan.h"
#include "jail/scan.h"

/* Without the wall that a probe leaves out (jail/enter.h). */
struct marks *prepare_marks(const struct jail *, struct marks *);

/* The command's whole environment, ours included. */
void	prepare_env(const struct jail *, const struct scene *,
	    struct list *ret);

/* The plan, a line each on stderr. */
void	prepare_debug(const struct plan *);

/* Those that are passed on, blocked and read from the descriptor. */
int	prepare_signals(sigset_t *ret_before, struct err *);
/*
 * Inside: where the command is, as a shell would look; absolute.  NULL: err.sys
 * says why.  The caller frees.
 */
char	*prepare_program(const char *cwd, const struct list *env,
	    const char *name, struct err *);

/* 0, 1 and 2 are open. */
int	prepare_stdio(struct err *);

#endif
