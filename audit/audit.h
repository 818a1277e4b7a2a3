/*
 * audit/audit.h - what happened, one line each, so that it cannot be unsaid.
 *
 * audit/audit.jsonl in the private directory, one JSON object per line.  Each
 * line holds the hash of the line before and is signed by a key that the line
 * before named; the keys form a one-way ratchet, so whoever takes today's key
 * cannot rewrite what was synced before.  docs/AUDIT.md has the bytes, the
 * sync points and the limits.
 *
 *	audit_open(...)
 *	audit_append(a, &event, e)	any number of times, from any process
 *	audit_free(a)
 *
 * An append is one flock, one read of the tail, one write.  A record that
 * could not be written is an error and the caller must not go on: what is not
 * recorded does not happen.  A failed fsync is never retried: the log stays
 * closed (ERR_SYSTEM) until an approver resumes it.
 */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/err.h"
#include "common/id.h"
#include "common/json.h"
#include "common/sign.h"
#include "common/str.h"

struct audit;

/*
 * The kinds (audit/event.c has the table, docs/AUDIT.md the fields); an unknown
 * one is a BUG.
 *
 * Synced before audit_append returns, carrying `stmt` and `stmt_sig` by an
 * approver:	genesis chain.resume key policy.accept rule approval deny
 * The same with a one-run key, and `approval_seq`:	tool.result
 * Synced:	session.end
 * Not synced:	session.start allow observe tool.request tool.done
 *	guardrail.decision request.closed answer.collected sandbox.started
 *	sandbox.completed credential.issued credential.revoked
 *	policy.tampered config.changed hook.failed hook.missed jail.violation
 *	file.snapshot file.changed file.deleted file.restored
 *	file.forgotten
 */
struct event {
	const char	*kind;
	const char	*session;	/* NULL: "" */
	const char	*agent;
	const char	*id;		/* of a request; NULL: left out */
	const cJSON	*fields;	/* an object of further fields,
					   borrowed; already scrubbed; NULL
					   for none; a name the line has
					   already ("seq", "kind", "sig", ...)
					   is a BUG */
};

/*
 * `privfd` is the private directory (audit/, log.key, audit.head).  Opens
 * nothing for writing yet.  ERR_SETUP when there is no log.
 */
int	audit_open(int privfd, const char *project, struct audit **ret,
	    struct err *);
void	audit_free(struct audit *);

/*
 * Append one record.  Whether it is a sync point follows from its kind and
 * from how much is unsynced (docs/AUDIT.md).  ret_seq may be NULL.
 */
int	audit_append(struct audit *, const struct event *,
	    const struct clock *, uint64_t *ret_seq, struct err *);

/*
 * Wait so long at most while others hold the log, then ERR_LOST; 0 (default):
 * as long as it takes.  For whoever is waited for himself.
 */
void	audit_patience(struct audit *, unsigned ms);

/* Begin a new file at so many bytes instead of 64 MiB (tests). */
void	audit_rotate_at(struct audit *, uint64_t bytes);

/* Make everything so far a sync point (session end, watch's timer). */
int	audit_sync(struct audit *, struct err *);
/* And room on the disk for what one decision records, before it is spent. */
int	audit_make_room(struct audit *, struct err *);

/*
 * Start a log: log.key, the genesis record signed by the approver, audit.head.
 * Fails if a log exists, but for one that holds only this approver's genesis of
 * this project: that is taken.  ret_genesis: digest of the record's raw line.
 */
struct audit_birth {
	const char		*project, *root;
	const unsigned char	*approver_seed;	/* SIGN_SEED bytes */
	const struct clock	*clock;
};
int	audit_genesis(int privfd, const struct audit_birth *,
	    struct digest *ret_genesis, struct err *);

/*
 * If no key slot fits the log (both destroyed), an approver may resume it.
 * The break is recorded and reported by verify for ever.
 */
int	audit_resume(int privfd, const char *project,
	    const unsigned char approver_seed[static SIGN_SEED],
	    const struct clock *, struct err *);

/* Walk the records, oldest first; stop when fn returns nonzero (passed on). */
typedef int audit_walk_fn(void *arg, const cJSON *record, const char *line,
	    size_t len);
int	audit_walk(int privfd, audit_walk_fn *, void *arg, struct err *);
/*
 * Only records whose line holds this text: many times faster where few do.  An
 * agent's words cannot forge a `,"name":"`: in them the quotes are escaped.
 */
int	audit_walk_with(int privfd, const char *with, audit_walk_fn *,
	    void *arg, struct err *);
/*
 * The one request id of the log that begins so.  ERR_NO_ID: none, or several.
 */
int	audit_find_id(int privfd, const char *prefix,
	    char ret[static ID_MAX + 1], struct err *);
/*
 * Only what lies behind *at (begin with 0); *at moves behind the last whole
 * line, so that a later call goes on where this one ended.
 */
int	audit_walk_on(int privfd, uint64_t *at, audit_walk_fn *, void *arg,
	    struct err *);
/* Only what lies wholly in the last so many bytes, however long the log is. */
int	audit_walk_end(int privfd, uint64_t bytes, audit_walk_fn *, void *arg,
	    struct err *);

#endif
