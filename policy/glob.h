/*
 * policy/glob.h - the files that a search tool is told to look into.
 *
 * `rg -g '.env*' KEY` and a Grep tool's "glob" read exactly what they name,
 * however harmless the directory is.  The pattern's language is that of
 * ripgrep and gitignore: * ? [...] ** {a,b} \x, several between blanks or
 * commas; one that begins with ! only takes away.
 */
#ifndef POLICY_GLOB_H
#define POLICY_GLOB_H

#include "policy/policy.h"

#define GLOB_MAX	1024	/* bytes; a longer one may name anything */
#define GLOB_TRIES	64	/* alternatives of {a,b}; as above */

/* Could a file below dir that the pattern names be a secret? */
bool	glob_secret(const struct policy *, const char *dir, const char *glob);

/* Is it the connector's directory that it names, without any doubt? */
bool	glob_closed(const struct policy *, const char *dir, const char *glob);

#endif
