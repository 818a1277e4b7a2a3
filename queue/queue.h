/*
 * queue/queue.h - the folder that carries a question to a human and brings
 * the answer back.
 *
 * A request is one file.  Where the file lies shows its state:
 *
 *	tmp/      being written, read by no one
 *	pending/  waiting for a human
 *	claimed/  one approver holds it
 *	answered/ <id>-a waits for its asker
 *	closed/   over
 *	blobs/    values too large for a request, published first
 *	spool/    notes from hooks that cannot reach the log
 *	aside/    files nobody could have written honestly
 *
 * Every step is one rename(2): it happens wholly or not at all.  The folder is
 * shared with the agent and therefore proves nothing.  What proves something
 * is in the private directory:
 *
 *	run/<id>/lock		held (flock) = claimed
 *	run/<id>/answer		what came of it, before it is published
 *	run/<id>/denial		what will be said if a deny dies half-way
 *	ledger/<id>.used	may run once, ever; O_EXCL
 *	ledger/<id>.started	written just before exec
 *	ledger/<id>.collected	one asker got the answer; O_EXCL
 *
 * docs/QUEUE.md has the table of states.  The queue never looks into
 * req->input.  Asker: queue_submit, queue_await, queue_read_answer,
 * queue_collect.  Approver: queue_list, queue_lock, claim_take, claim_deny,
 * claim_consume.  Runner: claim_adopt, claim_started, claim_answer.  Anyone:
 * queue_sweep.
 */
#ifndef QUEUE_QUEUE_H
#define QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/err.h"
#include "queue/answer.h"
#include "queue/home.h"
#include "queue/request.h"

struct queue;

struct queue_limits {
	int	pending_max;		/* requests waiting */
	int	pending_session_max;	/* of one session */
	int	new_per_minute;		/* of one session */
	int64_t	bytes_max;		/* pending/ and blobs/ together */
	int64_t	ttl_max_s;		/* a longer one is set aside */
	int64_t	answer_keep_s;		/* uncollected answers */
};

/* Borrows the home, which must outlive it. */
int	queue_open(const struct home *, const struct queue_limits *,
	    struct queue **ret, struct err *);
void	queue_free(struct queue *);

/* --- the asker --- */

/* A published request and the lock that shows its asker is alive. */
struct ticket {
	char	id[ID_MAX + 1];
	int	fd;		/* open-file-description lock held on it */
	bool	owner;		/* false: attached to another hook's request */
};

/*
 * Publish: blob first, tmp/ with O_EXCL, one write, lock, rename to pending/.
 * Fills req->id, nonce, times and bytes.  ERR_PERMITTED when a limit is
 * reached ("queue is full: ..."), ERR_SYSTEM when the disk is.
 */
int	queue_submit(struct queue *, struct request *, const struct clock *,
	    struct ticket *ret, struct err *);

/*
 * Wait on another hook's request for the same call: shares the badge lock.
 * ERR_NO_ID when it neither waits nor is claimed.
 */
int	queue_attach(struct queue *, const char *id, struct ticket *ret,
	    struct err *);

/*
 * Take a waiting request back; nothing happens to one already claimed, or to
 * one we only attached to.
 */
int	queue_withdraw(struct queue *, struct ticket *, struct err *);
void	ticket_close(struct ticket *);	/* drops the lock, leaves the file */

/*
 * The newest live trace of this call: same call key, session and agent_id.
 * They are read from the folder, so they may lie: before an answer is used,
 * its reader must compute the call key of the request it belongs to anew
 * (queue_read, then policy's call_key) and compare.  Otherwise an approval of
 * call A could be collected for call B.
 */
enum trace_state {
	TRACE_NONE = 0, TRACE_PENDING, TRACE_CLAIMED, TRACE_ANSWERED,
	TRACE_COLLECTED
};
struct trace {
	enum trace_state state;
	char		 id[ID_MAX + 1];
	int64_t		 created_wall_ms;
};
struct trace_key {
	struct digest	 call_key;
	const char	*session, *agent_id;	/* NULL: "" */
};
int	queue_find_call(struct queue *, const struct trace_key *,
	    const struct clock *, struct trace *ret, struct err *);

enum await_result {
	AWAIT_ANSWER,		/* an answer file is there */
	AWAIT_DEADLINE,		/* `deadline_ms` of CLOCK_BOOTTIME passed */
	AWAIT_OVER,		/* expired, withdrawn or closed unanswered */
	AWAIT_FD		/* stop_fd is readable: the client is gone */
};
/*
 * A doorbell that must be opened *before* queue_submit, so that no answer can
 * fall between.  inotify(7); where that fails it polls every 100 ms.
 */
struct await;
struct await	 *await_open(struct queue *);
enum await_result await_wait(struct await *, const char *id,
		    int64_t deadline_ms, int stop_fd);
void		  await_free(struct await *);

/*
 * For a loop of one's own over many requests: poll this descriptor (-1: there
 * is no bell) for at most *ret_ms, await_hush(), then look at each request with
 * await_wait(a, id, 0, -1), which does not wait.
 */
int		  await_fd(const struct await *, int *ret_ms);
void		  await_hush(struct await *);

/*
 * Strictly read answered/<id>-a, or the copy in closed/ when someone has
 * collected it.  ERR_NO_ID when there is none; ERR_FORMAT when it was damaged
 * (and is set aside).
 */
int	queue_read_answer(struct queue *, const char *id, struct answer *ret,
	    struct err *);

/*
 * Become the one collector: private .collected (O_EXCL), then answered/ ->
 * closed/.  1: it is ours; 0: someone else has it.  In a jail the rename alone
 * decides, which whoever is inside can undo: it is good for words only.
 */
int	queue_collect(struct queue *, const char *id, struct err *);

/* --- people and approvers --- */

enum entry_state {
	ENTRY_PENDING, ENTRY_CLAIMED, ENTRY_RUNNING, ENTRY_ANSWERED,
	ENTRY_CLOSED
};
struct entry {
	enum entry_state state;
	bool		 waiter;	/* its asker still holds the lock */
	struct request	 req;		/* blob not loaded */
};
struct entries {
	struct entry	*e;
	size_t		 n;
	size_t		 foreign;	/* names that are not ids, not opened */
	size_t		 aside;		/* damaged files set aside just now */
	size_t		 more;		/* beyond what was listed */
};

/* Oldest first.  `closed`: also what is over, newest 200. */
int	queue_list(struct queue *, const struct clock *, bool closed,
	    struct entries *ret, struct err *);
void	entries_clear(struct entries *);

/* A prefix a human typed -> the one id.  ERR_NO_ID: none or several. */
int	queue_resolve(struct queue *, const char *prefix,
	    char ret_id[static ID_MAX + 1], enum entry_state *ret_state,
	    struct err *);

/*
 * Read one request from any folder, with its blob put back.  For showing.
 */
int	queue_read(struct queue *, const char *id, struct request *ret,
	    enum entry_state *ret_state, bool *ret_waiter, struct err *);

/* A request held by us.  Closing it gives it back unless it was consumed. */
struct claim;

/*
 * Take run/<id>/lock and read the request (and blob) once: what claim_request
 * returns is what will run, whatever the folder holds later.  Refuses what is
 * expired, used, or not pending.  ERR_LOST when someone else holds it.
 */
int	queue_lock(struct queue *, const char *id, const struct clock *,
	    struct claim **ret, struct err *);
/* NULL for an adopted one. */
const struct request *claim_request(const struct claim *);
int	claim_lock_fd(const struct claim *);

/* pending/ -> claimed/.  ERR_LOST: withdrawn or swapped; nothing runs. */
int	claim_take(struct claim *, struct err *);

/*
 * Before a deny is consumed: the answer that it will be, kept in run/<id>.  Who
 * dies after claim_consume has then denied it, and a sweep says so.
 */
int	claim_deny(struct claim *, const struct answer *, struct err *);
/*
 * ledger/<id>.used with the signed approval inside, synced.  After this the
 * id never runs again, whatever happens.  ERR_LOST when it exists.
 */
int	claim_consume(struct claim *, const char *stmt, const char *sig,
	    struct err *);

/*
 * The runner's side: the lock came as an inherited descriptor, which the claim
 * owns from now on.  ERR_PERMITTED when the id was never consumed.
 */
int	claim_adopt(struct queue *, const char *id, int lock_fd,
	    struct claim **ret, struct err *);
/* ledger/<id>.started, synced; just before exec. */
int	claim_started(struct claim *, struct err *);
/*
 * Answer to answered/<id>-a, request claimed/ -> closed/.  A private copy comes
 * first (run/<id>/answer): a crash after that loses nothing, queue_sweep
 * delivers it.
 */
int	claim_answer(struct claim *, const struct answer *, struct err *);
/* run/<id>/, private: spool and result live here. */
int	claim_run_dir(const struct claim *);
/* Unlock.  Not consumed: claimed/ -> pending/.  NULL is fine. */
void	claim_close(struct claim *);

/* --- after crashes --- */

enum sweep_kind {
	SWEEP_TMP,		/* a half-written file was removed */
	SWEEP_EXPIRED,		/* nobody decided in time: -> closed/ */
	SWEEP_RELEASED,		/* its approver died before consume */
	SWEEP_NOT_STARTED,	/* its runner died before exec */
	SWEEP_DENIED,		/* its approver died, but had denied it */
	SWEEP_UNKNOWN,		/* its runner died after exec */
	SWEEP_DELIVERED,	/* its runner died with the answer half out */
	SWEEP_UNCOLLECTED,	/* an answer nobody came for */
	SWEEP_DAMAGED,		/* set aside */
	SWEEP_REMOVED		/* closed, past the retention time */
};
/*
 * One pass.  Takes run locks with LOCK_NB and skips what is held.  `said` is
 * told of every step *after* it is done (NULL is fine).  For NOT_STARTED,
 * DENIED and UNKNOWN the sweeper has published the answer.  The name
 * given with TMP and DAMAGED may be any file name: visible() before showing.
 */
typedef void sweep_fn(void *arg, enum sweep_kind, const char *id);
int	queue_sweep(struct queue *, const struct clock *, sweep_fn *said,
	    void *arg, struct err *);

#endif
