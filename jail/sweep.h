/*
 * jail/sweep.h - after everything inside is dead: what came to exist under
 * names that were to stay as they are.
 *
 * A mount can hold what exists; a name that does not exist yet would need a
 * ghost file on the host.  So such names can be made while the command runs,
 * and are taken away before its end is reported: the file is set aside in
 * place, as NAME.set-aside (or -2, -3, ...), and said.  Until then programs
 * outside may see it (docs/THREATS.md).  Set aside are
 *
 *	- denyWrite paths and patterns, and protected names, that are new;
 *	- new hooks of any git directory, samples excepted;
 *	- links to directories that make such a name of something new, or
 *	  that are new, could, and lead out of the writable places;
 *	- `.git` files and links that lead out of the writable places;
 *	- those, and any link, that lead to git's objects, where nobody looks,
 *	  or into a place that the caller gave (struct jail_gifts).
 *
 * Of a new git configuration only bookkeeping stays (jail/gitconfig.h), and a
 * protected link that was changed is put back, or set aside where it leads to
 * another file all the same.
 */
#ifndef JAIL_SWEEP_H
#define JAIL_SWEEP_H

#include "jail/scan.h"

#define SWEEP_NOTES	100	/* said; one more is kept */

/*
 * `notes` gets a line for whatever was done, and what could not be, as far as
 * there is room.  -1 when not everything was looked at, for instance because
 * somebody closes a directory of ours again and again, or something is still
 * there that should be gone; the rest is looked at all the same, and it can be
 * tried again.
 */
int	sweep(const struct spec *, const struct scene *, struct list *notes,
	    struct err *);

/* The same, and `say` gets the notes. */
int	sweep_and_say(const struct spec *, const struct scene *,
	    void (*say)(void *arg, const char *line), void *arg, struct err *);

#endif
