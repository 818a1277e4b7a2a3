/*
 * hooks/gate.h - one hook call, from its input to what the client is told.
 *
 *	gate_open(...)		place, approvers, policy, log: all or nothing
 *	gate_pass(...)		judges a call, asks a human where needed
 *	gate_close(...)
 *
 * Every -1 is a refusal: the caller turns err into the client's denial.
 * Whatever a call was judged to be is in the log before the client is told;
 * what cannot be recorded does not happen.
 */
#ifndef HOOKS_GATE_H
#define HOOKS_GATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "audit/audit.h"
#include "common/clock.h"
#include "common/sign.h"
#include "hooks/dialect.h"
#include "policy/policy.h"
#include "queue/home.h"

/* Argv, as guard and registration wrote it; docs/CONNECTOR.md. */
struct gate_args {
	const char	*client, *event;
	const char	*root;		/* NULL: the nearest parent's */
	const char	*from;		/* that is looked for here first */
	const char	*state;		/* NULL: derived from the root */
	int		 client_pid;
	const char	*locale;	/* "LANG=C.UTF-8 TZ=Europe/Berlin" */
	const char	*origin;	/* of its requests; NULL: "hook" */
};

struct originals;

struct gate {
	const struct gate_args	*args;
	const struct dialect	*dialect;	/* NULL: no hook called */
	struct home		 home;
	struct keyring		 approvers;
	struct policy		*policy;
	struct audit		*audit;		/* NULL in a jail: claims */
	struct judgement	*judgement;
	bool			 deaf;		/* the log took a record not */
	struct clock		 now;
	char			*user_home, *libexec;
	bool			 jail;		/* contain can be done */
	const char		*transcript;	/* the client's, borrowed */
	/* Lists of what this call was to change, and did change (keep.c); ""
	   when there is none.  gate_record() names them. */
	struct originals	*store;		/* open until it is recorded */
	char			 originals[DIGEST_HEX + 1];
	bool			 lost;		/* not all could be kept */
	char			 changed[DIGEST_HEX + 1];
};

/*
 * Returns 1 when no --root was given and no project of ours is around `cwd`:
 * the hook has nothing to say there.
 */
int	gate_open(const struct gate_args *, const struct dialect *,
	    const char *cwd, struct gate *ret, struct err *);
void	gate_close(struct gate *);

/* HOOK_BEFORE: silence or an allow, a denial, or an answer. */
int	gate_pass(struct gate *, const struct hook_input *, struct reply *,
	    struct err *);

/*
 * HOOK_AFTER: record that it ran; say so when no record preceded it, or one of
 * another call: a second hook may rewrite what ours judged.
 */
int	gate_after(struct gate *, const struct hook_input *, struct reply *,
	    struct err *);

/* The events around calls (session.c). */
int	gate_session_start(struct gate *, const struct hook_input *,
	    struct reply *, struct err *);
int	gate_session_end(struct gate *, const struct hook_input *,
	    struct reply *, struct err *);
int	gate_prompt(struct gate *, const struct hook_input *, struct reply *,
	    struct err *);
int	gate_config(struct gate *, const struct hook_input *, struct reply *,
	    struct err *);

/* --- used by the files of this room --- */

/* Ask a human and say what came of it (ask.c). */
int	gate_ask(struct gate *, const struct hook_input *, struct reply *,
	    struct err *);

/*
 * One record about a call: tool, summary, digest and keyed hash, the verdict
 * and, for a request, its id.  Secrets are scrubbed first.
 */
int	gate_record(struct gate *, const struct hook_input *,
	    const char *kind, const char *id, struct err *);

/*
 * Keep what the judged call is about to change, into g->originals.  -1: what
 * cannot be kept must not change.
 */
int	gate_keep(struct gate *, struct err *);

/*
 * Behind a call: g->originals as the log's end names it behind the text `call`,
 * then what became of it, into g->changed.
 */
void	gate_find_kept(struct gate *, const char *log, size_t len,
	    const struct str *call);
void	gate_note_changes(struct gate *);

/* Once a day: what is kept too long or too much goes.  Failing is no harm. */
void	gate_collect(struct gate *);

/* How a session finds the project: kept and recorded, once. */
int	gate_keep_baseline(struct gate *, const struct hook_input *,
	    struct err *);

/*
 * Replace what looks like a secret in what the tool returned (clean.c).  False:
 * there is none, or the client does not let a hook.
 */
bool	gate_clean(const struct gate *, const struct hook_input *,
	    struct reply *);

/*
 * A file call whose text holds one of our marks is asked about: what was
 * scrubbed for the model must not come back in place of the secret.
 */
void	gate_spare_marked(const struct call *, struct verdict *);

/* Hex of the keyed hash over the unscrubbed call, as records hold it. */
int	gate_call_hmac(const struct gate *, const struct call *,
	    char ret[static DIGEST_HEX + 1], struct err *);

/* Tool, summary and digest of a call, and a text; scrubbed (record.c). */
void	gate_add_call(cJSON *fields, const struct call *);
void	gate_add_scrubbed(cJSON *fields, const char *name, const char *text);

/*
 * A door failed for this reason, which is no refusal: `hook.failed` in the log,
 * or, where that cannot be reached, a claim of what happened beside it
 * (audit/spool.h).  `g` may not have been opened.  The call is refused all the
 * same.  True: somebody will read of it.
 */
bool	gate_failed(struct gate *, const struct gate_args *,
	    const struct hook_input *, const struct err *);
/* What was left so, into the log: when this call's own record is there. */
void	gate_take_claims(struct gate *);

/* One record about the session, with fields (borrowed; NULL: none). */
int	gate_note(struct gate *, const struct hook_input *, const char *kind,
	    const cJSON *fields, struct err *);

#endif
