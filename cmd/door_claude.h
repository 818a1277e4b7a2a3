/*
 * cmd/door_claude.h - what can shut Claude Code's hooks off from outside the
 * three settings files, and who can type into this terminal.
 *
 * Managed settings outrank everything: a `disableAllHooks` there, or
 * `allowManagedHooksOnly`, ends hooks of a project.  So do variables and
 * options of the client; those in our own environment are seen, options are
 * not.
 */
#ifndef CMD_DOOR_CLAUDE_H
#define CMD_DOOR_CLAUDE_H

#include "cmd/door.h"

#define CLAUDE_MANAGED	"/etc/claude-code"

/* `managed`: the folder of the machine's settings, CLAUDE_MANAGED. */
void	door_claude_check(const struct door_place *, const char *managed);

/* A multiplexer's socket is a keyboard for everything of the same user. */
void	door_terminal_check(const struct door_place *);

#endif
