/*
 * jail/plan.h - from marks on paths to the list of mounts.  Pure: no file
 * system, no environment, no clock.
 *
 * A mark says what some path is (a root of writing, denied, protected, ...).
 * jail/scan.h makes the marks; every path in them exists, is absolute, normal
 * and free of links.  The plan says which paths differ from their
 * surroundings, in an order that can be carried out from first to last.
 *
 * In a writable place every directory above something hidden or protected is
 * made a mount point too: renaming it would otherwise uncover the name.
 */
#ifndef JAIL_PLAN_H
#define JAIL_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

enum mark_why {
	MARK_WRITE = 1,		/* allowWrite */
	MARK_DENY_WRITE = 2,	/* denyWrite */
	MARK_NAME = 4,		/* a protected name (jail/names.h) */
	MARK_DENY_READ = 8,	/* denyRead */
	MARK_READ = 16,		/* allowRead */
	MARK_PRIVATE = 32,	/* the command gets its own, empty: /tmp, ... */
	MARK_SOCKET = 64,	/* a unix socket of the host */
	MARK_ALLOW_SOCKET = 128,/* allowUnixSockets */
	MARK_CWD = 256,		/* where the command starts */
	MARK_OPEN = 512,	/* ours to give: writable, also in what is
				   hidden, closed or protected */
	MARK_CLOSED = 1024,	/* hidden whatever the settings say */
	MARK_SHOWN = 2048,	/* ours to give: readable, also in what is
				   closed */
	MARK_PIPE = 4096	/* a pipe that has a name: no read-only mount
				   keeps it from being written */
};

struct mark {
	char		*path;
	unsigned	 why;		/* of enum mark_why, or'ed */
	bool		 dir;
};

struct marks {
	struct mark	*v;
	size_t		 n;
	size_t		 settled;	/* of them */
};

/* The path is copied; two marks on one path are as one with both reasons. */
void	marks_add(struct marks *, const char *path, unsigned why, bool dir);
/* Make them a table (jail/list.h) in which each path is once. */
void	marks_settle(struct marks *);
/* Of those that were there then: the one at path, or NULL. */
struct mark *marks_find(const struct marks *, const char *path, size_t len);
void	marks_clear(struct marks *);

enum op_kind {
	OP_HIDE,	/* empty and closed to writing */
	OP_PRIVATE,	/* a fresh tmpfs, for everyone inside */
	OP_READ,	/* the host's, read-only */
	OP_WRITE,	/* the host's, writable */
	OP_DIR		/* an empty directory, so that one can stand there */
};

struct op {
	char		*path;
	enum op_kind	 kind;
	bool		 dir;	/* else anything that is no directory */
	bool		 make;	/* lies in something empty: make it first */
};

struct plan {
	struct op	*v;	/* parents before children */
	size_t		 n;
};

/*
 * What counts, per path: what is closed is hidden, but for MARK_OPEN and
 * MARK_SHOWN below it; a read denial that is more specific than every
 * allowRead hides; of a private place, what was named to be read or written,
 * and the starting directory, stays; denials of writing and protected names
 * beat permissions wherever they stand, but for MARK_OPEN below them.  Hiding
 * "/" is an error.  The marks are settled.
 */
int	plan_make(struct marks *, struct plan *ret, struct err *);
void	plan_clear(struct plan *);

#endif
