/*
 * hooks/dialect/parts.h - what the dialects have in common.
 *
 *	dialect_begin	the event is known, the input an object
 *	dialect_common	session, directory and event as Claude Code names them
 *	dialect_tool	tool and input, translated by the dialect's table
 */
#ifndef HOOKS_DIALECT_PARTS_H
#define HOOKS_DIALECT_PARTS_H

#include "hooks/dialect.h"

/* "" for what is missing or no text. */
const char	*dialect_text(const cJSON *, const char *name);

int	dialect_begin(const struct dialect *, const char *event,
	    const cJSON *, struct hook_input *ret, struct err *);

/*
 * The fields session_id, hook_event_name (the registered one), cwd, agent_id,
 * tool_use_id and the small ones, of clients that copied these names.
 */
int	dialect_common(const cJSON *, struct hook_input *, struct err *);

/* tool_name and tool_input of the same clients, through dialect_tool. */
int	dialect_named_tool(const struct dialect *, const cJSON *,
	    struct hook_input *, struct err *);

/*
 * The call is `tool` with `input` (an object).  The directory in the input,
 * if there is one, replaces or continues the one that is set.
 */
int	dialect_tool(const struct dialect *, const char *tool,
	    const cJSON *input, struct hook_input *, struct err *);

/* A text that holds JSON: an object, kept; NULL: it is none. */
const cJSON *dialect_unpack(struct hook_input *, const char *text,
	    struct err *);

/* An MCP tool by Claude Code's naming, which policy knows. */
const char *dialect_mcp_name(struct hook_input *, const char *server,
	    const char *tool);

#endif
