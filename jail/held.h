/*
 * jail/held.h - files that were there at the start, known by more than a name.
 *
 * A mount holds a name only while nobody outside replaces the file: a rename
 * over it, from an editor or from another jail, takes the mount away, and what
 * is there afterwards can be written inside.  So a file is remembered by its
 * device, its number, and the time it was made, because numbers are used again.
 *
 * That is not enough where the same file comes back: set aside by the sweep of
 * another jail, written by a second name of it, and renamed.  Where our mounts
 * are, one must be on it, or it must lie where nothing can be written;
 * elsewhere the time of its last change counts too, but for directories, which
 * have no second name.
 */
#ifndef JAIL_HELD_H
#define JAIL_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct held {
	char		*path;		/* real */
	uint32_t	 major, minor;	/* of the device */
	uint64_t	 ino;
	int64_t		 born_s;
	uint32_t	 born_ns;	/* 0, 0 where nobody keeps it */
	int64_t		 changed_s;
	uint32_t	 changed_ns;
};

struct helds {
	struct held	*v;
	size_t		 n;
	bool		 mounts;	/* they are asked where ours are */
};

enum held_now {
	HELD_NEW,	/* no file of that name was there */
	HELD_OTHER,	/* another one was */
	HELD_STILL	/* it is the same, or a mount of ours is still on it */
};

/*
 * Remember what is at path now; nothing there is nothing to remember.  In the
 * order of path_order (jail/list.h).
 */
void	held_add(struct helds *, const char *path);
void	held_clear(struct helds *);

/* `path` is that of `name` in dirfd. */
enum held_now	held_ask(const struct helds *, int dirfd, const char *name,
		    const char *path);

/* Is the path, or a directory above it, still what it was? */
bool	held_covers(const struct helds *, const char *path);

#endif
