/*
 * One record against the last accepted one: is it the next, and if not, what
 * was done?
 */
#include "audit/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

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
	check_waited(k, l, record);
	check_find(k, VERIFY_RESUMED, l, fit->c.seq,
	    "a key named by the record before",
	    "a new key, vouched for by an approver");
	check_accept(k, l, fit);
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
		check_wait(k, VERIFY_EDITED, l,
		    "a line its key did not sign");
		return;
	}
	/* What follows was made to fit it, with other keys or without any. */
	check_find(k, after.signed_by ? VERIFY_KEY_CHANGED :
	    VERIFY_BAD_SIGNATURE, l, fit->c.seq,
	    "a signature by the key named before",
	    after.signed_by ? "other keys from here on" : "none of it");
	check_accept_sworn(k, l, fit);
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

/* The first record of a file names the archive before it: is that one gone? */
static bool
archive_gone(const struct check *k, const struct line *l)
{
	auto_json cJSON *record = NULL;
	const char *after;

	if (!l->first || json_parse(l->text, l->len, JSON_DEPTH, &record,
	    NULL) == -1 || (after = json_str(record, "after")) == NULL)
		return false;
	for (size_t i = 0; i < k->log->set.n; i++) {
		if (str_eq(k->log->set.part[i].name, after))
			return false;
	}
	return true;
}

/* Numbers are left out.  Adopt the line unless it stands in a whole chain. */
static void
judge_gap(struct check *k, const struct line *l, const struct fit *fit)
{
	struct peek after;
	char want[80], got[80];

	if (check_foreign(k, l)) {
		check_wait(k, VERIFY_FOREIGN_LOG, l,
		    "another project's record");
		return;
	}
	if (check_peek(k, l, k->next, &after) && after.seq == k->want &&
	    digest_eq(&after.prev, &k->hash) &&
	    !digest_eq(&fit->c.prev, &after.hash)) {
		check_wait(k, VERIFY_EDITED, l, "a later record's number");
		return;
	}
	if (k->waiting == 0 && archive_gone(k, l)) {
		snprintf(want, sizeof want, "records from %" PRIu64, k->want);
		check_find(k, VERIFY_ARCHIVE_MISSING, l, k->want, want,
		    "the next archive");
		if (!k->any)
			k->sworn.ring = k->opt->believed;
	} else if (k->waiting < fit->c.seq - k->want) {
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
	check_accept_sworn(k, l, fit);
}

static bool
sig_needed(const struct check *k, const struct chain_line *c)
{
	return c->seq >= k->order.signed_from ||
	    event_kind_find(c->kind, c->kind_len) == NULL;
}

void
check_judge(struct check *k, const struct line *l, struct fit *fit)
{
	fit->direct = digest_eq(&fit->c.prev, &k->hash);
	fit->checked = !fit->direct || sig_needed(k, &fit->c);
	fit->sig = !fit->checked ||
	    sign_ok(k->next, l->text, fit->c.signed_len, fit->c.sig);
	k->r->signatures += fit->checked;
	if (fit->c.seq == k->want && fit->direct && fit->sig)
		check_accept_sworn(k, l, fit);
	else if (fit->c.seq == k->want && fit->direct)
		judge_unsigned(k, l, fit);
	else if (fit->c.seq == k->want && fit->sig) {
		check_find(k, VERIFY_FORKED, l, fit->c.seq,
		    "the record before it",
		    "another past, signed with its key");
		check_accept_sworn(k, l, fit);
	} else if (fit->c.seq == k->want || fit->direct)
		check_wait(k, !fit->direct && check_foreign(k, l) ?
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
void
check_judge_first(struct check *k, const struct line *l, struct fit *fit)
{
	auto_json cJSON *record = NULL;
	unsigned char key[SIGN_PUB], approver[SIGN_PUB], by[SIGN_PUB];
	struct digest pinned;
	bool pin = k->opt->genesis != NULL && k->opt->genesis[0] != '\0';
	bool known, ours = pin && digest_parse(k->opt->genesis, &pinned) == 0 &&
	    digest_eq(&pinned, &fit->hash);

	if (fit->c.seq > 0) {
		if (digest_eq(&fit->c.prev, &k->hash))
			check_wait(k, VERIFY_EDITED, l,
			    "a beginning renumbered");
		else
			judge_gap(k, l, fit);
		return;
	}
	k->r->signatures++;
	if (json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1 ||
	    !chain_kind_is(&fit->c, "genesis") ||
	    !names_own_key(record, l, fit)) {
		check_wait(k, VERIFY_EDITED, l, "no genesis signed by its key");
		return;
	}
	if (check_foreign(k, l)) {
		check_find(k, VERIFY_FOREIGN_LOG, l, 0, k->opt->project,
		    "another project's log");
		check_accept(k, l, fit);
		return;
	}
	if (sworn_genesis_key(&k->sworn, record, key, approver) == -1) {
		check_wait(k, VERIFY_EDITED, l, "no genesis statement");
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
	check_inserted(k);
	check_accept(k, l, fit);
}
