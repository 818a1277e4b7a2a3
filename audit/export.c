/*
 * Two readings: the first chooses, the second writes down what was chosen and
 * hashes the rest away.
 */
#include "audit/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/event.h"
#include "audit/ustar.h"
#include "common/mem.h"

#include "common/banned.h"

#define TREE_TEXT_MAX	(256UL * 1024 * 1024)

int
export_begin(int privfd, const char *project, struct export *x, struct err *e)
{
	if (digest_setup(e) == -1 ||
	    audit_checkpoint_last(privfd, &x->cp, e) == -1)
		return -1;
	if (strcmp(x->cp.note.project, project) != 0)
		return err_set(e, ERR_PERMITTED,
		    "the checkpoint is another project's");
	if (logfile_open(privfd, false, &x->log, e) == -1)
		return -1;
	logfile_unlock(&x->log);
	x->chosen = xcalloc(x->cp.note.size / 8 + 1, 1);
	tree_begin(&x->all, 0);
	tree_begin(&x->gap, 0);
	str_init(&x->tree, TREE_TEXT_MAX);
	str_init(&x->records, EVIDENCE_MAX);
	return 0;
}

void
export_finish(struct export *x)
{
	logfile_close(&x->log);
	free(x->chosen);
	free(x->ids);
	str_clear(&x->tree);
	str_clear(&x->records);
}

static void
choose(struct export *x, uint64_t seq)
{
	unsigned char bit = (unsigned char)(1 << seq % 8);

	if (seq >= x->cp.note.size) {
		x->uncovered++;
		return;
	}
	x->n_chosen += (x->chosen[seq / 8] & bit) == 0;
	x->chosen[seq / 8] |= bit;
}

static bool
is_chosen(const struct export *x, uint64_t seq)
{
	return (x->chosen[seq / 8] >> seq % 8 & 1) != 0;
}

/* A result needs its approval to be checked. */
static void
choose_result(struct export *x, const struct line *l)
{
	auto_json cJSON *r = NULL;
	const char *id;
	int64_t at;

	if (json_parse(l->text, l->len, JSON_DEPTH, &r, NULL) == -1)
		return;
	at = json_int(r, "approval_seq", -1);
	if (at >= 0 && (uint64_t)at < x->cp.note.size)
		choose(x, (uint64_t)at);
	id = json_str(r, "id");
	if (id == NULL || !id_ok(id))
		return;
	if (x->n_ids == x->cap_ids) {
		x->cap_ids = x->cap_ids == 0 ? 16 : x->cap_ids * 2;
		x->ids = xrealloc(x->ids, x->cap_ids, sizeof *x->ids);
	}
	memcpy(x->ids[x->n_ids++], id, strlen(id) + 1);
}

static int64_t
time_of(const struct line *l)
{
	static const char name[] = "\"t_wall_ms\":";
	const char *p = memmem(l->text, l->len, name, sizeof name - 1);

	return p == NULL ? 0 : strtoll(p + sizeof name - 1, NULL, 10);
}

static bool
wanted(const struct export *x, const struct line *l)
{
	int64_t when;

	if (x->choice->id != NULL)
		return memmem(l->text, l->len, x->id_text,
		    strlen(x->id_text)) != NULL;
	when = time_of(l);
	return when >= x->choice->since_ms && when <= x->choice->until_ms;
}

static void
consider(struct export *x, const struct line *l)
{
	struct chain_line c;
	const struct event_kind *k;

	if (!l->ended || !chain_parse(l->text, l->len, &c))
		return;
	k = event_kind_find(c.kind, c.kind_len);
	if (c.seq < x->cp.note.size && (chain_kind_is(&c, "genesis") ||
	    chain_kind_is(&c, "key"))) {
		choose(x, c.seq);
		x->n_chosen--;		/* nobody asked for it */
	}
	if (!wanted(x, l))
		return;
	choose(x, c.seq);
	if (k != NULL && (k->flags & EVENT_RESULT) != 0)
		choose_result(x, l);
}

static void
put_node(struct export *x, uint64_t from, const struct tree_node *n)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&n->hash, hex);
	str_addf(&x->tree, "node %" PRIu64 " %u %s\n", from, n->level, hex);
}

static void
end_gap(struct export *x, uint64_t next)
{
	uint64_t from = x->gap.from;

	for (size_t i = 0; i < x->gap.n; i++) {
		put_node(x, from, &x->gap.node[i]);
		from += (uint64_t)1 << x->gap.node[i].level;
	}
	tree_begin(&x->gap, next);
}

static void
write_down(struct export *x, const struct line *l)
{
	struct chain_line c;
	struct digest d;
	char hex[DIGEST_HEX + 1];

	if (!l->ended || !chain_parse(l->text, l->len, &c) ||
	    c.seq != x->all.to || c.seq >= x->cp.note.size)
		return;
	chain_hash(l->text, l->len, &d);
	tree_add(&x->all, &d);
	if (!is_chosen(x, c.seq)) {
		tree_add(&x->gap, &d);
		return;
	}
	end_gap(x, c.seq + 1);
	digest_hex(&d, hex);
	str_addf(&x->tree, "record %" PRIu64 " %s\n", c.seq, hex);
	str_addn(&x->records, l->text, l->len);
	str_addc(&x->records, '\n');
}

static int
each_line(struct export *x, void (*fn)(struct export *, const struct line *),
    struct err *e)
{
	struct reader rd;
	struct line l;
	int got;

	reader_all(&rd, &x->log.set);
	while ((got = reader_next(&rd, &l, e)) == 1)
		fn(x, &l);
	reader_clear(&rd);
	return got;
}

/* Whatever was read must be what the approver signed. */
int
export_check(const struct export *x, struct err *e)
{
	struct digest root;

	tree_root(&x->all, &root);
	if (x->all.to != x->cp.note.size ||
	    !digest_eq(&root, &x->cp.note.root))
		return err_set(e, ERR_PERMITTED, "the log is not what its "
		    "checkpoint vouches for; run `sandbox audit verify`");
	return 0;
}

static int
gather(struct export *x, struct err *e)
{
	if (x->choice->id != NULL)
		snprintf(x->id_text, sizeof x->id_text, "\"id\":\"%s\"",
		    x->choice->id);
	if (each_line(x, consider, e) == -1)
		return -1;
	if (x->uncovered > 0 && (x->choice->id != NULL || x->n_chosen == 0))
		return err_set(e, ERR_SETUP, "the last checkpoint does not "
		    "cover all of it; run `sandbox audit checkpoint`");
	if (x->n_chosen == 0)
		return err_set(e, ERR_NO_ID, "no such record");
	if (each_line(x, write_down, e) == -1)
		return -1;
	end_gap(x, x->all.to);
	if (x->tree.full || x->records.full)
		return err_set(e, ERR_FORMAT, "too much for one archive");
	return export_check(x, e);
}

void
export_seal(const struct export *x, struct str *ret)
{
	char b64[SIGN_SIG + 4];

	memcpy(b64, x->cp.key_hash, 4);
	hex_get(x->cp.sig, b64 + 4, SIGN_SIG);
	note_seal_raw(x->cp.text, b64, ret);
}

static void
put_outputs(const struct export *x, const struct evidence_order *o,
    struct str *ret)
{
	for (size_t i = 0; o->output != NULL && i < x->n_ids; i++) {
		auto_str struct str text = { 0 };
		auto_free char *name = xasprintf("out/%s.txt", x->ids[i]);
		bool twice = false;

		for (size_t j = 0; j < i; j++)
			twice = twice || str_eq(x->ids[i], x->ids[j]);
		str_init(&text, EVIDENCE_MAX);
		if (!twice && o->output(o->arg, x->ids[i], &text) == 0)
			ustar_add(ret, name, text.s, text.len);
	}
}

int
audit_export(int privfd, const struct evidence_order *o, struct str *ret,
    uint64_t *ret_left, struct err *e)
{
	struct export x = { .choice = &o->choice, .log = LOGFILE_INIT };
	auto_str struct str cp = { 0 };
	int rc = export_begin(privfd, o->project, &x, e);

	if (rc == 0)
		rc = gather(&x, e);
	if (rc == 0) {
		str_init(&cp, NOTE_MAX);
		export_seal(&x, &cp);
		ustar_add(ret, "checkpoint", cp.s, cp.len);
		ustar_add(ret, "tree", x.tree.s, x.tree.len);
		ustar_add(ret, "records.jsonl", x.records.s, x.records.len);
		if (o->policy != NULL)
			ustar_add(ret, "policy", o->policy, o->policy_len);
		put_outputs(&x, o, ret);
		ustar_end(ret);
		*ret_left = x.uncovered;
	}
	export_finish(&x);
	return rc == -1 ? err_add(e, "export") : 0;
}
