/*
 * jail/sweep_links.h - names that are reached through links; part of
 * jail/sweep.c.
 */
#ifndef JAIL_SWEEP_LINKS_H
#define JAIL_SWEEP_LINKS_H

#include "jail/sweep_aside.h"
#include "jail/walk.h"

#define STRAYS	"leads where nobody looks"

/*
 * Does this sweep look at what lies at a real path?  It must be in a writable
 * place, not among the objects of a `.git`, whose files nobody opens, and not
 * in a given one (sweep_given).
 */
bool	sweep_sees(const struct sweeper *, const char *path);

/*
 * Is it a link to such objects, from elsewhere into a given place, farther than
 * a path is long, or one too many or too deep to be judged later?  One that
 * leads through a closed directory, or could make protected names
 * (jail/behind.h), is judged by sweep_later, when everything is open, names
 * were set aside, and descriptors are free.
 */
bool	sweep_link_strays(struct sweeper *, const struct walk_entry *);
void	sweep_later(struct sweeper *);

/* Put a protected link back. */
void	sweep_link(struct sweeper *, const struct link *);

/*
 * Now that it is the same link: is what it leads to in a writable place still
 * the file that it was?  It may have led nowhere, or through a directory.
 */
void	sweep_link_target(struct sweeper *, const struct link *);

/* Something that was to stay as it is may have come to exist behind a link. */
void	sweep_behind(struct sweeper *, const char *path, const char *why);

#endif
