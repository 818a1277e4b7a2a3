/*
 * cmd/door_hooks.h - Claude Code's own registration, proved: every settings
 * layer is one the client reads, ours says what init would write now, and each
 * registered program is fired with a sample event.
 */
#ifndef CMD_DOOR_HOOKS_H
#define CMD_DOOR_HOOKS_H

#include "cmd/door.h"

void	door_hooks_check(const struct door_place *);

#endif
