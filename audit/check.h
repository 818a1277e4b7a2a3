/*
 * audit/check.h - one line after the other against the chain so far.
 *
 * The state is the last record that was accepted: what the next one must be
 * numbered, hash to and be signed by.  A line that does not fit becomes a
 * finding and the state waits; lines behind it decide whether it took the
 * place of a record (edited), stood beside one (inserted, duplicate, forked)
 * or was what a crash left (torn).  Internal to the room.
 */
#ifndef AUDIT_CHECK_H
#define AUDIT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/logfile.h"
#include "audit/reader.h"
#include "audit/sworn.h"
#include "audit/verify.h"

struct check {
	const struct verify_options *opt;
	const struct logfile	*log;
	struct verify_report	*r;
	struct sworn		 sworn;
	uint64_t		 skip_below;	/* no signatures before */

	/* the last accepted record */
	bool			 any;
	uint64_t		 want;		/* seq of the next */
	struct digest		 hash;
	unsigned char		 next[SIGN_PUB];
	uint64_t		 end;		/* offset behind it */

	/* lines behind it that did not fit; their findings are the last */
	uint64_t		 waiting;
	size_t			 first_waiting;
	struct digest		 hashes[VERIFY_FINDINGS];

	bool			 pin_seen;
	struct digest		 at_pin;	/* hash of the record pinned */
	bool			 torn_tail;
};

void	check_init(struct check *, const struct verify_options *,
	    const struct logfile *, struct verify_report *);
void	check_clear(struct check *);

/* Feed lines in order. */
void	check_line(struct check *, const struct line *);

/* After the last line: what waits is settled. */
void	check_settle(struct check *);

/* Add a finding; found and expected may be NULL. */
struct finding *check_find(struct check *, enum verify_kind,
	    const struct line *, uint64_t seq, const char *expected,
	    const char *found);

/* check_peek.c: looks elsewhere in the file; rare paths only. */

/* The line behind another one. */
struct peek {
	uint64_t	seq;
	struct digest	prev, hash;
	bool		signed_by;	/* with `key` */
};
/* False when there is none or it is no record. */
bool	check_peek(const struct check *, const struct line *,
	    const unsigned char key[static SIGN_PUB], struct peek *ret);
/* Is there a record `seq` before `offset`?  Its hash, and the key it should
 * have been signed by (known unless it is the first). */
bool	check_seen(const struct check *, uint64_t seq, uint64_t offset,
	    struct digest *ret_hash, unsigned char ret_key[static SIGN_PUB]);
/* Does `torn` of the record in `l` vouch for exactly the bytes between it and
 * the last accepted record? */
bool	check_vouched(const struct check *, const struct line *,
	    const cJSON *torn);
/* Does the record name another project? */
bool	check_foreign(const struct check *, const struct line *);

#endif
