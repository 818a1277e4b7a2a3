/*
 * audit/scan.h - reads the log with as many threads as there are processors.
 *
 * A window of the log is cut into chunks; a thread takes one, hashes its
 * lines, compares each with the line before it in the same chunk, checks the
 * signatures that are asked for, and hashes the tree's leaves.  What it hands
 * back is a list of stretches in the order of the file:
 *
 *	SCAN_RUN	records that follow each other without a flaw
 *	SCAN_LINE	anything that somebody has to look at: a line that is no
 *			record, a kind that carries a statement
 *
 * Whether a run fits what comes before it, and everything about a line, is for
 * check.c; nothing here is ever a finding.  Internal to the room.
 */
#ifndef AUDIT_SCAN_H
#define AUDIT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/chain.h"
#include "audit/logset.h"
#include "audit/tree.h"

/* What to check.  Counts are of records, from 0. */
struct scan_order {
	uint64_t	signed_from;	/* chain signatures from here on */
	uint64_t	sworn_from;	/* statements from here on; before it
					   only what says who may sign */
	uint64_t	pin;		/* note this record's hash */
};

enum scan_kind { SCAN_RUN, SCAN_LINE };

struct scan_item {
	enum scan_kind	kind;
	uint64_t	from, to;	/* bytes */
	uint64_t	lines;
	/* of a run */
	uint64_t	seq;		/* of its first record */
	size_t		first_len;	/* that one's line, without LF */
	struct digest	prev;		/* what that one names */
	struct digest	hash;		/* of its last record */
	unsigned char	next[SIGN_PUB];	/* the key that one names */
	bool		has_pin;
	struct digest	at_pin;
	size_t		node, nodes;	/* of scan.nodes */
};

/* An approval that was passed by: where to find it again. */
struct scan_place {
	uint64_t	seq, offset;
};

struct scan {
	struct scan_item  *items;
	size_t		   n, cap;
	struct tree_node  *nodes;
	size_t		   n_nodes, cap_nodes;
	struct scan_place *places;
	size_t		   n_places, cap_places;
	uint64_t	   signatures;
};

/* How much of the log is held at once: a few MiB per thread. */
struct scanner;
struct scanner *scanner_new(const struct logset *, const struct scan_order *);
void	scanner_free(struct scanner *);

/*
 * The next window's stretches, one scan per chunk, in order.  Returns how many
 * scans, 0 at the end of the log, -1 when it cannot be read.  They are good
 * until the next call.
 */
int	scanner_next(struct scanner *, const struct scan **ret, struct err *);

#endif
