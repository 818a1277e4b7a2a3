/*
 * cmd/desk.h - what every command of the approver does first.
 */
#ifndef CMD_DESK_H
#define CMD_DESK_H

#include "approver/desk.h"
#include "cmd/cmd.h"

/* Open the project and its desk. */
int	cmd_desk_open(const struct cmd_ctx *, struct home *, struct desk *,
	    struct err *);
/* The same, and sweep up after crashes. */
int	cmd_desk(const struct cmd_ctx *, struct home *, struct desk *,
	    struct err *);

/* A prefix a person typed -> the one id. */
int	cmd_find(struct desk *, const char *prefix,
	    char ret_id[static ID_MAX + 1], struct err *);

/*
 * The options a pasted line needs to mean the same project: "", or
 * " -C '...'" and " --state '...'", quoted for a shell.  The caller frees.
 */
char   *cmd_paste_options(const struct cmd_ctx *,
	    const struct home *);

#endif
