/*
 * audit/evidence.h - what leaves the machine: records with the proof that they
 * are in the log, and their check without the log.
 *
 * An archive (ustar.h) holds, in this order:
 *
 *	checkpoint	the signed note all of it is proved against
 *	tree		one line per record and per subtree that stands for
 *			the records left out, in the order of the leaves:
 *				record SEQ CHAIN-HASH
 *				node FROM LEVEL HASH
 *	records.jsonl	the records as they stand in the log
 *	policy		the accepted policy with its seal; not when the
 *			built-in one is in force
 *	out/ID.txt	outputs, as the signed result of ID names them
 *
 * The genesis record and those that say who may sign are always among the
 * records, and so is the approval of every result; so an archive needs nothing
 * but the knowledge whose key it is.
 *
 * A single proof is C2SP's tlog-proof with the record as extra data.
 *
 * Only records under the last checkpoint are exported.
 */
#ifndef AUDIT_EVIDENCE_H
#define AUDIT_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/id.h"
#include "common/sign.h"
#include "common/str.h"

#define EVIDENCE_MAX	(1024UL * 1024 * 1024)
#define PROOF_TITLE	"c2sp.org/tlog-proof@v1\n"

/* Which records. */
struct evidence_choice {
	const char	*id;			/* NULL: not by request */
	int64_t		 since_ms, until_ms;	/* 0, INT64_MAX: all */
};

struct evidence_order {
	const char		*project;
	struct evidence_choice	 choice;
	const char		*policy;	/* with its seal; NULL: none */
	size_t			 policy_len;
	/* The output of a request, as its answer carried it; -1: not kept. */
	int			(*output)(void *arg, const char *id,
				    struct str *ret);
	void			*arg;
};

/*
 * Append the archive to ret.  ERR_SETUP without a checkpoint or when it does
 * not cover the request that is asked for, ERR_NO_ID when nothing is chosen,
 * ERR_PERMITTED when the log is not what was checkpointed.  ret_left: how many
 * records of the time asked for are younger than the checkpoint and left out.
 */
int	audit_export(int privfd, const struct evidence_order *,
	    struct str *ret, uint64_t *ret_left, struct err *);

/* The proof of one request's decision (or of its last record). */
int	audit_proof(int privfd, const char *project, const char *id,
	    struct str *ret, struct err *);

/* What an archive or a proof turned out to be. */
struct evidence {
	bool		good;
	bool		single;			/* a proof */
	char		project[33];
	uint64_t	covered;		/* size of the checkpoint */
	uint64_t	records, decisions, outputs;
	bool		policy;
	unsigned char	approver[SIGN_PUB];	/* who signed it */
	/* of what is wrong: the member, its line (0: all of it), and why */
	char		member[104];
	uint64_t	line;
	char		why[160];
};

/*
 * Check bytes that somebody brought.  `key`: the approver who must have signed
 * the checkpoint, NULL: whoever the archive itself names (then the answer is
 * only as good as that key, which is in `approver`).  -1 only when the bytes
 * are neither; what is wrong with them is in `ret`.
 */
int	audit_evidence(const char *data, size_t len,
	    const unsigned char *key, struct evidence *ret, struct err *);

/* audit/proof.c: the same for a proof. */
void	evidence_proof(const char *data, size_t len,
	    const unsigned char *key, struct evidence *ret);

#endif
