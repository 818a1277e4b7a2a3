/*
 * jail/glob.h - path patterns of the settings.
 *
 *	*	anything within one component
 *	?	one character within one component
 *	[a-z]	one of a set; [!a] one that is not in it; [*] a star
 *	**	as a whole component: any number of components, none too
 *
 * A backslash is itself.
 *
 * A text without a star and a question mark is a plain path, brackets and
 * all: frameworks have files named "[id].tsx".  One that begins with two
 * slashes is a pattern in any case: so spec.c stores what a denial with
 * brackets may mean as well.
 *
 * A pattern that ends in "/" followed by two stars means the directory as a
 * whole, and spec.c stores it as that plain path.
 */
#ifndef JAIL_GLOB_H
#define JAIL_GLOB_H

#include <stdbool.h>

/* Is the text a pattern, by the rule above? */
bool	glob_is(const char *);

/* A path as a part of a pattern in which it means itself; the caller frees. */
char	*glob_quote(const char *path);

/* Does an absolute normal path match an absolute pattern, as a whole? */
bool	glob_match(const char *pattern, const char *path);

/* Can a path below this one match? */
bool	glob_leads(const char *pattern, const char *path);

/* The longest directory above everything the pattern can match; the caller
 * frees it. */
char	*glob_base(const char *pattern);

#endif
