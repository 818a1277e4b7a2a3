/*
 * approver/show_inside.h - what the files that show a request share: show.c has
 * the order, show_what.c the call itself, show_signals.c what destroys
 * something, show_json.c the same for programs.
 */
#ifndef APPROVER_SHOW_INSIDE_H
#define APPROVER_SHOW_INSIDE_H

#include "approver/show.h"

/* A label, and hostile text on one line. */
void	show_line(struct str *ret, const char *label, const char *text);
/* The command with what it does underlined, a diff, or the input. */
void	show_what(struct str *ret, const struct view *);
/*
 * The lines of the command, of the files it runs and, where it carries out a
 * plan, of the newest plan that was made here, that destroy something.
 */
void	show_signals(const struct showing *, struct str *ret);
cJSON  *show_signals_json(const struct showing *);

#endif
