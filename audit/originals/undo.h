/*
 * audit/originals/undo.h - a restore from the wish to the record.
 *
 *	undo_open(&u, privfd, rootfd, project, e)
 *	restore_want_*(&ask, ..., &u.want, e)	with u.store and u.time
 *	undo_plan(&u, e)			u.plan says what would be done
 *	undo_run(&u, &seq, e)			does it
 *	...tell the human...
 *	undo_close(&u)
 *
 * What is there now is kept, on the disk and in the log before the first path
 * is touched; the record's number takes it back.  Until undo_close it counts
 * as interrupted, and restore_want_last goes on with it: who was not told that
 * it was done asks again, and does not mean to take it back.  That a human
 * asks is for the caller to see to.
 */
#ifndef AUDIT_ORIGINALS_UNDO_H
#define AUDIT_ORIGINALS_UNDO_H

#include "audit/audit.h"
#include "audit/originals/restore.h"

struct undo {
	int		 rootfd;	/* the caller's */
	struct store	*store;
	struct audit	*audit;
	struct timeline	 time;
	struct clock	 now;
	struct file_list want;
	struct restore	 plan;
	struct digest	 wanted;	/* the list of `want`, by undo_run */
	bool		 done;
};
#define auto_undo	__attribute__((cleanup(undo_close)))

/* ERR_NO_ID: nothing was kept here yet. */
int	undo_open(struct undo *ret, int privfd, int rootfd,
	    const char *project, struct err *);
int	undo_plan(struct undo *, struct err *);
/*
 * Single paths may fail: u->plan.refused, and each item's why.  When all of it
 * fails the items say what was done, and *ret_seq, if it was set, is the record
 * of what was there.
 */
int	undo_run(struct undo *, uint64_t *ret_seq, struct err *);
void	undo_close(struct undo *);

#endif
