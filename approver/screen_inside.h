/*
 * approver/screen_inside.h - what the files of the screen share.
 */
#ifndef APPROVER_SCREEN_INSIDE_H
#define APPROVER_SCREEN_INSIDE_H

#include "approver/changed.h"
#include "approver/follow.h"
#include "approver/logtail.h"
#include "approver/model.h"
#include "approver/notify.h"
#include "approver/screen.h"
#include "common/str.h"
#include "queue/watch.h"

#include <time.h>

#define SHELF_PLACES	32	/* of which a change is noticed at once */

/* The end of what one run says, visible. */
struct tail {
	unsigned	 place;
	char		 id[ID_MAX + 1];	/* "": of none */
	struct follow	*follow;
	struct str	 output;
	size_t		 dropped;		/* bytes before it */
};

/* The tabs of what is no request; read while one looks at them. */
struct shelf {
	const struct home **homes;
	struct timespec	 pins[SHELF_PLACES];	/* of audit.head then */
	int64_t		 due_ms;	/* not looked at again before that */
	bool		 has_files, has_log;
	struct changed	 files;
	struct logtail	 log;
	struct str	 chain;		/* how the log is, visible */
	bool		 broken;
};

struct screen {
	const struct watched	*on;
	struct watch		*watch;
	struct shelf		 shelf;
	struct model		 m;
	struct notify		 notify;
	int64_t			 swept;
	bool			 ending;	/* look again soon: something
						   over has no result yet */

	/* The text of the focused item, or of a page, folded for `columns`. */
	struct str		 detail;
	unsigned		 columns;
	struct tail		 own;		/* of the focused run */

	/* The third column: what runs, live. */
	struct str		 side_text;
	struct tail		 side;
};

/* --- screen_term.c --- */

int	term_enter(struct err *);
void	term_leave(void);
/* Give the terminal away for a question, or to the shell; take it back. */
void	term_lend(void);
void	term_take_back(void);
/* Did a signal ask us to end, or (clearing it) to stop for a while? */
bool	term_must_end(void);
bool	term_must_stop(void);
/* All keys that are there, in the model's words; 0 when none. */
size_t	term_keys(int *ret, size_t max);
/* Drop what was typed. */
void	term_drop_keys(void);
/* The other end is gone: there is no more input. */
bool	term_is_gone(void);

/* --- screen_draw.c --- */

/* How wide the detail, and the third column (0: there is none), are now. */
unsigned screen_columns(const struct screen *);
unsigned screen_side_columns(const struct screen *);
void	screen_draw(struct screen *);

/* --- screen_paint.c --- */

enum paint {
	PAINT_PLAIN = 0, PAINT_BAR, PAINT_DIM, PAINT_BOLD, PAINT_LOW,
	PAINT_MEDIUM, PAINT_HIGH, PAINT_CRITICAL
};
struct box {
	int	y, x, h, w;
};
/* Colours, where there are some and nobody said NO_COLOR. */
void	paint_begin(void);
enum paint paint_of(enum tier);
/*
 * Append visible text as this terminal can take it: where its bytes are not
 * UTF-8, characters beyond ASCII become <U+00E9>, or they might be controls.
 */
void	paint_text(const char *, size_t len, struct str *ret);
/*
 * One line into b's row y: never past its edge, blanks up to it.  What is cut
 * ends in "~".
 */
void	paint_line(const struct box *, int y, enum paint, const char *text,
	    size_t len);
void	paint_str(const struct box *, int y, enum paint, const char *text);

/* --- screen_judge.c --- */

/* Every row once, what is focused at every look; by the rules of now. */
void	screen_judge(struct screen *);

/* --- screen_detail.c --- */

/* Judge an item for its row; with `detail` also its text. */
int	detail_judge(struct screen *, struct model_item *, bool detail,
	    struct err *);
/* Text, as far as the terminal can take it, folded for the detail. */
void	detail_fold(struct screen *, const struct str *text);
/* What a run says, as s->detail or as the third column. */
void	detail_run(struct screen *, const struct model_item *);
void	detail_side(struct screen *);
/* The policies in force, as they were accepted. */
void	detail_rules(struct screen *);
void	detail_help(struct screen *);
void	tail_close(struct tail *);

/* --- screen_shelf.c --- */

/* The rows of the tab that is looked at; none of the others. */
void	shelf_look(struct screen *);
/* One file's change, or one record, as s->detail. */
void	shelf_detail(struct screen *, const struct model_item *);
void	shelf_restore(struct screen *, const struct model_act *);
void	shelf_close(struct shelf *);

/* --- screen_act.c --- */

/* True: a person wants to leave. */
bool	screen_act(struct screen *, const struct model_act *);
void	screen_say_err(struct screen *, const struct err *);
/* After somebody else had the terminal. */
void	screen_take_back(struct screen *);

#endif
