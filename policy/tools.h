/*
 * policy/tools.h - the one table of tool names, every agent's spelling.
 *
 * A name that is not in the table is CALL_UNKNOWN.  Names are compared with
 * case: "bash" and "Bash" are two entries because two agents say them, while
 * "BASH" is nobody's.
 */
#ifndef POLICY_TOOLS_H
#define POLICY_TOOLS_H

#include "policy/call.h"

struct tool {
	const char	*name;
	enum call_kind	 kind;
	/*
	 * Names of the field that says what the call is about, separated by
	 * blanks; exactly one of them must be there.
	 */
	const char	*subject;
	/* The fields that make two calls the same question; NULL: all. */
	const char	*fields;
};

/* The entry for a name, or NULL. */
const struct tool *tool_find(const char *name);

/* Is `word` one of the blank-separated words of `list`? */
bool		   tool_listed(const char *list, const char *word);

#endif
