/*
 * approver/model.h - what is on the approver's screen, and what a key means.
 *
 * No terminal, no file, no clock: time comes as an argument, and what is to be
 * done comes out as a `struct model_act`.  So every rule that keeps a person
 * from approving the wrong thing can be tested to the millisecond:
 *
 *	- Items stay in the order of their arrival; the focus is an id.
 *	- A key that decides carries the id and digest that were drawn.  If
 *	  another item or other bytes are focused by now, it does nothing.
 *	- For 400 ms after something else was drawn, and after a paste or when
 *	  the terminal gets the focus, such keys are dead.
 *	- Keys that come in one burst were typed ahead or pasted: they move, but
 *	  they never decide.
 *	- Nothing is approved before all of it was on the screen.
 *	- Enter, Space and y never decide.
 *	- What is ticked was on the screen, all of it, and is approved only
 *	  while its bytes are the ones that were ticked.
 *
 * A loop: model_meet() for all that the queue lists, model_met(), then draw
 * the rows and tell model_drew(), then model_keys().
 */
#ifndef APPROVER_MODEL_H
#define APPROVER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/id.h"
#include "policy/policy.h"

#define MODEL_ITEMS	512	/* the oldest that are over make room */
#define MODEL_TEXT	400	/* bytes a person may type */
#define MODEL_EDIT	4000	/* of a command */
#define MODEL_DEAD_MS	400
#define MODEL_HASTY_MS	700	/* since it was drawn */
#define MODEL_HASTY_N	3
#define MODEL_FLOOD	6	/* of one session, waiting */

enum model_state {
	AT_WAITS = 0, AT_RUNS, AT_OVER,		/* requests */
	AT_FILE,	/* no request: a file an agent changed, */
	AT_RECORD	/* a record of the audit log */
};

struct model_item {
	unsigned		 place;		/* which folder: with the id it
						   names one request */
	char			 id[ID_MAX + 1];
	char			 session[72];	/* raw, perhaps cut */
	char			 tool[40];	/* raw, perhaps cut */
	int64_t			 since_ms;	/* boot time of its making */
	enum model_state	 state;
	enum tier		 tier;
	bool			 judged;	/* tier, digest, line are set */
	struct digest		 digest;	/* of the newest look at it, and
						   what a person added to it */
	struct digest		 shown;		/* of the look alone */
	char			*line;		/* visible, or NULL */
	char			*command;	/* raw, if it can be edited */
	char			*edited;	/* ... and was: NULL if not */
	char			*wish;		/* what to remember, or NULL */
	char			 like[96];	/* equal: similar calls; raw */
	bool			 ticked;
	struct digest		 tick;		/* what was ticked */
	char			 end[200];	/* visible; how it ended */
	bool			 met;		/* in this scan */
	bool			 put_off;	/* came while it is paused */
};

enum model_page {
	PAGE_LIST = 0, PAGE_RUNS, PAGE_PAST,		/* the tabs */
	PAGE_FILES, PAGE_RULES, PAGE_AUDIT,
	PAGE_DETAIL, PAGE_SIMILAR, PAGE_HELP
};
enum model_ask {
	ASK_NOTHING = 0, ASK_FILTER, ASK_REASON, ASK_EDIT, ASK_DROP,
	ASK_WISH, ASK_UNDO
};

/* Keys beside the bytes. */
enum model_key {
	KEY_IS_UP = 0x200, KEY_IS_DOWN, KEY_IS_LEFT, KEY_IS_RIGHT,
	KEY_IS_PAGE_UP, KEY_IS_PAGE_DOWN, KEY_IS_FOCUS_IN, KEY_IS_FOCUS_OUT,
	KEY_IS_PASTE, KEY_IS_PASTE_END, KEY_IS_BACKSPACE, KEY_IS_HOME,
	KEY_IS_END, KEY_IS_DELETE
};

enum model_do {
	DO_NOTHING = 0, DO_APPROVE,
	DO_ATTACH,		/* approve, and give it the terminal */
	DO_APPROVE_TICKED,	/* every item that model_is_ticked */
	DO_DENY,
	DO_DROP,		/* deny all that wait from session `text` */
	DO_STOP,
	DO_UNDO,		/* a file as before the change drawn */
	DO_QUIT
};

struct model_act {
	enum model_do	what;
	unsigned	place;
	char		id[ID_MAX + 1];
	struct digest	digest, shown;	/* of what was drawn; see model_item */
	char		text[MODEL_TEXT + 1];	/* of a deny; "" for none */
};

struct model {
	struct model_item	*items;		/* by arrival */
	size_t			 n;
	char			 focus[ID_MAX + 1];
	unsigned		 focus_place;
	enum model_page		 page, from;	/* where back leads */
	char			 like[96];	/* of PAGE_SIMILAR */
	size_t			 top;		/* first line of the detail */
	bool			 loose;		/* not at the end of what is
						   read from its end */
	bool			 paused, pasting;
	int64_t			 live_ms;	/* deciding keys work then on */

	enum model_ask		 ask;
	char			 typed[MODEL_EDIT + 1];
	size_t			 cursor;	/* in it */
	char			 filter[MODEL_TEXT + 1];
	struct model_act	 asked;		/* what the reason is for */

	struct {				/* on the screen */
		unsigned	 place;
		char		 id[ID_MAX + 1];
		struct digest	 digest;
		enum tier	 tier;
		int64_t		 at_ms;
		size_t		 rows, lines, seen;
		bool		 whole;
	} drawn;
	unsigned		 hasty;
	size_t			 more;		/* wait beyond the limit */
	char			 said[240];	/* visible; "" for nothing */
};

void	model_init(struct model *);
void	model_clear(struct model *);

/* --- what the queue says --- */

/*
 * The item with this id, made if it is new; NULL when there is no room.  Files
 * and records are met in the order in which they are to be shown.
 */
struct model_item *model_meet(struct model *, unsigned place,
	    const char *id, const char *session, enum model_state);
/* All were met: what was not is over, and the focus moves on if it must. */
void	model_met(struct model *, size_t more);
/* Forget every item of this state. */
void	model_forget(struct model *, enum model_state);
/* What a person looks at: the tab, also while one of its items is read. */
enum model_page model_tab(const struct model *);
/* A look at an item: these bytes are what a key would approve. */
struct model_look {
	enum tier		 tier;
	const struct digest	*digest;	/* of the request as judged */
	const char		*line;		/* visible */
	const char		*command;	/* NULL: cannot be edited */
	const char		*like;		/* "": to nothing else */
};
void	model_judged(struct model_item *, const struct model_look *);
struct model_item *model_find(struct model *, unsigned place, const char *id);
/* Ticked, and still those bytes. */
bool	model_is_ticked(const struct model_item *);
bool	model_has_focus(const struct model *, const struct model_item *);

/* --- what is to be drawn --- */

/* Indices of the rows of this page, at most MODEL_ITEMS; returns how many. */
size_t	model_rows(const struct model *, size_t ret[static MODEL_ITEMS]);
struct model_item *model_focused(struct model *);
/* If the focus is on no row, onto the one where it was. */
void	model_refocus(struct model *);
size_t	model_count(const struct model *, enum model_state);
size_t	model_put_off(const struct model *);
/* The session that floods, and how many of it wait; 0: none. */
size_t	model_flood(const struct model *, const char **ret_session);

/*
 * The focused item is on the screen: lines [from, to) of `lines`.  True when
 * it is another one, or other bytes, than before: drop what was typed.
 */
bool	model_drew(struct model *, size_t from, size_t to, size_t lines,
	    int64_t now_ms);
/* Nothing of it is on the screen any more: no key can mean it. */
void	model_hid(struct model *);

/* --- what a person types --- */

/* All keys that were there at once; stops behind one that wants something. */
void	model_keys(struct model *, const int *keys, size_t n, int64_t now_ms,
	    struct model_act *ret);
void	model_say(struct model *, const char *visible_text);
/* "a approve  d deny ..." as far as it holds now. */
const char *model_hint(struct model *, int64_t now_ms);
/* How long until what is drawn can be decided; -1: it can, or never will. */
int	model_live_in(struct model *, int64_t now_ms);
/* The help page: lines without end; NULL behind the last. */
extern const char *const model_help[];

#endif
