/*
 * jail/scan_inodes.h - second names of what is denied; part of jail/scan.c.
 *
 * A mount guards a path; where a directory around it is mounted a second time
 * there is another one to the same bytes, and a hard link is a third.
 * Every file that is marked as denied or protected, or lies in a directory
 * that is, and has more than one link is looked for in the writable places,
 * and its other names there get the same marks.  Of a denied directory the
 * first 50,000 entries are looked at, of one with openings in it none.
 */
#ifndef JAIL_SCAN_INODES_H
#define JAIL_SCAN_INODES_H

#include "jail/plan.h"

struct list;
struct mountinfo;

/* What is denied, protected or a socket, under its other mounts' paths. */
void	mounts_mark(struct marks *, const struct mountinfo *);

int	inodes_mark(struct marks *, const struct list *roots, long *budget,
	    struct err *);

#endif
