/*
 * audit/originals/capture.h - what lies at a path of the project now, and its
 * content into the store.
 *
 * Who can write in the project is hostile.  A path is walked below the
 * project's descriptor without following a link; what is opened for reading is
 * the very inode that was looked at, never a FIFO or a device; sizes, numbers
 * and time are bounded, and what did not fit is said in the state.
 *
 * Internal to the room.
 */
#ifndef AUDIT_ORIGINALS_CAPTURE_H
#define AUDIT_ORIGINALS_CAPTURE_H

#include "audit/originals/entry.h"

/* For one call together; counted down. */
struct capture_limits {
	uint64_t	file_bytes;	/* of one content */
	uint64_t	bytes;		/* of all that is new */
	size_t		files;
	int64_t		until_ms;	/* clock_boot_ms() */
};

/* What is never walked into. */
enum capture_skip {
	SKIP_NONE = 0,
	SKIP_MADE	/* .git, .sandbox, and folders that tools fill: a
			   baseline would be theirs alone */
};

struct capture {
	struct store		*store;
	int			 root;
	struct capture_limits	 left;
	/* A list with inodes and times: what is unchanged is not read again;
	   NULL: none. */
	const struct file_list	*known;
	/* Note inode and time of what is older: a younger time could stand for
	   two contents.  0: of nothing. */
	int64_t			 stamp_us;
};

/*
 * 1 and the state; 0 when no path leads there without a link (nothing is at
 * that name then that a restore could touch).  -1: the store failed.
 */
int	capture_path(struct capture *, const char *path,
	    struct file_state *ret, struct err *);

/* The same for something open (O_PATH); `path` is its name for hints. */
int	capture_fd(struct capture *, int fd, const char *path,
	    struct file_state *ret, struct err *);

/*
 * A path and, if it is a directory, everything below, appended to ret.  With
 * "" the project itself (which gets no entry).  When limits are reached
 * ret->cut is set.
 */
int	capture_tree(struct capture *, const char *path, enum capture_skip,
	    struct file_list *ret, struct err *);

#endif
