/*
 * policy/remember.h - what a human decided once and need not decide again.
 *
 * Making one, with what the approver has just judged (policy_decide):
 *
 *	remember_make(judgement, SCOPE, &r, e)	can it be remembered at all?
 *	remember_sign(&r, project, seed)	by the approver's key
 *	remember_put(&r, &text)			one line for view/remembered
 *
 * Using them, in a hook:
 *
 *	policy_decide(p, ...) says escalate
 *	policy_recall(p, &from) > 0		only now: calls that nobody is
 *						asked about pay nothing
 *	policy_decide(p, ...)			again
 *
 * One lifts the questions of triggers, never a denial, never what is critical,
 * never a question that a rule of the policy asks for.  Code of the project and
 * what nobody can judge it lifts only into the jail; where there is none, it
 * is asked.  It speaks about the inner command, and never about a redirection
 * or substitution that was not there when it was made.
 *
 * A line of the file is worth its signature and nothing else: who writes there
 * without the approver's key changes nothing.  One that was forgotten has a
 * mark `<id>.forgotten` in the ledger, so that putting the old file back does
 * not bring it back.
 */
#ifndef POLICY_REMEMBER_H
#define POLICY_REMEMBER_H

#include "common/id.h"
#include "policy/policy.h"

enum remember_scope {
	REMEMBER_CALL = 0,	/* this exact call, in this directory */
	REMEMBER_COMMAND,	/* program, sub-command, and their options */
	REMEMBER_HOST,		/* requests to one host */
	REMEMBER_DIR,		/* files below one directory */
	REMEMBER_SCOPES
};
/* "call", "command", "host", "dir"; and back (-1). */
const char	*remember_scope_name(enum remember_scope);
int		 remember_scope_parse(const char *);

#define REMEMBER_FILE	"remembered"		/* in view/ */
#define REMEMBER_GONE	".forgotten"		/* behind the id, in ledger/ */
#define REMEMBER_MAX	200			/* lines */
#define REMEMBER_BYTES	((size_t)1 << 20)
#define REMEMBER_ID	12			/* hex digits */
#define REMEMBER_WHAT	1024			/* bytes of `what` */

struct remembered {
	char			 id[REMEMBER_ID + 1];
	enum remember_scope	 scope;
	/*
	 * call: 64 hex digits, a blank and the call in one line, for people;
	 * command: its words, then the options and places it was approved
	 * with; a host; a directory.  Hostile text.
	 */
	char			*what;
	uint32_t		 triggers;	/* asked then: 1 << trigger */
	unsigned		 shape;		/* REMEMBER_REDIRECTS, ... */
	bool			 has_session;	/* only in this one */
	struct digest		 session;
	char			 request[ID_MAX + 1];	/* it answered */
	int64_t			 made_ms, until_ms;	/* wall clock */
	unsigned char		 approver[SIGN_PUB];
	char			*who;		/* the key's name, for people */
	char			*stmt, *sig;	/* NULL: not signed yet */
};
#define REMEMBER_REDIRECTS	1U
#define REMEMBER_SUBSTITUTES	2U

void	remembered_clear(struct remembered *);

/*
 * What of the judged call `scope` would cover: fills id (fresh), scope, what,
 * triggers, shape.  The caller adds session, request, times, approver and who.
 * ERR_PERMITTED with the reason when there is nothing, or it would be too much.
 * For a list of offers try every scope and show `what`.
 */
int	remember_make(const struct judgement *, enum remember_scope,
	    struct remembered *ret, struct err *);

/* The statement (docs/POLICY.md) and its signature. */
void	remember_sign(struct remembered *, const char *project,
	    const unsigned char seed[static SIGN_SEED]);
/* What forgetting it puts on record; the caller signs. */
void	remember_forget_stmt(const struct remembered *, const char *project,
	    int64_t now_ms, struct str *ret);

/* --- the file ------------------------------------------------------------ */

struct remembered_list {
	struct remembered	*list;
	size_t			 n;
	size_t			 damaged;	/* lines that cannot be read */
};
void	remembered_list_clear(struct remembered_list *);

void	remember_put(const struct remembered *, struct str *ret);
/* Never fails: what cannot be read is counted.  No signature is checked. */
void	remember_parse(const char *text, size_t len, const char *project,
	    struct remembered_list *ret);

/* Where they are kept. */
struct recall_from {
	int	viewfd, ledgerfd;
	int64_t	wall_ms;
};
/* The file as it is; a missing one is empty. */
int	remember_read(const struct recall_from *, const char *project,
	    struct remembered_list *ret, struct err *);

/*
 * Why one does not count: "expired", "forgotten", "not signed by an approver";
 * NULL: it does.
 */
const char *remember_defect(const struct remembered *,
	    const struct recall_from *, const struct keyring *approvers);

/*
 * Give the policy what was remembered and is neither expired nor forgotten;
 * signatures are checked where one is used.  Returns how many.  A file that is
 * not ours is as good as none: then everything is asked.
 */
size_t	policy_recall(struct policy *, const struct recall_from *);

/*
 * A verdict that rests on remembered decisions has a rule "remembered:ID,ID".
 * Does it name this one?  Counting such audit records counts the uses.
 */
bool	remember_used(const char *rule, const char *id);

#endif
