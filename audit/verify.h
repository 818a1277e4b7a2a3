/*
 * audit/verify.h - is the log what was written?
 *
 * Reads the whole log, never writes.  Every record is hashed and compared with
 * its neighbour and every checkpoint with the records before it.  What else is
 * checked is the mode's:
 *
 *	fast	statements behind the last checkpoint
 *	default	and the chain's signatures there
 *	full	every statement and every signature
 *
 * Whoever made the last checkpoint had what it covers verified before signing
 * it (checkpoint.h), so default leaves nothing out unless an approver's key
 * was stolen.  When something is wrong, everything is checked, so that the
 * first bad record is named.
 *
 * Then the log's end is compared with the pin, with log.key, and with the
 * checkpoints that were kept elsewhere.  Goes on behind the first bad record
 * to classify what was done to it.
 */
#ifndef AUDIT_VERIFY_H
#define AUDIT_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/note.h"
#include "common/err.h"
#include "common/sign.h"

enum verify_kind {
	VERIFY_OK = 0, VERIFY_EDITED, VERIFY_MISSING, VERIFY_INSERTED,
	VERIFY_REORDERED, VERIFY_DUPLICATE_SEQ, VERIFY_FORKED,
	VERIFY_TRUNCATED, VERIFY_ROLLED_BACK, VERIFY_KEY_CHANGED,
	VERIFY_FOREIGN_LOG, VERIFY_UNSIGNED_DECISION, VERIFY_BAD_SIGNATURE,
	VERIFY_TORN, VERIFY_RESUMED, VERIFY_ARCHIVE_MISSING
};
const char	*verify_kind_name(enum verify_kind);

/*
 * Exit codes of `sandbox audit verify`, its own table.  When several apply, the
 * gravest: TAMPERED, KEY, TRUNCATED, TORN.  A resumed chain is KEY for ever:
 * an approver vouches for a key that the chain did not name.
 */
enum verify_exit {
	VERIFY_EXIT_OK = 0, VERIFY_EXIT_TAMPERED = 1,
	VERIFY_EXIT_TRUNCATED = 2,	/* or rolled back, an archive gone */
	VERIFY_EXIT_KEY = 3, VERIFY_EXIT_TORN = 4,
	VERIFY_EXIT_UNREADABLE = 5
};

/*
 * One thing that is not as it was written.  A torn fragment that a later
 * record closed and vouched for is told but costs no exit code (`closed`).
 */
struct finding {
	enum verify_kind kind;
	bool		 closed;
	char		 file[64];	/* in the folder `audit`; an anchor's */
	uint64_t	 line;		/* of the file, from 1; 0: its end */
	uint64_t	 offset;	/* bytes */
	uint64_t	 seq;		/* as the record claims */
	char		 expected[80], found[80];
};

#define VERIFY_FINDINGS	64

struct verify_report {
	enum verify_exit exit;
	uint64_t	 records;
	uint64_t	 last_good_seq;
	uint64_t	 signatures;	/* how many were checked */
	uint64_t	 covered;	/* records under the last checkpoint */
	struct finding	 findings[VERIFY_FINDINGS];
	size_t		 n_findings;
	uint64_t	 more;		/* findings beyond the table */
};

/* A checkpoint that was kept outside the log. */
struct anchor {
	char		 where[64];
	struct sealed	 sealed;
	bool		 seen;		/* the log has it too */
};

struct verify_options {
	bool		 full, fast;
	const char	*project;	/* expected */
	const char	*genesis;	/* digest hex pinned in record.json;
					   NULL or "": only the approver's
					   signature vouches for it */
	const struct keyring *approvers;
	/* Whom to believe when the archive with the genesis record is gone;
	   NULL: nobody. */
	const struct keyring *believed;
	struct anchor	*anchors;	/* `seen` is set */
	size_t		 n_anchors;
};

/* -1 only when the log cannot be read at all (VERIFY_EXIT_UNREADABLE). */
int	audit_verify(int privfd, const struct verify_options *,
	    struct verify_report *ret, struct err *);

#endif
