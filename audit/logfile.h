/*
 * audit/logfile.h - the three files of a log, open under one lock.
 *
 *	log.key			locked (flock) by whoever reads or writes
 *	audit/audit.jsonl	the lines; only ever appended to
 *	audit.head		the pin
 *
 * The lock is on log.key because that file is never replaced: the log itself
 * is rotated (rotate.c).
 *
 *	logfile_open		opens, locks, reads slots and pin
 *	logfile_tail		finds the last record
 *	logfile_ready		is this log ours to continue?  finds the key
 *	logfile_put		one record
 *
 * Internal to the room.
 */
#ifndef AUDIT_LOGFILE_H
#define AUDIT_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/event.h"
#include "audit/head.h"
#include "audit/key.h"
#include "audit/logset.h"

/* What a torn tail is closed with, before the record that vouches for it. */
#define LOGFILE_CLOSE		"!\n"
#define LOGFILE_CLOSE_LEN	2

struct tail {
	uint64_t	seq;		/* of the last whole record */
	struct digest	hash;		/* of its line */
	struct digest	prev;
	unsigned char	next[SIGN_PUB];
	struct torn	torn;		/* bytes behind it */
};

struct logfile {
	int		 privfd;		/* borrowed */
	int		 key, log, head;	/* -1: missing */
	uint64_t	 rotate_at;		/* bytes; 0: as ROTATE_BYTES */
	unsigned	 wait_ms;		/* for the lock; 0: for ever */
	uint64_t	 size;			/* of the current file */
	struct logset	 set;			/* to read: all files */
	int64_t		 key_wall_ms;		/* last sync: its mtime */
	struct key_slots slots;
	bool		 pinned;		/* audit.head was readable */
	struct head	 pin;
	struct tail	 tail;
	struct chain_key now;			/* signs record tail.seq + 1 */
	int		 slot;			/* it was derived from */
	/* For logfile_again: whose lock it is, and which files these are. */
	int		 pid;
	dev_t		 dev;
	ino_t		 key_ino, log_ino, head_ino;
};

#define LOGFILE_INIT { .privfd = -1, .key = -1, .log = -1, .head = -1 }
#define auto_logfile	__attribute__((cleanup(logfile_close)))

/*
 * To append (write): exclusive, and all three files must be there.  To verify:
 * shared, a missing log or pin is left as -1 for the verifier to report.
 * ERR_SETUP when there is neither key nor log.
 */
int	logfile_open(int privfd, bool write, struct logfile *, struct err *);
/* As LOGFILE_INIT again. */
void	logfile_close(struct logfile *);
/* What was read stays; others may append. */
void	logfile_unlock(struct logfile *);

/*
 * Between two records of one process (logfile_again.c).  _keep: after a record
 * was put, lets go of the lock but not of the files.  _again: takes the lock
 * and looks whether names, sizes, slots and pin are what this process left;
 * then tail and key are known.  0: somebody wrote since, or anything else is
 * different: close, open, look at all of it.
 */
void	logfile_keep(struct logfile *);
int	logfile_again(struct logfile *, struct err *);
int	logfile_lock(const struct logfile *, bool write, struct err *);

/*
 * Reads a few KiB from the end.  ERR_FORMAT when the last whole line is not a
 * record or more than two records' length is torn.
 */
int	logfile_tail(struct logfile *, struct err *);

/*
 * May the log be continued?  Fills `now` and `slot` and moves a lagging pin;
 * refuses with the reason.
 */
int	logfile_ready(struct logfile *, const struct clock *, struct err *);

/*
 * Write the record behind the tail and move the pin.  `sync`: also make it a
 * sync point.  The tail is then the new record.
 */
int	logfile_put(struct logfile *, const char *project,
	    const struct event *, const struct clock *, struct err *);

/*
 * rotate.c: a file that has grown to ROTATE_BYTES, or whose first record is of
 * another month, becomes an archive, and the record begins a new one:
 *
 *	a sync point; write and sync audit.jsonl.new
 *	exchange the two names
 *	audit.jsonl.new -> audit-<first seq>.jsonl
 *
 * There is an audit.jsonl at every instant.  Killed between the renames, the
 * older file still has the name audit.jsonl.new; readers know it by its first
 * record, and the next sync point finishes.
 */
#define ROTATE_BYTES	(64 * 1024 * 1024)
/* May and should this record begin a file?  ret: what it carries as `after`. */
bool	rotate_due(const struct logfile *, const struct clock *, bool sync,
	    char ret[static LOGSET_NAME]);
/* False: nothing was done, append as ever.  True: the record is written. */
bool	rotate(struct logfile *, const char *after, const struct str *line);
/* What a killed rotation left to do. */
void	rotate_finish(const struct logfile *);

/* Sync point at the tail, whose successor's key is `now`. */
int	logfile_sync(struct logfile *, struct err *);

/* Move the pin to the tail, if it is not there. */
int	logfile_pin(struct logfile *, const char *boot_id, struct err *);

#endif
