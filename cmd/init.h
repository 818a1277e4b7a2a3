/*
 * cmd/init.h - between the halves of `sandbox init`: the plan, which reads and
 * refuses, and the doing, which writes.
 */
#ifndef CMD_INIT_H
#define CMD_INIT_H

#include <stdbool.h>

#include "cmd/agent.h"
#include "cmd/cmd.h"
#include "cmd/install.h"
#include "common/str.h"

/* One file of an agent's. */
struct change {
	const struct agent	*agent;
	const struct registration *only;	/* the event, where each has
						   its own file */
	struct target		 target;	/* as it is */
	struct str		 text;		/* and as it will be */
};

struct init {
	bool		 chosen[AGENT_MAX];	/* by index in agents[] */
	bool		 mcp, auto_allow, dry_run;
	bool		 shared;		/* into committed files */
	bool		 managed;		/* into root's */
	int		 pass_fd;
	char		*root, *libexec, *state;
	struct change	 changes[INSTALL_FILES];
	size_t		 n_changes;
	struct str	 policy;		/* our template */
};

/* Zero but for pass_fd is a beginning; init_clear ends it. */
void	init_clear(struct init *);

/* Where everything would lie; ERR_SETUP for a place that cannot be one. */
int	init_plan_places(const struct cmd_ctx *, struct init *, struct err *);
/*
 * What the chosen agents' settings would become; refuses what would undo us.
 * Where a file cannot be edited safely, the lines to add by hand go to stderr.
 */
int	init_plan_agents(struct init *, struct err *);
/* Could everything else be written? */
int	init_plan_writable(const struct init *, struct err *);
int	init_plan_policy(struct init *, struct err *);
/* What --dry-run prints. */
void	init_plan_show(const struct init *);

#endif
