/*
 * policy/program.h - applying a program's table to its words.
 */
#ifndef POLICY_PROGRAM_H
#define POLICY_PROGRAM_H

#include "policy/commands/table.h"
#include "policy/walk.h"

/* Judge r->argv[from..] by the table; argv[from - 1] is its (sub-)name. */
void	program_apply(struct run *, const struct cmd_program *, size_t from);
/* Its sub-command of this name, or NULL. */
const struct cmd_program *program_sub(const struct cmd_program *,
	    const struct arg *);

/* Its option of that whole name, whatever its style; NULL: it has none. */
const struct cmd_option *program_option(const struct cmd_program *,
	    const char *name);

/* One word in one role. */
void	program_role(struct run *, enum role, const struct arg *);

/* roles_sent.c: the word, if its role is about what leaves the machine. */
bool	role_sends(struct run *, enum role, const struct arg *);
/* The one host a program talks to, if there is one. */
void	program_host(struct run *, const struct cmd_program *);

/*
 * The same reading without judging: operands go to `ret` (room for argc), in
 * order; returns how many.  For special programs that look at them.
 */
const struct arg **program_room(struct run *);	/* NULL: no memory */
size_t	program_operands(struct run *, const struct cmd_program *,
	    size_t from, const struct arg **ret);

/* Special knowledge, after or instead of the table; policy/special.c. */
void	special_run(struct run *, const struct cmd_program *, size_t from);

#endif
