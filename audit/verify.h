/*
 * audit/verify.h - is the log what was written?
 *
 * Reads the whole log, never writes.  Every record is hashed and compared with
 * its neighbour, every signed statement is checked; the chain's signatures are
 * checked too, all of them in full mode and in logs of up to 20,000 records,
 * else those of the last 10,000 (docs/AUDIT.md says what that leaves out).
 * Then the log's end is compared with the pin and with log.key.
 *
 * Goes on behind the first bad record to classify what was done to it.
 */
#ifndef AUDIT_VERIFY_H
#define AUDIT_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/sign.h"

enum verify_kind {
	VERIFY_OK = 0, VERIFY_EDITED, VERIFY_MISSING, VERIFY_INSERTED,
	VERIFY_REORDERED, VERIFY_DUPLICATE_SEQ, VERIFY_FORKED,
	VERIFY_TRUNCATED, VERIFY_ROLLED_BACK, VERIFY_KEY_CHANGED,
	VERIFY_FOREIGN_LOG, VERIFY_UNSIGNED_DECISION, VERIFY_BAD_SIGNATURE,
	VERIFY_TORN, VERIFY_RESUMED
};
const char	*verify_kind_name(enum verify_kind);

/*
 * Exit codes of `sandbox audit verify`, its own table.  When several apply, the
 * gravest: TAMPERED, KEY, TRUNCATED, TORN.  A resumed chain is KEY for ever:
 * an approver vouches for a key that the chain did not name.
 */
enum verify_exit {
	VERIFY_EXIT_OK = 0, VERIFY_EXIT_TAMPERED = 1,
	VERIFY_EXIT_TRUNCATED = 2,	/* or rolled back */
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
	uint64_t	 line;		/* from 1 */
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
	struct finding	 findings[VERIFY_FINDINGS];
	size_t		 n_findings;
	uint64_t	 more;		/* findings beyond the table */
};

struct verify_options {
	bool		 full;		/* every signature */
	const char	*project;	/* expected */
	const char	*genesis;	/* digest hex pinned in record.json;
					   NULL or "": only the approver's
					   signature vouches for it */
	const struct keyring *approvers;
};

/* -1 only when the log cannot be read at all (VERIFY_EXIT_UNREADABLE). */
int	audit_verify(int privfd, const struct verify_options *,
	    struct verify_report *ret, struct err *);

#endif
