/*
 * cmd/settings_mcp.h - put our MCP server into a client's configuration, and
 * take it out.  The other half of cmd/settings.h, which calls it for rows of
 * cmd/agent.h that have an `mcp_key`.  Pure: text in, text out.
 *
 * A server named `sandbox` that is not ours is left alone and refused.
 */
#ifndef CMD_SETTINGS_MCP_H
#define CMD_SETTINGS_MCP_H

#include <stdbool.h>

#include "cmd/agent.h"
#include "common/err.h"
#include "common/str.h"

int	settings_mcp_add(const struct agent *,
	    const struct registration_place *, struct str *text, struct err *);
int	settings_mcp_remove(const struct agent *, struct str *text,
	    struct err *);
/* 0: our server is there as we would write it now. */
int	settings_mcp_check(const struct agent *,
	    const struct registration_place *, const struct str *text,
	    struct err *);
/* Is there a server named `sandbox` that is somebody else's? */
bool	settings_mcp_taken(const struct agent *, const struct str *text);
void	settings_mcp_by_hand(const struct agent *,
	    const struct registration_place *, struct str *ret);

/* The entries clients take: {command, args} and what some want besides. */
typedef cJSON *agent_entry_fn(const struct registration_place *);
agent_entry_fn	mcp_entry, mcp_entry_typed, mcp_entry_custom, mcp_entry_local;

#endif
