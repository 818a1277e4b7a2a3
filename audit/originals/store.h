/*
 * audit/originals/store.h - contents by their digest, small and never changed.
 *
 *	originals/objects/<2 hex>/<62 hex>	one content each
 *	originals/tmp/				being written
 *	originals/last/<32 hex>			what a file's content was last:
 *						a hint, never believed
 *	originals/pending/<64 hex>		lists that a restore works from
 *	originals/lock				shared by whoever adds or reads,
 *						exclusive for whoever collects
 *
 * An object is 64 bytes of header and one zstd frame.  A content that differs
 * little from an older one is kept as the difference to it; such an object
 * never stands on another difference, so two reads always suffice.  What is
 * read is compared with its name: a changed object is an error, not content.
 *
 * Nothing is synced here: what is about to be overwritten is, by
 * store_sync().  Internal to the room.
 */
#ifndef AUDIT_ORIGINALS_STORE_H
#define AUDIT_ORIGINALS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/str.h"

/* Up to here a content is held in memory and may become a difference. */
#define STORE_SMALL	(8 * 1024 * 1024)

enum store_lock { STORE_SHARED = 0, STORE_EXCLUSIVE };

struct store;

/*
 * `make` creates what is missing; else ERR_SETUP when there is no store.
 * ERR_LOST when the store is in use: STORE_EXCLUSIVE does not wait, a sweep is
 * waited for 3 s.
 */
int	store_open(int privfd, bool make, enum store_lock,
	    struct store **ret, struct err *);
void	store_free(struct store *);

/*
 * Keep bytes.  `base` is a content they may resemble, or NULL; a bad guess
 * costs time only.
 */
int	store_put(struct store *, const void *, size_t len,
	    const struct digest *base, struct digest *ret, struct err *);

/*
 * Keep up to `max` bytes of an open file that is too large for memory.  Of a
 * sparse file only the data and where it lies (ret_sparse).  More than max is
 * ERR_FORMAT.
 */
int	store_put_fd(struct store *, int fd, uint64_t max,
	    struct digest *ret, bool *ret_sparse, struct err *);

/* ERR_NO_ID: not there; ERR_DIGEST: not what its name says. */
int	store_get(struct store *, const struct digest *, size_t max,
	    struct str *ret, struct err *);
/* Write it into an empty file, with its holes. */
int	store_get_fd(struct store *, const struct digest *, bool sparse,
	    int fd, struct err *);

bool	store_has(struct store *, const struct digest *);

/* What was put lies on the disk. */
int	store_sync(struct store *, struct err *);

/*
 * How much was put since the last sweep, by whoever counts it; a new object
 * counts its whole pages.  store_count adds what this handle has put since it
 * was asked last.
 */
uint64_t store_counted(struct store *);
void	store_count(struct store *);
void	store_count_again(struct store *);	/* from nothing */

/* The hint for a path. */
void	store_note(struct store *, const char *path, const struct digest *);
bool	store_hint(struct store *, const char *path, struct digest *ret);

/*
 * A restore in progress names its list here, so that collecting spares it even
 * if that restore dies and is run again later.  One restore at a time:
 * ERR_LOST while another holds (until it lets go, or its process ends).
 */
int	store_hold(struct store *, const struct digest *, struct err *);
bool	store_is_held(struct store *, const struct digest *);
void	store_let_go(struct store *, const struct digest *);

/* --- for collecting (collect.c) --- */
int	store_dir(const struct store *);	/* originals/ */

/* Size on disk and what it stands on; false when it cannot be read. */
struct object_info {
	uint64_t	bytes;
	int64_t		wall_ms;	/* written */
	bool		delta;
	struct digest	base;
};
bool	store_info(struct store *, const struct digest *,
	    struct object_info *ret);
int	store_drop(struct store *, const struct digest *, struct err *);

/* Every object; stops when fn returns nonzero, which is passed on. */
typedef int store_each_fn(void *arg, const struct digest *);
int	store_each(struct store *, store_each_fn *, void *arg, struct err *);

#endif
