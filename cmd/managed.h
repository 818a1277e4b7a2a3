/*
 * cmd/managed.h - registrations for a whole machine, which a user's and a
 * project's settings cannot take back: root's files below /etc.
 *
 *	claude	/etc/claude-code/managed-settings.d/50-sandbox.json
 *	codex	/etc/codex/requirements.toml; needs no trust step
 *
 * The hooks look for the project themselves and are silent where nobody ran
 * `sandbox init`.  What was there before is kept in /etc/sandbox.
 */
#ifndef CMD_MANAGED_H
#define CMD_MANAGED_H

#include <stdbool.h>

#include "cmd/agent.h"

/* -1 with ERR_USAGE for an agent that has no such file. */
int	managed_init(const bool chosen[static AGENT_MAX], const char *libexec,
	    bool dry_run, struct err *);

/* The folder with the record, for uninstall; -1: nothing is managed. */
int	managed_open(bool make, struct err *);

/* What settings_remove() is for a project's file; `agent` as in the record. */
bool	managed_is(const char *agent);
int	managed_remove(const char *agent, struct str *text, struct err *);

#endif
