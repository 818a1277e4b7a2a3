/*
 * policy/value.h - what is known about a text that is not fully known.
 *
 * A value is a C string in which three control bytes stand for what only the
 * shell will know.  No command line that holds control bytes gets this far,
 * so they cannot be forged.  A value without them is a constant.
 */
#ifndef POLICY_VALUE_H
#define POLICY_VALUE_H

#include <stdbool.h>

#define VALUE_ANY	'\001'	/* any text at all, slashes too */
#define VALUE_STAR	'\002'	/* as `*`: any text without a slash */
#define VALUE_ONE	'\003'	/* as `?` or `[...]`: one such character */

bool	value_constant(const char *);

/* A number, known or not: no text that could be anything else. */
#define VALUE_NUMBER	"\003\002"
bool	value_number(const char *);

/* Could the two stand for the same text?  Case is ignored; a leading dot is
 * matched by ANY only, as the shell's globs do.  Bounded: n * m steps. */
bool	value_meets(const char *, const char *);

/* A policy file's glob ("*", "?", "**" for any depth) as a value, in place. */
void	value_from_glob(char *);

#endif
