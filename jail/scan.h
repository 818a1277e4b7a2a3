/*
 * jail/scan.h - look at the machine and mark what the settings speak of.
 *
 * The only part of planning that does I/O, before any wall is built and with
 * the rights of the caller.  A path that does not exist makes no mark; the
 * sweep at the end (jail/sweep.h) looks for those that came to exist.
 */
#ifndef JAIL_SCAN_H
#define JAIL_SCAN_H

#include "jail/gitleads.h"
#include "jail/held.h"
#include "jail/plan.h"
#include "jail/spec.h"

/*
 * A protected name that is a link, or a link on its way: a mount cannot hold
 * it, so it is put back at the end if it changed.
 */
struct link {
	char	*path, *text;
	char	*real;		/* where it leads; NULL: nowhere */
};

struct scene {
	struct marks	 marks;
	struct helds	 held;		/* of them, what stays as it is */
	struct gitleads	 git;		/* its home is the caller's */
	struct list	 stay;		/* where it leads, and what is closed,
					   there or not: a table (jail/list.h)
					   */
	struct list	 roots;		/* writable places */
	struct link	*links;
	size_t		 n_links;
	struct link	*ways;		/* could make protected names */
	size_t		 n_ways;
	struct list	 notes;		/* for the user: what was not done */
};

/* What the caller gives, whatever the settings say, also below `closed`. */
struct jail_gifts {
	struct list	 shown;		/* can be read */
	struct list	 open;		/* can be written */
	struct list	 held;		/* of those, what cannot */
};

struct scan_place {
	const char	*cwd;		/* real */
	const char	*home;
	const char	*account;	/* another home, as in jail/spec.h */
	const char	*tmpdir;	/* $TMPDIR, or NULL */
	char *const	*environ;	/* where it may name sockets; or NULL */
	const struct list *closed;	/* hidden, where they exist; only gifts
					   open what is in them */
	const struct jail_gifts *gifts;	/* or NULL */
};

/*
 * allowWrite and allowRead through a link count only if root owns the link:
 * others may have been planted by an earlier run.  Hard links inside writable
 * places to something denied or protected, and other places where a part of
 * the tree with such is mounted, are marked like it.  Where git
 * configurations that count in writable places lead (jail/gitleads.h) is
 * protected as a name is, there or not.
 */
int	scan(const struct spec *, const struct scan_place *,
	    struct scene *ret, struct err *);
void	scene_clear(struct scene *);

/* Not a place that a jail has of its own in any case. */
bool	scan_mountable(const char *path);

#endif
