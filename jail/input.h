/*
 * jail/input.h - descriptors 0 to 2 that are files of the host's; part of
 * jail/inside.c.
 *
 * A descriptor keeps the mount it was opened through, which is outside of the
 * plan: whoever owns the file could change its mode and times, and open it
 * again for writing by /proc/self/fd.  So what was given to be read, and a pipe
 * that has a name, is opened anew through a read-only mount of its own.
 */
#ifndef JAIL_INPUT_H
#define JAIL_INPUT_H

#include "common/err.h"

#define INPUTS	3

struct input {
	int	given, ours;	/* both -1: there is no place in it */
};

/*
 * With all capabilities, in fresh namespaces, while the old tree is there.  A
 * file that is not ours and that we cannot write is left where it cannot be
 * opened anew; one that could be changed is an error.
 */
int	input_begin(struct input ret[static INPUTS], struct err *);

/* Whoever gave it goes on where the command stopped reading. */
void	input_end(const struct input [static INPUTS]);

#endif
