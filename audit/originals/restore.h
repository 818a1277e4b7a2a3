/*
 * audit/originals/restore.h - giving back what was changed.
 *
 *	restore_want_*(...)	which paths, and how they were
 *	restore_plan(...)	looks at what is there now and keeps it
 *	restore_run(...)	puts back, path by path
 *
 * What lies at a path now is in the store before the path is touched; what
 * could not be kept is never replaced or deleted.  Every path is walked below
 * the project without following a link, what is new is made beside and
 * exchanged in one step, and what came out is compared with what was kept
 * before it goes: who interferes gets his file back.
 */
#ifndef AUDIT_ORIGINALS_RESTORE_H
#define AUDIT_ORIGINALS_RESTORE_H

#include "audit/originals/timeline.h"
#include "common/clock.h"

/* --- what is wanted ------------------------------------------------------ */

/*
 * Paths are those that are, or lie below, one of `only` (n_only 0: every one).
 * The lists that come back are sorted, one entry a path.
 */
struct restore_ask {
	struct store		*store;
	const struct timeline	*time;
	char *const		*only;
	size_t			 n_only;
};

/* As before one deed. */
int	restore_want_deed(const struct restore_ask *, const struct deed *,
	    struct file_list *ret, struct err *);
/* As a session found it.  `certain`: only what its calls named; else also
 * what differs from its baseline now and was there then; ret->cut when that
 * does not hold all of it. */
int	restore_want_session(const struct restore_ask *, const char *session,
	    bool certain, struct file_list *ret, struct err *);
/* As at a time, as far as is known. */
int	restore_want_time(const struct restore_ask *, int64_t wall_ms,
	    struct file_list *ret, struct err *);
/* As all was before one deed, whoever changed it since. */
int	restore_want_until(const struct restore_ask *, const struct deed *,
	    struct file_list *ret, struct err *);
/*
 * As before the last deed that changed one of them; it is named, borrowed.  A
 * call that nobody saw end and that left them as they were changed nothing,
 * unless there is no other.  1: the deed is a restore that was interrupted,
 * and the list is what that was to leave.  ERR_NO_ID: none is kept.
 */
int	restore_want_last(const struct restore_ask *, int rootfd,
	    struct file_list *ret, const struct deed **ret_deed,
	    struct err *);

/*
 * What an interrupted restore left beside these paths is to go, as a change
 * like any other: it may be the only copy of what was there.
 */
void	restore_want_tidy(int rootfd, struct file_list *);

/* --- doing it ------------------------------------------------------------ */

enum restore_step {
	STEP_SAME = 0,		/* it is as it was */
	STEP_WRITE, STEP_REMOVE, STEP_LINK, STEP_FOLDER, STEP_MODE,
	STEP_REFUSED		/* and why */
};

struct restore_item {
	const char		*path;		/* borrowed from the want */
	const struct file_state	*want;
	struct file_state	 now;
	enum restore_step	 step;
	bool			 done;
	char			 why[160];	/* refused, or failed */
};

struct restore {
	struct restore_item	*items;
	size_t			 n;
	size_t			 steps;		/* that change something */
	size_t			 refused;	/* or failed */
};
#define auto_restore	__attribute__((cleanup(restore_clear)))
void	restore_clear(struct restore *);

/* `want` must live as long as the plan. */
int	restore_plan(struct store *, int rootfd, const struct file_list *want,
	    struct restore *ret, struct err *);

/* The list of what is there now at the paths that will change. */
int	restore_keep(struct store *, const struct restore *,
	    struct digest *ret, struct err *);

/* The list of what was put there, behind a run. */
int	restore_left(struct store *, const struct restore *,
	    struct digest *ret, struct err *);

/*
 * Does it.  Single paths may fail (items' why, `refused`); -1 when nothing can
 * go on.
 */
int	restore_run(struct store *, int rootfd, struct restore *,
	    struct err *);

#endif
