/*
 * jail/mountinfo.h - what is mounted where, and under which second paths a
 * path can be reached because of that.
 *
 *	mountinfo_read(...)	or mountinfo_parse(...)
 *	mountinfo_aliases(...)
 *	mountinfo_clear(...)
 */
#ifndef JAIL_MOUNTINFO_H
#define JAIL_MOUNTINFO_H

#include <stddef.h>

#include "jail/list.h"

struct mountinfo {
	struct mounted {
		char	*dev;	/* "major:minor" of its file system */
		char	*root;	/* what of that is shown, */
		char	*at;	/* and where */
	}	*v;
	size_t	 n;
};

/* Of this process; holds nothing where there is no /proc. */
void	mountinfo_read(struct mountinfo *ret);
/* A line of /proc/self/mountinfo; one that is none is left out. */
void	mountinfo_parse(struct mountinfo *, const char *line);
void	mountinfo_clear(struct mountinfo *);

/*
 * Where else what lies at `path` (absolute, normal, free of links) is shown:
 * to `ret` go a path and what it should be the same as, in turns.  That is
 * path itself, or, where a part of a directory is mounted, that part.  What
 * lies over it may be something else: the caller compares the two.
 */
void	mountinfo_aliases(const struct mountinfo *, const char *path,
	    struct list *ret);

#endif
