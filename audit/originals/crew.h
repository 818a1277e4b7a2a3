/*
 * audit/originals/crew.h - one thing after the other, several at once.
 *
 * Giving back thousands of files mostly waits for the disk, one small answer
 * after the other.  Internal to the room.
 */
#ifndef AUDIT_ORIGINALS_CREW_H
#define AUDIT_ORIGINALS_CREW_H

#include <stddef.h>

/*
 * fn(arg, i) for every i below n, in no order, by a few threads where n is
 * worth them.  What fn writes must be item i's own.
 */
typedef void crew_fn(void *arg, size_t i);
void	crew_run(size_t n, crew_fn *, void *arg);

#endif
