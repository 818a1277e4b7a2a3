/*
 * policy/special.h - the programs policy/special.c leaves to files of their
 * own: those that run a command over many paths, and those that copy.
 */
#ifndef POLICY_SPECIAL_H
#define POLICY_SPECIAL_H

#include "policy/program.h"

/* find: its expression decides whether it only looks. */
void	special_find(struct run *, const struct cmd_program *, size_t from);
/*
 * found.c: what a search finds.  An alternative of its expression is a pattern
 * of the name and one of the whole path, as values, or NULL.
 */
struct alt {
	const char	*name, *whole;
};

const char *found_name(struct run *, const char *pattern);
const char *found_path(struct run *, const char *pattern);
const char *found_regex(struct run *, const char *pattern);
/* Add what lies below `start` and fits; false: they are too many. */
bool	found_add(struct run *, struct names *, const char *start,
	    const struct alt *);
/* `word` with name i instead of every `sign`. */
const char *found_splice(struct run *, const char *word, const char *sign,
	    const struct names *, size_t i);
/*
 * Is the sign glued to other text in argv[from..]?  Then the very tops of the
 * trees, in *ret, have to be tried as well: they are not below anything.
 */
bool	found_glued(const struct run *, size_t from, const char *sign,
	    const struct names *, struct names *ret);
/* What changes of name i are asked about: see struct run's `deep`. */
const char *found_deep(const struct names *, size_t i);

/* special_xargs.c: a command with words behind it that a pipe brings. */
void	special_xargs(struct run *, const struct cmd_program *, size_t from);
/* special_more.c */
void	special_exec(struct run *, const struct cmd_program *, size_t from);
void	special_ps(struct run *, const struct cmd_program *, size_t from);
void	special_known(struct run *, const struct cmd_program *, size_t from);
void	special_sqlite(struct run *, const struct cmd_program *, size_t from);
void	special_kill(struct run *, const struct cmd_program *, size_t from);
void	special_pkill(struct run *, const struct cmd_program *, size_t from);
void	special_terminal(struct run *, const struct cmd_program *, size_t from);
void	special_tar(struct run *, const struct cmd_program *, size_t from);
/* cp mv ln install: where do the sources end up? */
void	special_copy(struct run *, const struct cmd_program *, size_t from);

#endif
