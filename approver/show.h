/*
 * approver/show.h - one request on paper: for eyes, and as JSON.
 *
 * The order for eyes is the order in which a person decides: how grave, what,
 * what it does, where, who, why it stopped, what came before, what would
 * happen, which bytes.  Everything passes visible().
 */
#ifndef APPROVER_SHOW_H
#define APPROVER_SHOW_H

#include "approver/desk.h"
#include "approver/summary.h"
#include "approver/view.h"

struct showing {
	const struct home	*home;
	struct queue		*queue;		/* the desk's */
	/* The desk's, to say which rule would allow it; NULL where an agent may
	   be reading. */
	const struct policy	*policy;
	struct history		*history;	/* the desk's */
	const struct view	*view;
	enum entry_state	 state;
	bool			 waiter;
	struct clock		 now;
	unsigned		 columns;	/* of the terminal; 0: none */
	const char		*options;	/* for the line to paste: "" or
						   " -C 'dir'" */
};

const char     *show_state_name(enum entry_state);
/* "!!!" "!!" "!" "." */
const char     *show_tier_mark(enum tier);

/* Keys are only added; tests/cli/approver-decide.bats names them. */
cJSON	       *show_json(const struct showing *);
void		show_text(const struct showing *, struct str *ret);
/* The same without the lines to paste. */
void		show_detail(const struct showing *, struct str *ret);

/* One element of `pending --json`; `line` is the one-line summary. */
cJSON	       *show_pending_json(const struct showing *);
void		show_pending_line(const struct showing *, struct str *ret);

#endif
