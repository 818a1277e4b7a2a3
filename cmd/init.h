/*
 * cmd/init.h - between the halves of `sandbox init`: the plan, which reads and
 * refuses, and the doing, which writes.
 */
#ifndef CMD_INIT_H
#define CMD_INIT_H

#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/install.h"
#include "common/str.h"

struct init {
	bool		 claude, auto_allow, dry_run;
	int		 pass_fd;
	char		*root, *libexec, *state;
	struct target	 target;		/* settings.local.json now */
	struct str	 settings;		/* and as it will be */
	struct str	 policy;		/* our template */
};

/* Zero but for pass_fd is a beginning; init_clear ends it. */
void	init_clear(struct init *);

/* Where everything would lie; ERR_SETUP for a place that cannot be one. */
int	init_plan_places(const struct cmd_ctx *, struct init *, struct err *);
/* What Claude Code's settings would become; refuses what would undo us. */
int	init_plan_claude(struct init *, struct err *);
int	init_plan_policy(struct init *, struct err *);
/* What --dry-run prints. */
void	init_plan_show(const struct init *);

#endif
