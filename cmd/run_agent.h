/*
 * cmd/run_agent.h - a whole agent in the jail: trust grade B.
 *
 *	run_agent_open(...)	the project, a place of the agent's own
 *	run_agent_spec(...)	its hosts and variables on top of the settings
 *	...jail_run with gifts, set, closed and beside...
 *	run_agent_close(...)
 *
 * The agent gets a configuration directory of its own, one per project, where
 * its settings lie as copies that cannot be changed: what it plants there is
 * read by no agent that runs without walls.  Of the connector it sees the
 * folder of requests, which it can write, and record.json, view/ and out/.  Its
 * hooks work through that folder; their claims are taken into the log here.
 */
#ifndef CMD_RUN_AGENT_H
#define CMD_RUN_AGENT_H

#include "cmd/cmd.h"
#include "jail/enter.h"

/* Beside the private directories: a directory for each project, named alike. */
#define RUN_AGENT_PLACES	"sandbox-agents"

struct run_agent;

/* As in `sandbox run --agent`; ERR_USAGE for a name nobody knows. */
int	run_agent_open(const struct cmd_ctx *, const char *name,
	    const char *user_home, const struct home *, struct run_agent **ret,
	    struct err *);
/* NULL is fine.  Takes what claims are left, and records the end. */
void	run_agent_close(struct run_agent *, int status);

void	run_agent_spec(const struct run_agent *, struct spec *);
void	run_agent_jail(const struct run_agent *, struct jail *,
	    struct list *closed);
/* Once a second or so. */
void	run_agent_claims(struct run_agent *);

#endif
