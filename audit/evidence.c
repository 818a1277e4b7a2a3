/*
 * The check of an archive, from its own bytes alone.  Every byte of it is
 * either computed (ustar.h), under the approver's signature (checkpoint,
 * policy), under the root that signature covers (tree, records), or hashed by
 * a signed result (outputs).
 */
#include "audit/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/chain.h"
#include "audit/event.h"
#include "audit/note.h"
#include "audit/sworn.h"
#include "audit/tree.h"
#include "audit/ustar.h"
#include "common/mem.h"

#include "common/banned.h"

/* A result that was found good: what its output must hash to. */
struct claim {
	char		id[ID_MAX + 1];
	struct digest	output;
};

struct inspect {
	struct evidence	*r;
	struct sealed	 cp;
	struct sworn	 sworn;
	const char	*tree, *tree_end;	/* the member, as far as read */
	uint64_t	 tree_line;
	/* As the tree has it, and with the records' own hashes. */
	struct tree_range said, is;
	uint64_t	 bad_record, bad_leaf;	/* first lines that differ; 0 */
	struct claim	*claims;
	size_t		 n_claims, cap_claims;
};

/* The first thing that is wrong is told; always false. */
static bool
wrong(struct inspect *x, const char *member, uint64_t line, const char *why)
{
	if (x->r->member[0] != '\0')
		return false;
	snprintf(x->r->member, sizeof x->r->member, "%s", member);
	x->r->line = line;
	snprintf(x->r->why, sizeof x->r->why, "%s", why);
	return false;
}

/* One line of the member `tree`; its end moves on. */
struct leaf {
	bool		record;
	uint64_t	at;
	struct tree_node node;
};

static bool
tree_next(struct inspect *x, struct leaf *ret)
{
	const char *lf = memchr(x->tree, '\n', (size_t)(x->tree_end - x->tree));
	auto_free char *line = NULL;
	auto_str struct str again = { 0 };
	char hex[DIGEST_HEX + 1] = "";

	if (lf == NULL)
		return false;
	line = xstrndup(x->tree, (size_t)(lf - x->tree));
	*ret = (struct leaf){ .record = str_starts(line, "record ") };
	str_init(&again, 256);
	if (ret->record) {
		if (sscanf(line, "record %13" SCNu64 " %64[0-9a-f]", &ret->at,
		    hex) == 2)
			str_addf(&again, "record %" PRIu64 " %s", ret->at, hex);
	} else if (sscanf(line, "node %13" SCNu64 " %2u %64[0-9a-f]", &ret->at,
	    &ret->node.level, hex) == 3) {
		str_addf(&again, "node %" PRIu64 " %u %s", ret->at,
		    ret->node.level, hex);
	}
	x->tree = lf + 1;
	x->tree_line++;
	return str_eq(again.s, line) &&
	    digest_parse(hex, &ret->node.hash) == 0 && ret->at == x->said.to;
}

/* Up to the next record line; false at the end or where it is damaged. */
static bool
tree_record(struct inspect *x, struct leaf *ret)
{
	while (x->tree < x->tree_end) {
		if (!tree_next(x, ret))
			return wrong(x, "tree", x->tree_line,
			    "not the next record or subtree");
		if (ret->record)
			return true;
		if (!tree_add_node(&x->said, &ret->node) ||
		    !tree_add_node(&x->is, &ret->node))
			return wrong(x, "tree", x->tree_line,
			    "a subtree that does not lie there");
	}
	return false;
}

static void
keep_claim(struct inspect *x, const cJSON *record)
{
	const char *stmt = json_str(record, "stmt");
	struct result res;
	struct claim *c;

	if (result_decode(stmt, &res, NULL) == -1)
		return;
	if (x->n_claims == x->cap_claims) {
		x->cap_claims = x->cap_claims == 0 ? 16 : x->cap_claims * 2;
		x->claims = xrealloc(x->claims, x->cap_claims,
		    sizeof *x->claims);
	}
	c = &x->claims[x->n_claims++];
	memcpy(c->id, res.id, sizeof c->id);
	c->output = res.output;
}

/* Who signs the rest: named by the genesis record, which he signed. */
static bool
inspect_genesis(struct inspect *x, const cJSON *record, uint64_t number)
{
	unsigned char key[SIGN_PUB], approver[SIGN_PUB], by[SIGN_PUB];

	if (sworn_genesis_key(&x->sworn, record, key, approver) == -1)
		return wrong(x, "records.jsonl", number,
		    "not this project's beginning");
	sworn_trust(&x->sworn, approver);
	if (!sworn_signed(&x->sworn, record, by) ||
	    memcmp(by, approver, SIGN_PUB) != 0)
		return wrong(x, "records.jsonl", number,
		    "nobody signed the beginning");
	return true;
}

static bool
inspect_sworn(struct inspect *x, const char *line, size_t len,
    const struct chain_line *c, uint64_t number)
{
	const struct event_kind *k = event_kind_find(c->kind, c->kind_len);
	auto_json cJSON *record = NULL;
	struct err e;

	if (k == NULL ||
	    json_parse(line, len, JSON_DEPTH, &record, NULL) == -1)
		return wrong(x, "records.jsonl", number, "no record of ours");
	if (strcmp(k->name, "genesis") == 0)
		return inspect_genesis(x, record, number);
	if (k->title == NULL || strcmp(k->name, "chain.resume") == 0)
		return true;
	x->r->decisions++;
	if (sworn_check(&x->sworn, k, record, c->seq, &e) == -1)
		return wrong(x, "records.jsonl", number, e.text);
	if ((k->flags & EVENT_RESULT) != 0)
		keep_claim(x, record);
	return true;
}

/* The record that the tree's next record line stands for. */
static bool
inspect_hash(struct inspect *x, const char *line, size_t len, uint64_t number)
{
	struct leaf leaf;
	struct digest d;

	if (!tree_record(x, &leaf))
		return wrong(x, "records.jsonl", number,
		    "a record that the tree does not have");
	chain_hash(line, len, &d);
	tree_add(&x->said, &leaf.node.hash);
	tree_add(&x->is, &d);
	if (!digest_eq(&d, &leaf.node.hash) && x->bad_record == 0) {
		x->bad_record = number;
		x->bad_leaf = x->tree_line;
	}
	return true;
}

static bool
inspect_meaning(struct inspect *x, const char *line, size_t len,
    uint64_t number)
{
	struct chain_line c;

	if (!chain_parse(line, len, &c))
		return wrong(x, "records.jsonl", number, "no record of ours");
	x->r->records++;
	return inspect_sworn(x, line, len, &c, number);
}

static bool
each_record(struct inspect *x, const struct ustar_member *m,
    bool (*fn)(struct inspect *, const char *, size_t, uint64_t))
{
	const char *p = m->data, *end = m->data + m->len;

	for (uint64_t number = 1; p < end; number++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		auto_free char *line = NULL;

		if (lf == NULL)
			return wrong(x, "records.jsonl", number, "cut short");
		line = xstrndup(p, (size_t)(lf - p));
		if (!fn(x, line, (size_t)(lf - p), number))
			return false;
		p = lf + 1;
	}
	return true;
}

static bool
leads_to_root(const struct inspect *x, const struct tree_range *r)
{
	struct digest root;

	tree_root(r, &root);
	return r->to == x->cp.note.size && digest_eq(&root, &x->cp.note.root);
}

/* Of a record and the tree's word for it one was changed: which? */
static bool
inspect_tree(struct inspect *x, const struct ustar_member *tree,
    const struct ustar_member *records)
{
	struct leaf leaf;

	x->tree = tree->data;
	x->tree_end = tree->data + tree->len;
	tree_begin(&x->said, 0);
	tree_begin(&x->is, 0);
	if (!each_record(x, records, inspect_hash))
		return false;
	if (tree_record(x, &leaf))
		return wrong(x, "records.jsonl", 0,
		    "a record of the tree is missing");
	if (x->r->member[0] != '\0')
		return false;
	if (x->bad_record == 0)
		return true;
	return leads_to_root(x, &x->is) ? wrong(x, "tree", x->bad_leaf,
	    "not the record's hash") : wrong(x, "records.jsonl",
	    x->bad_record, "not the record that the tree holds");
}

/* Now it is known who may sign; is the checkpoint his? */
static bool
inspect_signer(struct inspect *x, const unsigned char *key)
{
	unsigned char by[SIGN_PUB];

	if (!sworn_by_approver(&x->sworn, x->cp.text, x->cp.sig, by) ||
	    !note_by(&x->cp, by))
		return wrong(x, "checkpoint", 0,
		    "no approver of this log signed it");
	memcpy(x->r->approver, by, SIGN_PUB);
	if (key != NULL && memcmp(key, by, SIGN_PUB) != 0)
		return wrong(x, "checkpoint", 0, "signed by another key than "
		    "the one that was asked for");
	return true;
}

/* `sandbox-policy-v1 project H(text) key sig`, LF, the text. */
static bool
inspect_policy(struct inspect *x, const struct ustar_member *m)
{
	const char *lf = memchr(m->data, '\n', m->len);
	auto_free char *line = lf == NULL ? xstrdup("") :
	    xstrndup(m->data, (size_t)(lf - m->data));
	char *sig = strrchr(line, ' '), hex[DIGEST_HEX + 1], project[40];
	char is[DIGEST_HEX + 1];
	unsigned char by[SIGN_PUB];
	struct digest d;

	if (sig == NULL)
		return wrong(x, "policy", 1, "no seal");
	*sig++ = '\0';
	if (sscanf(line, "sandbox-policy-v1 %32s %64[0-9a-f] ", project, hex)
	    != 2 || strcmp(project, x->cp.note.project) != 0 ||
	    !sworn_by_approver(&x->sworn, line, sig, by))
		return wrong(x, "policy", 1, "no approver sealed it");
	digest_of(lf + 1, m->len - (size_t)(lf + 1 - m->data), NULL, &d);
	digest_hex(&d, is);
	if (strcmp(hex, is) != 0)
		return wrong(x, "policy", 0, "not the text that was sealed");
	x->r->policy = true;
	return true;
}

static bool
inspect_output(struct inspect *x, const struct ustar_member *m)
{
	struct digest d;
	char name[USTAR_NAME + 1];

	digest_of(m->data, m->len, NULL, &d);
	for (size_t i = 0; i < x->n_claims; i++) {
		snprintf(name, sizeof name, "out/%s.txt", x->claims[i].id);
		if (strcmp(name, m->name) != 0 ||
		    !digest_eq(&d, &x->claims[i].output))
			continue;
		x->r->outputs++;
		return true;
	}
	return wrong(x, m->name, 0, "not the output a signed result names");
}

static bool
take_members(struct inspect *x, struct ustar *u, struct ustar_member m[3])
{
	static const char *const names[] = { "checkpoint", "tree",
		"records.jsonl" };
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (ustar_next(u, &m[i], &e) != 1 ||
		    strcmp(m[i].name, names[i]) != 0)
			return wrong(x, "archive", 0, e.text[0] != '\0' ?
			    e.text : "a member is missing");
	}
	if (note_open(m[0].data, m[0].len, &x->cp, &e) == -1)
		return wrong(x, names[0], 0, e.text);
	memcpy(x->r->project, x->cp.note.project, sizeof x->r->project);
	x->r->covered = x->cp.note.size;
	return true;
}

/* The members that must be there, then those that may. */
static bool
inspect_members(struct inspect *x, struct ustar *u, const unsigned char *key)
{
	struct ustar_member m[3], more;
	struct err e = { 0 };
	int got;

	if (!take_members(x, u, m) || !inspect_tree(x, &m[1], &m[2]) ||
	    !each_record(x, &m[2], inspect_meaning) ||
	    !inspect_signer(x, key))
		return false;
	if (!leads_to_root(x, &x->said))
		return wrong(x, "tree", 0,
		    "it does not lead to the checkpoint's root");
	while ((got = ustar_next(u, &more, &e)) == 1) {
		if (strcmp(more.name, "policy") == 0 && !x->r->policy &&
		    x->r->outputs == 0 ? !inspect_policy(x, &more) :
		    !inspect_output(x, &more))
			return false;
	}
	return got == 0 ? true : wrong(x, "archive", 0, e.text);
}

static void
inspect(const char *data, size_t len, const unsigned char *key,
    struct evidence *ret)
{
	const struct keyring nobody = { 0 };
	struct ustar u = { .data = data, .len = len };
	struct inspect x = { .r = ret };

	sworn_init(&x.sworn, ret->project, &nobody);
	ret->good = inspect_members(&x, &u, key);
	sworn_clear(&x.sworn);
	free(x.claims);
}

int
audit_evidence(const char *data, size_t len, const unsigned char *key,
    struct evidence *ret, struct err *e)
{
	struct evidence r = { .good = false };

	if (digest_setup(e) == -1)
		return -1;
	if (len >= sizeof PROOF_TITLE - 1 &&
	    memcmp(data, PROOF_TITLE, sizeof PROOF_TITLE - 1) == 0)
		evidence_proof(data, len, key, &r);
	else
		inspect(data, len, key, &r);
	*ret = r;
	return 0;
}
