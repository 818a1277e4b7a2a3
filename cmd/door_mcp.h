/*
 * cmd/door_mcp.h - does each configured MCP server answer?
 *
 * For every row of cmd/agent.h with an `mcp_key` whose file names our server:
 * the entry is as init would write it now, and the server, started as it is
 * configured, lists our tools.
 */
#ifndef CMD_DOOR_MCP_H
#define CMD_DOOR_MCP_H

#include "cmd/door.h"

/* Says nothing about a client whose file has no entry of ours. */
void	door_mcp_check(const struct door_place *, const struct agent *);

/* 0: the entry is as init would write it now. */
int	door_mcp_registered(const struct door_place *, const struct agent *,
	    struct err *);

/* Is there an entry of ours, right or wrong? */
bool	door_mcp_connected(const struct door_place *, const struct agent *);

#endif
