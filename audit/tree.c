#include "audit/tree.h"

#include <string.h>

#include "common/err.h"

#include "common/banned.h"

static void
leaf_hash(const struct digest *record, struct digest *ret)
{
	unsigned char in[1 + DIGEST_BYTES] = { 0x00 };

	memcpy(in + 1, record->b, DIGEST_BYTES);
	crypto_hash_sha256(ret->b, in, sizeof in);
}

static void
node_hash(const struct digest *left, const struct digest *right,
    struct digest *ret)
{
	unsigned char in[1 + 2 * DIGEST_BYTES] = { 0x01 };

	memcpy(in + 1, left->b, DIGEST_BYTES);
	memcpy(in + 1 + DIGEST_BYTES, right->b, DIGEST_BYTES);
	crypto_hash_sha256(ret->b, in, sizeof in);
}

void
tree_begin(struct tree_range *r, uint64_t from)
{
	r->from = r->to = from;
	r->n = 0;
}

/* Two neighbours of one size become one, if the left one is a left child. */
static bool
merge_last(struct tree_range *r)
{
	struct tree_node *left, *right;
	unsigned level;

	if (r->n < 2)
		return false;
	left = &r->node[r->n - 2];
	right = &r->node[r->n - 1];
	level = left->level;
	if (right->level != level || (r->to >> level & 1) != 0)
		return false;
	node_hash(&left->hash, &right->hash, &left->hash);
	left->level++;
	r->n--;
	return true;
}

bool
tree_add_node(struct tree_range *r, const struct tree_node *node)
{
	uint64_t leaves = (uint64_t)1 << node->level;

	if (node->level >= TREE_LEVELS || (r->to & (leaves - 1)) != 0 ||
	    r->to > ((uint64_t)1 << TREE_LEVELS) - leaves)
		return false;
	if (r->n == TREE_NODES)
		BUG("a range of more nodes than levels allow");
	r->node[r->n++] = *node;
	r->to += leaves;
	while (merge_last(r))
		;
	return true;
}

void
tree_add(struct tree_range *r, const struct digest *record)
{
	struct tree_node leaf = { .level = 0 };

	leaf_hash(record, &leaf.hash);
	tree_add_node(r, &leaf);
}

bool
tree_join(struct tree_range *r, const struct tree_range *next)
{
	if (next->from != r->to)
		return false;
	for (size_t i = 0; i < next->n; i++) {
		if (!tree_add_node(r, &next->node[i]))
			return false;
	}
	return true;
}

void
tree_root(const struct tree_range *r, struct digest *ret)
{
	struct digest d;

	if (r->n == 0) {
		crypto_hash_sha256(ret->b, NULL, 0);
		return;
	}
	d = r->node[r->n - 1].hash;
	for (size_t i = r->n - 1; i-- > 0;)
		node_hash(&r->node[i].hash, &d, &d);
	*ret = d;
}

/*
 * The subtrees left of the leaf are siblings on its way up, the smallest
 * nearest; those right of it are too, as long as they are whole.  What is left
 * of the right side at the tree's ragged edge is one sibling.
 */
size_t
tree_path(const struct tree_range *before, const struct tree_range *behind,
    struct digest ret[static TREE_PATH])
{
	uint64_t index = before->to, size = behind->to;
	size_t l = before->n, r = 0, n = 0;

	for (unsigned level = 0; (size - 1) >> level > 0; level++) {
		uint64_t at = index >> level, last = (size - 1) >> level;

		if ((at & 1) != 0) {
			ret[n++] = before->node[--l].hash;
		} else if (at < last && at + 1 < last) {
			ret[n++] = behind->node[r++].hash;
		} else if (at < last) {
			struct tree_range edge = { .n = behind->n - r };

			memcpy(edge.node, behind->node + r,
			    edge.n * sizeof edge.node[0]);
			tree_root(&edge, &ret[n++]);
			r = behind->n;
		}
	}
	return n;
}

/* A node without a sibling is its own parent. */
static void
climb_alone(uint64_t *fn, uint64_t *sn)
{
	while ((*fn & 1) == 0 && *fn != 0) {
		*fn >>= 1;
		*sn >>= 1;
	}
}

/* RFC 9162 section 2.1.3.2. */
bool
tree_path_ok(const struct tree_claim *c)
{
	uint64_t fn = c->index, sn = c->size - 1;
	struct digest r;

	if (c->index >= c->size)
		return false;
	leaf_hash(&c->record, &r);
	for (size_t i = 0; i < c->n; i++) {
		if (sn == 0)
			return false;
		if ((fn & 1) != 0 || fn == sn) {
			node_hash(&c->path[i], &r, &r);
			climb_alone(&fn, &sn);
		} else {
			node_hash(&r, &c->path[i], &r);
		}
		fn >>= 1;
		sn >>= 1;
	}
	return sn == 0 && digest_eq(&r, &c->root);
}
