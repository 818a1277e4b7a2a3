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

/* Fields in which shells are told where to run. */
#define TOOL_SHELL_DIRS	"workdir directory dir_path cwd working_directory " \
			"working_dir workingDirectory"

/* Is it a field of a shell's call that changes nothing of what runs? */
bool		   tool_calm(const char *field);

/* bash, sh or zsh, by name or in one of the machine's directories. */
bool		   tool_is_shell(const char *path);

/* Is `word` one of the blank-separated words of `list`? */
bool		   tool_listed(const char *list, const char *word);

#endif
