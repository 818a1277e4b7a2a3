/*
 * jail/scan_sockets.h - unix sockets of the host; part of jail/scan.c.
 *
 * The network namespace hides those without a file; one with a file is reached
 * by its path, and the kernel lists it under the name it was bound to, which
 * may be relative, or not the one it has now.  Marked is
 *
 *	- what is listed, relative names from where a process of ours stands,
 *	- every socket beside one of these, in the homes and their .ssh: a name
 *	  is often linked or renamed to its place when it serves,
 *	- what variables name that such sockets are found by,
 *	- sockets that are mounted.
 *
 * One that is moved elsewhere, or made later, is not seen.
 */
#ifndef JAIL_SCAN_SOCKETS_H
#define JAIL_SCAN_SOCKETS_H

#include "jail/mountinfo.h"
#include "jail/scan.h"

void	sockets_mark(struct marks *, const struct scan_place *,
	    const struct mountinfo *);

#endif
