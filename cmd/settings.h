/*
 * cmd/settings.h - put our hooks into an agent's settings text, and take them
 * out.  Pure: text in, text out; every other byte stays as it is.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "common/err.h"
#include "common/str.h"
#include "hooks/registration.h"

#define SETTINGS_MAX	(1024 * 1024)

/*
 * Claude Code's settings.json with each of our registrations exactly once.
 * Entries of ours for other places (an older installation) are replaced.
 * Refuses a text the client would drop, or that registration_check refuses.
 * `text` is changed in place; "" stands for a missing file.
 */
int	settings_claude_add(struct str *text,
	    const struct registration_place *, struct err *);

/* Without any entry of ours; empty containers we leave behind go too. */
int	settings_claude_remove(struct str *text, struct err *);

#endif
