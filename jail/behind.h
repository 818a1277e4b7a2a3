/*
 * jail/behind.h - the names that a link to a directory gives to what is in it.
 *
 * With `.cargo` a link to `c`, others find c/config.toml as
 * `.cargo/config.toml`, which is protected, though the walk that follows no
 * link sees nothing of the kind.  Below node_modules nothing is protected
 * (jail/names.h), but by a link from elsewhere it is.
 */
#ifndef JAIL_BEHIND_H
#define JAIL_BEHIND_H

#include <limits.h>

#include "jail/list.h"
#include "jail/spec.h"

/* `path` begins with the real one of the directory; `why` is a mark_why. */
typedef void behind_fn(void *arg, const char *path, unsigned why);

/*
 * Where a link leads: 1 with a real path, 0 nowhere (errno), -1 farther than
 * paths go.
 */
int	behind_follow(int dirfd, const char *name, char ret[static PATH_MAX]);

/*
 * Can a name below a link of this path be protected, or denied by a pattern?
 * `places`: the link leads into one of these, or nothing is asked about.
 */
bool	behind_may(const struct spec *, const char *link,
	    const struct list *places);

/* Can it be protected, whatever the link leads to? */
bool	behind_names(const char *link, const struct list *places);

/* Does a link that lies below no node_modules lead to or into one? */
bool	behind_packages(const char *link, const char *real,
	    const struct list *places);

struct behind {
	const struct spec	*spec;
	const struct list	*places;	/* that can be written */
	behind_fn		*fn;
	void			*arg;
	long			*budget;	/* jail/walk.h */
};

/*
 * Tell of every such name that is there, `real` being where the link leads.
 * -1 when not all was looked at: the budget or descriptors are used up.
 */
int	behind(const struct behind *, const char *link, const char *real);

#endif
