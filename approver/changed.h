/*
 * approver/changed.h - what agents did to files, for a person who may want
 * something back: the same for the screen and for the line mode.
 *
 *	changed_read(homes, n, max, &c, e)	rows, the newest first
 *	changed_text(&c, row, ret, e)		who, when, which lines
 *	changed_restore(home, row, said, e)	as before that change
 *	changed_clear(&c)
 *
 * Rows are as true as the audit log and the store of originals
 * (audit/originals/timeline.h); a row that was shown names one change of one
 * path for ever, so a late key cannot mean another one.
 */
#ifndef APPROVER_CHANGED_H
#define APPROVER_CHANGED_H

#include "common/digest.h"
#include "common/err.h"
#include "common/id.h"
#include "common/str.h"
#include "queue/home.h"

struct timeline;

struct changed_row {
	unsigned	 place;			/* index into homes */
	uint64_t	 seq;			/* of the deed */
	int64_t		 wall_ms;
	char		*path;			/* raw, below the project */
	char		*line;			/* visible */
	char		 session[72];		/* raw, perhaps cut */
	char		 id[ID_MAX + 1];	/* of the row, in its place */
	struct digest	 digest;		/* of all a row stands for */
	uint64_t	 again;			/* the path's next later change
						   that is a row; 0: none */
};

struct changed {
	const struct home *const *homes;	/* borrowed */
	struct timeline	*time;			/* one a home */
	size_t		 n_homes;
	struct changed_row *row;		/* the newest first */
	size_t		 n;
};

/* A project in which nothing was kept yet has no rows. */
int	changed_read(const struct home *const *homes, size_t n, size_t max,
	    struct changed *ret, struct err *);
void	changed_clear(struct changed *);
const struct changed_row *changed_find(const struct changed *,
	    unsigned place, const char *id);

/* Visible, with newlines. */
int	changed_text(const struct changed *, const struct changed_row *,
	    struct str *ret, struct err *);

/*
 * Exactly `sandbox restore --request SEQ PATH`: what is there now is kept
 * first.  Appends one visible line that says what came of it.
 * ERR_PERMITTED: an agent asks.
 */
int	changed_restore(const struct home *, const struct changed_row *,
	    struct str *ret_said, struct err *);

#endif
