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
 * Is what lies behind a link to be asked about (jail/behind.h)?  Then `real` is
 * where it leads, in a writable place.
 */
bool	links_see(const struct scene *, const struct spec *,
	    const struct walk_entry *, char real[static PATH_MAX]);

#endif
