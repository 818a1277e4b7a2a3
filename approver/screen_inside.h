/*
 * approver/screen_inside.h - what the files of the screen share.
 */
#ifndef APPROVER_SCREEN_INSIDE_H
#define APPROVER_SCREEN_INSIDE_H

#include "approver/follow.h"
#include "approver/model.h"
#include "approver/screen.h"
#include "common/str.h"
#include "queue/watch.h"

struct screen {
	struct desk	*desk;
	struct signer	*signer;
	struct watch	*watch;
	struct model	 m;
	int64_t		 swept;
	bool		 ending;	/* look again soon: something is
					   over that has no result yet */

	/* The text of the focused item, folded for `columns`. */
	struct str	 detail;
	char		 detail_id[ID_MAX + 1];
	unsigned	 columns;
	bool		 waiter;

	/* Output of the focused run: its end, visible. */
	struct follow	*follow;
	char		 follow_id[ID_MAX + 1];
	struct str	 output;
	size_t		 dropped;	/* bytes before it */
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
/*
 * Append visible text as this terminal can take it: where its bytes are not
 * UTF-8, characters beyond ASCII become <U+00E9>, or they might be controls.
 */
void	term_text(const char *, size_t len, struct str *ret);
/* Drop what was typed. */
void	term_drop_keys(void);
/* The other end is gone: there is no more input. */
bool	term_is_gone(void);

/* --- screen_draw.c --- */

enum paint {
	PAINT_PLAIN = 0, PAINT_BAR, PAINT_DIM, PAINT_BOLD, PAINT_LOW,
	PAINT_MEDIUM, PAINT_HIGH, PAINT_CRITICAL
};
/* How wide the detail is now. */
unsigned screen_columns(const struct screen *);
void	screen_draw(struct screen *);
/* Colours, where there are some and nobody said NO_COLOR. */
void	paint_begin(void);

/* --- screen_detail.c --- */

/* Judge an item for its row; with `detail` also its text. */
int	detail_judge(struct screen *, struct model_item *, bool detail,
	    struct err *);
/* What a run says: s->detail anew. */
void	detail_run(struct screen *, const struct model_item *);
void	detail_close(struct screen *);

#endif
