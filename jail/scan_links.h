/*
 * jail/scan_links.h - links that stay as they are, and links by which names
 * are found; part of jail/scan.c.
 */
#ifndef JAIL_SCAN_LINKS_H
#define JAIL_SCAN_LINKS_H

#include <limits.h>

#include "jail/scan.h"
#include "jail/walk.h"

/* The link at path, and those that it leads to; nothing if it is none. */
void	links_remember(struct scene *, const char *path);

/*
 * Is what lies behind a link to be asked about (jail/behind.h)?  Then 1, and
 * `real` is where it leads, in a writable place; -1: no descriptor is left to
 * tell.  One that could make protected names is remembered wherever it leads.
 */
int	links_see(struct scene *, const struct spec *,
	    const struct walk_entry *, char real[static PATH_MAX]);

/*
 * Is it a link that was not remembered so, or led elsewhere then?  `real` is
 * NULL where it leads nowhere: inside, the old place may be hidden.
 */
bool	links_is_new(const struct scene *, const struct walk_entry *,
	    const char *real);

void	links_clear(struct link *, size_t n);

#endif
