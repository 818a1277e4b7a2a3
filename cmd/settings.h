/*
 * cmd/settings.h - put our hooks into an agent's settings text, and take them
 * out.  Pure: text in, text out; every other byte stays as it is.
 *
 * What a row of cmd/agent.h says is all these functions know about an agent.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "cmd/agent.h"
#include "common/err.h"
#include "common/json.h"
#include "common/str.h"
#include "hooks/registration.h"

#define SETTINGS_MAX	(1024 * 1024)

/*
 * The settings with each of our registrations exactly once.  Entries of ours
 * for other places (an older installation, the folder's former path) are
 * replaced.  Refuses a text the client would drop, or settings_check refuses.
 * `text` is changed in place; "" stands for a missing file.  `only` chooses
 * the file of an agent that has one per event.
 */
int	settings_add(const struct agent *, const struct registration *only,
	    const struct registration_place *, struct str *text, struct err *);

/*
 * Without any entry of ours, be it of another row with the same file; empty
 * containers we leave behind go too.  A whole file of ours becomes "".
 */
int	settings_remove(const struct agent *, struct str *text, struct err *);

/* The text as this client reads it: with comments or without, an object. */
int	settings_parse(const struct agent *, const struct str *text,
	    cJSON **ret, struct err *);

/* Nothing is left in it: white space, or braces and white space. */
bool	settings_empty(const struct str *text);

/*
 * Would the client read this text, and is nothing in it that undoes us?
 * `need`: and are all our entries in it, as we would write them now?
 */
int	settings_check(const struct agent *, const struct registration *only,
	    const struct registration_place *, const struct str *text,
	    bool need, struct err *);

/* The lines a person puts in where we must not: for the screen. */
void	settings_by_hand(const struct agent *,
	    const struct registration_place *, struct str *ret);

#endif
