/*
 * audit/originals/timeline.h - who changed what, from the audit log.
 *
 * A deed is a record that names a list of originals: a call of an agent, a run
 * of ours, a restore, or a baseline.  The record behind it ("tool.done", ...)
 * completes it.  What a deed says is as true as the log: `sandbox audit
 * verify` checks the log, the store checks every list and content against its
 * digest.
 *
 * Also here: which contents a path had, and the lists that restores work on.
 */
#ifndef AUDIT_ORIGINALS_TIMELINE_H
#define AUDIT_ORIGINALS_TIMELINE_H

#include "audit/originals/entry.h"

enum deed_kind {
	DEED_CALL = 0,		/* an agent's own tool */
	DEED_RUN,		/* ours, for an agent, approved */
	DEED_RESTORE,
	DEED_BASELINE
};

struct deed {
	enum deed_kind	 kind;
	uint64_t	 seq;
	int64_t		 wall_ms, done_ms;	/* done_ms 0: not seen to end */
	char		*session, *agent, *tool, *summary, *id, *call;
	struct digest	 before, after;
	bool		 has_after;		/* something was different */
	struct digest	 wanted;		/* DEED_RESTORE: what it was
						   to leave */
	bool		 has_wanted;
};

struct timeline {
	struct deed	*d;
	size_t		 n, cap;
	uint64_t	 forgotten;	/* deeds up to here were let go */
};
#define auto_timeline	__attribute__((cleanup(timeline_clear)))

/* All of it, oldest first. */
int	timeline_read(int privfd, struct timeline *ret, struct err *);
void	timeline_clear(struct timeline *);

/*
 * The one deed (no baseline) that a person names: its number, or the start of
 * a request's id.  ERR_NO_ID: none, or several.
 */
int	timeline_find(const struct timeline *, const char *name,
	    const struct deed **ret, struct err *);
/* What `sandbox doctor` calls the session of its samples. */
#define SESSION_DOCTOR	"sandbox-doctor"

/*
 * A session by the start of its name, or "last": that of the newest deed, but
 * never the doctor's.  The name is borrowed.
 */
int	timeline_session(const struct timeline *, const char *name,
	    const char **ret, struct err *);
/* When the first deed of a session was, its baseline as a rule; 0: never. */
int64_t	timeline_session_began(const struct timeline *, const char *session);
const struct deed *timeline_baseline(const struct timeline *,
	    const char *session);

/* The lists of a deed, sorted; `now` is empty where nothing was noted. */
struct deed_lists {
	struct file_list was, now;
};
void	deed_lists_clear(struct deed_lists *);
int	deed_read(struct store *, const struct deed *,
	    struct deed_lists *ret, struct err *);

/*
 * How things were before a deed, appended: what it found, and that nothing was
 * there where it made something.
 */
void	deed_before(const struct deed_lists *, struct file_list *ret);

#endif
