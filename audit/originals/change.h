/*
 * audit/originals/change.h - one path that one deed changed.
 *
 *	timeline_read(...)
 *	change_each(store, deed, fn, arg, e)	for each path of a deed
 *	change_diff(store, change, ret, e)	which lines
 */
#ifndef AUDIT_ORIGINALS_CHANGE_H
#define AUDIT_ORIGINALS_CHANGE_H

#include "audit/originals/timeline.h"
#include "common/str.h"

#define CHANGE_TEXT	(4 * 1024 * 1024)	/* of either side of a diff */

struct change {
	const struct deed	*deed;
	const char		*path;
	const struct file_state	*was, *now;	/* now NULL: not noted */
};

/* "created", "changed", ...; "unconfirmed" where nobody saw the call end. */
const char	*change_word(const struct change *);
/* May it be shown: no baseline, and its contents were not let go? */
bool		 change_is_kept(const struct timeline *, const struct deed *);

/*
 * What was seen to be different; of a deed that was not seen to end, what was
 * to be.  Stops when fn returns nonzero, which is passed on.
 */
typedef int change_fn(void *arg, const struct change *, struct err *);
int	change_each(struct store *, const struct deed *, change_fn *,
	    void *arg, struct err *);

/*
 * Append a unified diff that is visible() already, with its newlines.  1:
 * there is none to show, because a side is no text, too long or was not kept.
 */
int	change_diff(struct store *, const struct change *, struct str *ret,
	    struct err *);

#endif
