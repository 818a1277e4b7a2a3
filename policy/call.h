/*
 * policy/call.h - one tool call, in nobody's dialect.
 *
 * A client's hook input, a queue file and an MCP request all become a struct
 * call before anything is decided.  Everything in it is hostile text.  The
 * struct borrows: it lives as long as the JSON it points into.
 */
#ifndef POLICY_CALL_H
#define POLICY_CALL_H

#include <stddef.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/str.h"

/* What kind of thing a tool does; policy/tools.c has the table of names. */
enum call_kind {
	CALL_UNKNOWN = 0,
	CALL_SHELL,		/* Bash: command */
	CALL_WRITE,		/* Write: file_path, content */
	CALL_EDIT,		/* Edit: file_path, old_string, ... */
	CALL_NOTEBOOK,		/* NotebookEdit */
	CALL_READ,		/* Read: file_path */
	CALL_LIST,		/* Glob, LS: path */
	CALL_SEARCH,		/* Grep: path, glob */
	CALL_FETCH,		/* WebFetch: url */
	CALL_WEBSEARCH,
	CALL_DELEGATE,		/* Agent/Task: its own calls are judged */
	CALL_HARMLESS,		/* TodoWrite, ...: no effect outside */
	CALL_MCP		/* mcp__server__tool */
};

struct call {
	const char	*client;	/* "claude"; NULL in judge */
	const char	*session;	/* may be NULL */
	const char	*agent_id;	/* one the agent started, or NULL */
	const char	*tool;		/* as the client named it */
	const cJSON	*input;		/* an object */
	const char	*cwd;		/* absolute path */
};

/*
 * From a hook's stdin object, strictly: tool_name, tool_input and an absolute
 * cwd must be there with their types; a shell tool must have its command as
 * text, or as a program and its words.  Everything else in the object is the
 * dialect's business.  Client is left NULL; session_id and agent_id are taken
 * when they are texts.
 */
int	call_from_hook(const cJSON *obj, struct call *ret, struct err *);

/* From the table of tool names, all agents' spellings. */
enum call_kind	call_kind(const struct call *);

/* The shell command / the path / the URL a call is about, or NULL. */
const char	*call_subject(const struct call *);

/*
 * A shell's call that hands over a program and its words: these, quoted, as a
 * line for people and for judging (cut where ret is full).  False: no such.
 */
bool		call_words(const struct call *, struct str *ret);

/*
 * One line that names the call for lists and the log: "npm install -g x",
 * "Write /etc/hosts (12 bytes)".  Raw: whoever shows it uses visible().
 * At most 200 bytes, cut at a character.
 */
void	call_summary(const struct call *, struct str *ret);

/*
 * The same question asked again has the same key: H over client, session,
 * agent_id, tool and the tool's effective fields (design: Bash command; Write
 * file_path and content; ...; a shell: also what might change what runs; an
 * unknown tool: every field) as sorted
 * `name NUL length NUL bytes`.  docs/QUEUE.md has the exact bytes.
 */
void	call_key(const struct call *, struct digest *ret);

#endif
