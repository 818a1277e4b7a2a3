/*
 * audit/tree.h - the Merkle tree of RFC 9162 over the records.
 *
 * Leaf i is record i; what is hashed for it is the record's chain hash, the 32
 * bytes its successor carries as `prev`, so that verifying reads every line
 * only once:
 *
 *	leaf(i)    = SHA-256(0x00 || chain hash of line i)
 *	node(l, r) = SHA-256(0x01 || l || r)
 *
 * A *range* [from, to) of leaves is kept as the roots of the largest aligned
 * subtrees that make it up, at most two per level.  Ranges that meet can be
 * joined, so that a log is hashed in pieces and by several threads.
 *
 * Pure.
 */
#ifndef AUDIT_TREE_H
#define AUDIT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"

#define TREE_LEVELS	48
#define TREE_NODES	(2 * TREE_LEVELS)
#define TREE_PATH	TREE_LEVELS

struct tree_node {
	unsigned	level;		/* 2^level leaves below it */
	struct digest	hash;
};

struct tree_range {
	uint64_t	 from, to;
	size_t		 n;
	struct tree_node node[TREE_NODES];
};

void	tree_begin(struct tree_range *, uint64_t from);
/* The next leaf. */
void	tree_add(struct tree_range *, const struct digest *record);
/* The next subtree, which must be aligned where the range ends now. */
bool	tree_add_node(struct tree_range *, const struct tree_node *);
/* Append `next`, which begins where the range ends. */
bool	tree_join(struct tree_range *, const struct tree_range *next);

/* The root of a range that begins at 0; of no leaves: SHA-256(""). */
void	tree_root(const struct tree_range *, struct digest *ret);

/*
 * The proof that leaf `index` is in the tree of the leaves [0, size): `before`
 * is [0, index), `behind` is [index + 1, size).  Hashes from the leaf up, as in
 * RFC 9162 section 2.1.3; returns how many.
 */
size_t	tree_path(const struct tree_range *before,
	    const struct tree_range *behind,
	    struct digest ret[static TREE_PATH]);

/* Does the path lead from this record to the root? */
struct tree_claim {
	uint64_t		 index, size;
	struct digest		 record;	/* chain hash */
	struct digest		 root;
	const struct digest	*path;
	size_t			 n;
};
bool	tree_path_ok(const struct tree_claim *);

#endif
