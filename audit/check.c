#include "audit/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

/* What a line is, seen from the last accepted record. */
struct fit {
	struct chain_line	 c;
	struct digest		 hash;
	bool			 direct;	/* prev is that record */
	bool			 sig;		/* by the key it named */
	bool			 checked;	/* not skipped */
};

void
check_init(struct check *k, const struct verify_options *opt,
    const struct logfile *log, struct verify_report *r)
{
	memset(k, 0, sizeof *k);
	k->opt = opt;
	k->log = log;
	k->r = r;
	sworn_init(&k->sworn, opt->project, opt->approvers);
}

void
check_clear(struct check *k)
{
	sworn_clear(&k->sworn);
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
	if (l != NULL) {
		f->line = l->number;
		f->offset = l->offset;
		chain_hash(l->text, l->len, &k->hashes[r->n_findings - 1]);
	}
	snprintf(f->expected, sizeof f->expected, "%s",
	    expected == NULL ? "" : expected);
	snprintf(f->found, sizeof f->found, "%s", found == NULL ? "" : found);
	return f;
}

/* A line that is not the record that should be here, for now `edited`. */
static void
wait_line(struct check *k, enum verify_kind kind, const struct line *l,
    const char *found)
{
	char want[80];

	if (k->waiting == 0)
		k->first_waiting = k->r->n_findings;
	k->waiting++;
	snprintf(want, sizeof want, "record %" PRIu64, k->want);
	check_find(k, kind, l, k->want + k->waiting - 1, want, found);
}

/* The record that was waited for came after all: the others are too many. */
static void
settle_inserted(struct check *k)
{
	for (size_t i = k->first_waiting; k->waiting > 0 &&
	    i < k->r->n_findings; i++) {
		if (k->r->findings[i].kind == VERIFY_EDITED)
			k->r->findings[i].kind = VERIFY_INSERTED;
	}
	k->waiting = 0;
}

/* Lines wait and their successor is here: a crash, or strangers? */
static void
settle(struct check *k, const struct line *l, const cJSON *record)
{
	struct finding *f;

	if (k->waiting == 0)
		return;
	if (!check_vouched(k, l, json_get(record, "torn"))) {
		settle_inserted(k);
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

static void
accept(struct check *k, const struct line *l, const struct fit *fit)
{
	k->any = true;
	k->want = fit->c.seq + 1;
	k->hash = fit->hash;
	memcpy(k->next, fit->c.next, SIGN_PUB);
	k->end = l->offset + l->len + 1;
	k->waiting = 0;
	if (k->log->pinned && fit->c.seq == k->log->pin.seq) {
		k->pin_seen = true;
		k->at_pin = fit->hash;
	}
}

/* It has its place in the chain; does somebody answer for what it says? */
static void
accept_sworn(struct check *k, const struct line *l, const struct fit *fit)
{
	const struct event_kind *kind = event_kind_find(fit->c.kind,
	    fit->c.kind_len);
	auto_json cJSON *record = NULL;
	struct err e = { 0 };

	if ((kind == NULL || kind->title != NULL || k->waiting > 0) &&
	    json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1)
		kind = NULL;
	settle(k, l, record);
	if (kind == NULL)
		check_find(k, VERIFY_EDITED, l, fit->c.seq,
		    "a kind of record that exists", "signed nonsense");
	else if (record != NULL && sworn_check(&k->sworn, kind, record,
	    fit->c.seq, &e) == -1)
		check_find(k, VERIFY_UNSIGNED_DECISION, l, fit->c.seq,
		    kind->name, e.text);
	accept(k, l, fit);
	if (k->r->n_findings == 0)
		k->r->last_good_seq = fit->c.seq;
}

/* A key that came from nowhere, but an approver vouches for it. */
static bool
resumes(struct check *k, const struct line *l, const struct fit *fit)
{
	auto_json cJSON *record = NULL;
	unsigned char key[SIGN_PUB], approver[SIGN_PUB];

	if (!chain_kind_is(&fit->c, "chain.resume") ||
	    json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1 ||
	    sworn_resume_key(&k->sworn, record, &fit->c, key) == -1 ||
	    !sworn_signed(&k->sworn, record, approver) ||
	    !sign_ok(key, l->text, fit->c.signed_len, fit->c.sig))
		return false;
	settle(k, l, record);
	check_find(k, VERIFY_RESUMED, l, fit->c.seq,
	    "a key named by the record before",
	    "a new key, vouched for by an approver");
	accept(k, l, fit);
	return true;
}

/* The number fits; somebody else signed it, or nobody. */
static void
judge_unsigned(struct check *k, const struct line *l, const struct fit *fit)
{
	struct peek after = { 0 };
	bool more = check_peek(k, l, fit->c.next, &after);
	bool kept = more ? digest_eq(&after.prev, &fit->hash) :
	    k->log->pinned && k->log->pin.seq == fit->c.seq &&
	    digest_eq(&k->log->pin.hash, &fit->hash);

	if (resumes(k, l, fit))
		return;
	if (!kept) {
		wait_line(k, VERIFY_EDITED, l,
		    "a line its key did not sign");
		return;
	}
	/* What follows was made to fit it, with other keys or without any. */
	check_find(k, after.signed_by ? VERIFY_KEY_CHANGED :
	    VERIFY_BAD_SIGNATURE, l, fit->c.seq,
	    "a signature by the key named before",
	    after.signed_by ? "other keys from here on" : "none of it");
	accept_sworn(k, l, fit);
}

/* Was this number counted as missing, or its line as inserted, before? */
static struct finding *
earlier(struct check *k, enum verify_kind kind, uint64_t seq,
    const struct digest *hash)
{
	for (size_t i = 0; i < k->r->n_findings; i++) {
		struct finding *f = &k->r->findings[i];

		if (f->kind == kind && (hash == NULL ? f->seq == seq :
		    digest_eq(&k->hashes[i], hash)))
			return f;
	}
	return NULL;
}

static void
judge_late(struct check *k, const struct line *l, const struct fit *fit)
{
	unsigned char key[SIGN_PUB] = { 0 };
	struct digest hash;
	struct finding *gap;

	if (k->r->n_findings == VERIFY_FINDINGS) {
		k->r->more++;
	} else if (check_seen(k, fit->c.seq, l->offset, &hash, key)) {
		bool same = digest_eq(&hash, &fit->hash);
		bool twin = sign_ok(key, l->text, fit->c.signed_len,
		    fit->c.sig);

		check_find(k, same ? VERIFY_DUPLICATE_SEQ :
		    check_foreign(k, l) ? VERIFY_FOREIGN_LOG :
		    twin ? VERIFY_FORKED : VERIFY_INSERTED, l, fit->c.seq,
		    "once", same ? "the same record again" :
		    twin ? "another record with its key" :
		    "another line with its number");
	} else if ((gap = earlier(k, VERIFY_MISSING, fit->c.seq, NULL)) !=
	    NULL) {
		gap->kind = VERIFY_REORDERED;
	} else {
		check_find(k, VERIFY_REORDERED, l, fit->c.seq, "", "");
	}
}

/* Numbers are left out.  Adopt the line unless it stands in a whole chain. */
static void
judge_gap(struct check *k, const struct line *l, const struct fit *fit)
{
	struct peek after;
	char want[80], got[80];

	if (check_foreign(k, l)) {
		wait_line(k, VERIFY_FOREIGN_LOG, l, "another project's record");
		return;
	}
	if (check_peek(k, l, k->next, &after) && after.seq == k->want &&
	    digest_eq(&after.prev, &k->hash) &&
	    !digest_eq(&fit->c.prev, &after.hash)) {
		wait_line(k, VERIFY_EDITED, l, "a later record's number");
		return;
	}
	if (k->waiting < fit->c.seq - k->want) {
		uint64_t first = k->want + k->waiting;
		struct finding *f = earlier(k, VERIFY_INSERTED, 0,
		    &fit->c.prev);

		snprintf(want, sizeof want, "record %" PRIu64, first);
		snprintf(got, sizeof got, "record %" PRIu64, fit->c.seq);
		if (f != NULL)
			f->kind = VERIFY_REORDERED;
		else
			check_find(k, VERIFY_MISSING, l, first, want, got);
	}
	k->waiting = 0;		/* they took the places of those left out */
	accept_sworn(k, l, fit);
}

static bool
sig_needed(const struct check *k, const struct chain_line *c)
{
	const struct event_kind *kind;

	if (c->seq >= k->skip_below)
		return true;
	kind = event_kind_find(c->kind, c->kind_len);
	return kind == NULL || kind->title != NULL;
}

static void
judge(struct check *k, const struct line *l, struct fit *fit)
{
	fit->direct = digest_eq(&fit->c.prev, &k->hash);
	fit->checked = !fit->direct || sig_needed(k, &fit->c);
	fit->sig = !fit->checked ||
	    sign_ok(k->next, l->text, fit->c.signed_len, fit->c.sig);
	k->r->signatures += fit->checked;
	if (fit->c.seq == k->want && fit->direct && fit->sig)
		accept_sworn(k, l, fit);
	else if (fit->c.seq == k->want && fit->direct)
		judge_unsigned(k, l, fit);
	else if (fit->c.seq == k->want && fit->sig) {
		check_find(k, VERIFY_FORKED, l, fit->c.seq,
		    "the record before it",
		    "another past, signed with its key");
		accept_sworn(k, l, fit);
	} else if (fit->c.seq == k->want || fit->direct)
		wait_line(k, !fit->direct && check_foreign(k, l) ?
		    VERIFY_FOREIGN_LOG : VERIFY_EDITED, l,
		    "a line its key did not sign");
	else if (fit->c.seq < k->want)
		judge_late(k, l, fit);
	else
		judge_gap(k, l, fit);
}

static bool
names_own_key(const cJSON *record, const struct line *l,
    const struct fit *fit)
{
	unsigned char key[SIGN_PUB];
	const char *hex = json_str(record, "key");

	return hex != NULL && hex_get(hex, key, sizeof key) == 0 &&
	    sign_ok(key, l->text, fit->c.signed_len, fit->c.sig);
}

/* The first record names its own key; the pin or an approver vouch for it. */
static void
judge_first(struct check *k, const struct line *l, struct fit *fit)
{
	auto_json cJSON *record = NULL;
	unsigned char key[SIGN_PUB], approver[SIGN_PUB], by[SIGN_PUB];
	struct digest pinned;
	bool pin = k->opt->genesis != NULL && k->opt->genesis[0] != '\0';
	bool known, ours = pin && digest_parse(k->opt->genesis, &pinned) == 0 &&
	    digest_eq(&pinned, &fit->hash);

	if (fit->c.seq > 0) {
		if (digest_eq(&fit->c.prev, &k->hash))
			wait_line(k, VERIFY_EDITED, l,
			    "a beginning renumbered");
		else
			judge_gap(k, l, fit);
		return;
	}
	k->r->signatures++;
	if (json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1 ||
	    !chain_kind_is(&fit->c, "genesis") ||
	    !names_own_key(record, l, fit)) {
		wait_line(k, VERIFY_EDITED, l, "no genesis signed by its key");
		return;
	}
	if (check_foreign(k, l)) {
		check_find(k, VERIFY_FOREIGN_LOG, l, 0, k->opt->project,
		    "another project's log");
		accept(k, l, fit);
		return;
	}
	if (sworn_genesis_key(&k->sworn, record, key, approver) == -1) {
		wait_line(k, VERIFY_EDITED, l, "no genesis statement");
		return;
	}
	if (ours)
		sworn_trust(&k->sworn, approver);
	known = sworn_signed(&k->sworn, record, by) &&
	    memcmp(by, approver, SIGN_PUB) == 0;
	if (!known || (pin && !ours))
		check_find(k, VERIFY_KEY_CHANGED, l, 0,
		    "the beginning that was pinned",
		    known ? "another one" : "one by no known approver");
	settle_inserted(k);
	accept(k, l, fit);
}

void
check_line(struct check *k, const struct line *l)
{
	struct fit fit = { 0 };

	k->r->records += l->ended;
	if (!l->ended) {
		k->torn_tail = true;
		return;
	}
	if (!chain_parse(l->text, l->len, &fit.c)) {
		wait_line(k, VERIFY_EDITED, l, "a line that is no record");
		return;
	}
	chain_hash(l->text, l->len, &fit.hash);
	if (k->any)
		judge(k, l, &fit);
	else
		judge_first(k, l, &fit);
}

/* Lines at the end that nothing follows: the pin knows whether records were
 * there. */
void
check_settle(struct check *k)
{
	if (k->waiting > 0 && k->log->pinned && k->log->pin.seq < k->want)
		settle_inserted(k);
}
