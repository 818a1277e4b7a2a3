/*
 * policy/special.h - the programs policy/special.c leaves to files of their
 * own: those that run a command over many paths, and those that copy.
 */
#ifndef POLICY_SPECIAL_H
#define POLICY_SPECIAL_H

#include "policy/program.h"

/* find: its expression decides whether it only looks. */
void	special_find(struct run *, const struct cmd_program *, size_t from);
/* xargs: a command with words nobody knows behind it. */
void	special_xargs(struct run *, const struct cmd_program *, size_t from);
void	special_sqlite(struct run *, const struct cmd_program *, size_t from);
void	special_kill(struct run *, const struct cmd_program *, size_t from);
void	special_pkill(struct run *, const struct cmd_program *, size_t from);
void	special_terminal(struct run *, const struct cmd_program *, size_t from);
void	special_tar(struct run *, const struct cmd_program *, size_t from);
/* cp mv ln install: where do the sources end up? */
void	special_copy(struct run *, const struct cmd_program *, size_t from);

#endif
