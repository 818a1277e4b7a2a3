#include "audit/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/note.h"
#include "common/mem.h"

#include "common/banned.h"

static int
fetch_approval(void *arg, uint64_t seq, struct approval *ret)
{
	const struct check *k = arg;
	auto_json cJSON *record = NULL;
	struct reader rd;
	struct line l;
	size_t i = k->n_places;
	int rc = -1;

	while (i > 0 && k->places[i - 1].seq != seq)
		i--;
	if (i == 0)
		return -1;
	reader_init(&rd, &k->log->set, k->places[i - 1].offset,
	    k->places[i - 1].offset + 1, 1);
	if (reader_next(&rd, &l, NULL) == 1 &&
	    json_parse(l.text, l.len, JSON_DEPTH, &record, NULL) == 0 &&
	    json_str(record, "stmt") != NULL)
		rc = approval_decode(json_str(record, "stmt"), ret, NULL);
	reader_clear(&rd);
	return rc;
}

void
check_init(struct check *k, const struct verify_options *opt,
    const struct logfile *log, struct verify_report *r)
{
	memset(k, 0, sizeof *k);
	k->opt = opt;
	k->log = log;
	k->r = r;
	sworn_init(&k->sworn, opt->project, opt->approvers);
	k->sworn.fetch = fetch_approval;
	k->sworn.fetch_arg = k;
}

void
check_clear(struct check *k)
{
	sworn_clear(&k->sworn);
	free(k->places);
	k->places = NULL;
}

struct finding *
check_find(struct check *k, enum verify_kind kind, const struct line *l,
    uint64_t seq, const char *expected, const char *found)
{
	struct verify_report *r = k->r;
	struct finding *f;

	if (r->n_findings == VERIFY_FINDINGS) {
		r->more++;
		return NULL;
	}
	f = &r->findings[r->n_findings++];
	*f = (struct finding){ .kind = kind, .seq = seq };
	snprintf(f->file, sizeof f->file, LOGSET_CURRENT);
	if (l != NULL) {
		const struct logset_part *p = logset_find(&k->log->set,
		    l->offset);

		snprintf(f->file, sizeof f->file, "%s", p->name);
		f->line = l->number;
		f->offset = l->offset - p->start;
		chain_hash(l->text, l->len, &k->hashes[r->n_findings - 1]);
	}
	snprintf(f->expected, sizeof f->expected, "%s",
	    expected == NULL ? "" : expected);
	snprintf(f->found, sizeof f->found, "%s", found == NULL ? "" : found);
	return f;
}

void
check_wait(struct check *k, enum verify_kind kind, const struct line *l,
    const char *found)
{
	char want[80];

	if (k->waiting == 0)
		k->first_waiting = k->r->n_findings;
	k->waiting++;
	snprintf(want, sizeof want, "record %" PRIu64, k->want);
	check_find(k, kind, l, k->want + k->waiting - 1, want, found);
}

void
check_inserted(struct check *k)
{
	for (size_t i = k->first_waiting; k->waiting > 0 &&
	    i < k->r->n_findings; i++) {
		if (k->r->findings[i].kind == VERIFY_EDITED)
			k->r->findings[i].kind = VERIFY_INSERTED;
	}
	k->waiting = 0;
}

void
check_waited(struct check *k, const struct line *l, const cJSON *record)
{
	struct finding *f;

	if (k->waiting == 0)
		return;
	if (!check_vouched(k, l, json_get(record, "torn"))) {
		check_inserted(k);
		return;
	}
	/* Findings past the table were only counted; uncount them too. */
	if (k->waiting > k->r->n_findings - k->first_waiting)
		k->r->more -= k->waiting -
		    (k->r->n_findings - k->first_waiting);
	k->r->n_findings = k->first_waiting;
	f = check_find(k, VERIFY_TORN, l, k->want, "",
	    "a crash left bytes before it, it vouches for them");
	if (f != NULL)
		f->closed = true;
	k->waiting = 0;
}

void
check_accept(struct check *k, const struct line *l, const struct fit *fit)
{
	k->any = true;
	k->want = fit->c.seq + 1;
	k->hash = fit->hash;
	memcpy(k->next, fit->c.next, SIGN_PUB);
	k->end = l->end;
	k->waiting = 0;
	if (k->tree.to == fit->c.seq)
		tree_add(&k->tree, &fit->hash);
	if (k->log->pinned && fit->c.seq == k->log->pin.seq) {
		k->pin_seen = true;
		k->at_pin = fit->hash;
	}
}

/* A checkpoint speaks of exactly the records before it. */
static void
check_checkpoint(struct check *k, const struct line *l, const cJSON *record,
    uint64_t seq)
{
	struct note n;
	struct digest root;
	const char *stmt = json_str(record, "stmt");
	bool known = k->tree.to == seq && seq > 0;

	if (stmt == NULL || note_decode(stmt, &n, NULL) == -1 ||
	    n.size != seq) {
		check_find(k, VERIFY_UNSIGNED_DECISION, l, seq,
		    "a checkpoint of the records before it", "another one");
		return;
	}
	if (known)
		tree_root(&k->tree, &root);
	if (!digest_eq(&n.chain, &k->hash) ||
	    (known && !digest_eq(&n.root, &root))) {
		check_find(k, VERIFY_FORKED, l, seq,
		    "the records an approver's checkpoint vouches for",
		    "others before it");
		return;
	}
	k->covered = seq;
	for (size_t i = 0; i < k->n_anchors; i++) {
		struct anchor *a = &k->anchors[i];

		a->seen = a->seen || (str_eq(a->sealed.text, stmt) &&
		    str_eq(a->sealed.sig, json_str(record, "stmt_sig")));
	}
}

static void
check_sworn(struct check *k, const struct line *l,
    const struct event_kind *kind, const struct fit *fit, const cJSON *record)
{
	struct err e = { 0 };

	if (fit->c.seq < k->order.sworn_from &&
	    (kind->flags & EVENT_TRUST) == 0)
		return;
	if (sworn_check(&k->sworn, kind, record, fit->c.seq, &e) == -1)
		check_find(k, VERIFY_UNSIGNED_DECISION, l, fit->c.seq,
		    kind->name, e.text);
	else if (chain_kind_is(&fit->c, "checkpoint"))
		check_checkpoint(k, l, record, fit->c.seq);
}

/* It has its place in the chain; does somebody answer for what it says? */
void
check_accept_sworn(struct check *k, const struct line *l,
    const struct fit *fit)
{
	const struct event_kind *kind = event_kind_find(fit->c.kind,
	    fit->c.kind_len);
	auto_json cJSON *record = NULL;

	if ((kind == NULL || kind->title != NULL || k->waiting > 0) &&
	    json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1)
		kind = NULL;
	check_waited(k, l, record);
	if (kind == NULL)
		check_find(k, VERIFY_EDITED, l, fit->c.seq,
		    "a kind of record that exists", "signed nonsense");
	else if (record != NULL)
		check_sworn(k, l, kind, fit, record);
	check_accept(k, l, fit);
	if (k->r->n_findings == 0)
		k->r->last_good_seq = fit->c.seq;
}

/* The thread could not know the key of the run's first record. */
static bool
first_signed(struct check *k, const struct scan_item *i)
{
	auto_free char *text = NULL;
	struct chain_line c;

	if (i->seq < k->order.signed_from)
		return true;
	text = xcalloc(i->first_len + 1, 1);
	k->r->signatures++;
	return logset_pread(&k->log->set, text, i->first_len, i->from, NULL) ==
	    0 && chain_parse(text, i->first_len, &c) &&
	    sign_ok(k->next, text, c.signed_len, c.sig);
}

bool
check_run(struct check *k, const struct scan_item *i,
    const struct tree_node *nodes)
{
	if (!k->any || k->waiting > 0 || i->seq != k->want ||
	    !digest_eq(&i->prev, &k->hash) || !first_signed(k, i))
		return false;
	k->want = i->seq + i->lines;
	k->hash = i->hash;
	memcpy(k->next, i->next, SIGN_PUB);
	k->end = i->to;
	for (size_t n = 0; k->tree.to >= i->seq && n < i->nodes; n++)
		tree_add_node(&k->tree, &nodes[n]);
	if (k->log->pinned && i->has_pin) {
		k->pin_seen = true;
		k->at_pin = i->at_pin;
	}
	k->r->records += i->lines;
	if (k->r->n_findings == 0)
		k->r->last_good_seq = k->want - 1;
	return true;
}

void
check_places(struct check *k, const struct scan_place *p, size_t n)
{
	if (n == 0)
		return;
	if (k->n_places + n > k->cap_places) {
		k->cap_places = (k->n_places + n) * 2;
		k->places = xrealloc(k->places, k->cap_places,
		    sizeof *k->places);
	}
	memcpy(k->places + k->n_places, p, n * sizeof *p);
	k->n_places += n;
}

void
check_line(struct check *k, const struct line *l)
{
	struct fit fit = { 0 };

	k->r->records += l->ended;
	if (!l->ended && l->end == k->log->set.size) {
		k->torn_tail = true;
		return;
	}
	if (!l->ended || !chain_parse(l->text, l->len, &fit.c)) {
		check_wait(k, VERIFY_EDITED, l, "a line that is no record");
		return;
	}
	chain_hash(l->text, l->len, &fit.hash);
	if (k->any)
		check_judge(k, l, &fit);
	else
		check_judge_first(k, l, &fit);
}

/* Lines at the end that nothing follows: the pin knows whether records were
 * there. */
void
check_settle(struct check *k)
{
	if (k->waiting > 0 && k->log->pinned && k->log->pin.seq < k->want)
		check_inserted(k);
}
