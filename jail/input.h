/*
 * jail/input.h - standard input that is a file of the host's; part of
 * jail/inside.c.
 *
 * The descriptor keeps the mount it was opened through, which is outside of
 * the plan: whoever owns the file could change its mode and times, and open it
 * again for writing by /proc/self/fd/0.  So it is opened anew, for reading,
 * through a read-only mount of its own.
 */
#ifndef JAIL_INPUT_H
#define JAIL_INPUT_H

#include "common/err.h"

struct input {
	int	given, ours;	/* both -1: it is no such file */
};
#define INPUT_NONE	{ -1, -1 }

/*
 * With all capabilities, in fresh namespaces, while the old tree is there.  A
 * file that is not ours and that we cannot write is left where it cannot be
 * opened anew; one that could be changed is an error.
 */
int	input_begin(struct input *ret, struct err *);

/* Whoever gave it goes on where the command stopped reading. */
void	input_end(const struct input *);

#endif
