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
#include "audit/scan.h"
#include "audit/sworn.h"
#include "audit/verify.h"

/* What a line is, seen from the last accepted record. */
struct fit {
	struct chain_line	 c;
	struct digest		 hash;
	bool			 direct;	/* prev is that record */
	bool			 sig;		/* by the key it named */
	bool			 checked;	/* not skipped */
};

struct check {
	const struct verify_options *opt;
	const struct logfile	*log;
	struct verify_report	*r;
	struct sworn		 sworn;
	struct scan_order	 order;		/* what is checked */

	/* the last accepted record */
	bool			 any;
	uint64_t		 want;		/* seq of the next */
	struct digest		 hash;
	unsigned char		 next[SIGN_PUB];
	uint64_t		 end;		/* offset behind it */
	struct tree_range	 tree;		/* of the records so far; whole
						   while it ends at want */

	/* lines behind it that did not fit; their findings are the last */
	uint64_t		 waiting;
	size_t			 first_waiting;
	struct digest		 hashes[VERIFY_FINDINGS];

	/* approvals before order.sworn_from */
	struct scan_place	*places;
	size_t			 n_places, cap_places;

	uint64_t		 covered;	/* by a checkpoint */
	struct anchor		*anchors;	/* borrowed */
	size_t			 n_anchors;
	bool			 pin_seen;
	struct digest		 at_pin;	/* hash of the record pinned */
	bool			 torn_tail;
};

void	check_init(struct check *, const struct verify_options *,
	    const struct logfile *, struct verify_report *);
void	check_clear(struct check *);

/* Feed lines in order. */
void	check_line(struct check *, const struct line *);
/*
 * Feed a run of records that follow each other.  False: it does not follow
 * what was accepted; nothing happened, feed its lines.
 */
bool	check_run(struct check *, const struct scan_item *,
	    const struct tree_node *);
/* Approvals that were passed by. */
void	check_places(struct check *, const struct scan_place *, size_t n);

/* After the last line: what waits is settled. */
void	check_settle(struct check *);

/* Add a finding; found and expected may be NULL. */
struct finding *check_find(struct check *, enum verify_kind,
	    const struct line *, uint64_t seq, const char *expected,
	    const char *found);
/* A line that is not the record that should be here, for now `kind`. */
void	check_wait(struct check *, enum verify_kind, const struct line *,
	    const char *found);
/* The record that was waited for came: the lines before it are too many. */
void	check_inserted(struct check *);
/* Lines wait and their successor is here: a crash, or strangers? */
void	check_waited(struct check *, const struct line *, const cJSON *record);
/* The line is the next record. */
void	check_accept(struct check *, const struct line *, const struct fit *);
/* The same, and what it says must be sworn. */
void	check_accept_sworn(struct check *, const struct line *,
	    const struct fit *);

/* check_judge.c: a line that is a record, against the last accepted one. */
void	check_judge(struct check *, const struct line *, struct fit *);
void	check_judge_first(struct check *, const struct line *, struct fit *);

/* check_end.c: the log's end, and checkpoints kept elsewhere. */
void	check_end(struct check *, const struct line *last);

/* verify.c: a log read to its end, for whoever goes on from there. */
struct verified {
	struct logfile		 log;
	struct verify_report	 report;
	struct verify_options	 opt;
	struct check		 check;
};
int	verify_begin(int privfd, const struct verify_options *,
	    struct verified *ret, struct err *);
void	verify_end(struct verified *);

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
