/*
 * approver/screen.h - the full-screen watch: docs/WATCH.md.
 *
 * model.h says what a key means; this draws the model with ncurses, reads
 * keys, looks at the queue and does what the model wants.  Everything that a
 * stranger had a word in passed visible() before it comes here; ncurses is no
 * sanitiser.
 *
 *	screen.c	the loop: look, judge, draw, hear, do
 *	screen_judge.c	what is on the screen is judged at every look
 *	screen_act.c	what a key wants is done
 *	screen_draw.c	from the model to lines in their places
 *	screen_paint.c	from a line to cells
 *	screen_term.c	the terminal, and how it is given back
 *	screen_detail.c	the text of the right or lower half
 *	screen_tail.c	the end of what runs say
 *	screen_shelf.c	the tabs of what is no request: files, the log
 */
#ifndef APPROVER_SCREEN_H
#define APPROVER_SCREEN_H

#include <stdbool.h>

#include "approver/watched.h"

/* stdin and stdout are terminals and TERM names one that can do it. */
bool	screen_can(void);

/*
 * Until `q`, SIGINT, SIGTERM, SIGHUP or the end of the terminal; 0, or -1 when
 * the queue cannot be read.  The terminal is as before on every way out, also
 * on a crash.  Runs go on.
 */
int	screen_run(const struct watched *, struct err *);

#endif
