/*
 * jail/scan_links.h - links that stay as they are; part of jail/scan.c.
 */
#ifndef JAIL_SCAN_LINKS_H
#define JAIL_SCAN_LINKS_H

#include "jail/scan.h"

/* The link at path, and those that it leads to; nothing if it is none. */
void	links_remember(struct scene *, const char *path);

#endif
