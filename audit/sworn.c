#include "audit/sworn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define KEY_TITLE	"sandbox-key-v1"

void
sworn_init(struct sworn *s, const char *project, const struct keyring *ring)
{
	*s = (struct sworn){ .project = project, .ring = ring };
}

void
sworn_clear(struct sworn *s)
{
	free(s->approvals);
	s->approvals = NULL;
}

void
sworn_trust(struct sworn *s, const unsigned char pub[static SIGN_PUB])
{
	if (s->n_keys < SWORN_KEYS)
		memcpy(s->keys[s->n_keys++], pub, SIGN_PUB);
}

static void
distrust(struct sworn *s, const unsigned char pub[static SIGN_PUB])
{
	for (size_t i = 0; i < s->n_keys; i++) {
		if (memcmp(s->keys[i], pub, SIGN_PUB) == 0)
			memcpy(s->keys[i--], s->keys[--s->n_keys], SIGN_PUB);
	}
}

bool
sworn_by_approver(struct sworn *s, const char *text, const char *sig,
    unsigned char ret_pub[static SIGN_PUB])
{
	const struct key_entry *k;

	s->signatures++;
	k = keyring_verify(s->ring, text, strlen(text), sig);
	if (k != NULL) {
		memcpy(ret_pub, k->pub, SIGN_PUB);
		return true;
	}
	for (size_t i = 0; i < s->n_keys; i++) {
		if (!sign_ok(s->keys[i], text, strlen(text), sig))
			continue;
		memcpy(ret_pub, s->keys[i], SIGN_PUB);
		return true;
	}
	return false;
}

bool
sworn_signed(struct sworn *s, const cJSON *record,
    unsigned char ret_pub[static SIGN_PUB])
{
	const char *stmt = json_str(record, "stmt");
	const char *sig = json_str(record, "stmt_sig");

	return stmt != NULL && sig != NULL &&
	    sworn_by_approver(s, stmt, sig, ret_pub);
}

/* "title project ...": the policy seal has spaces, all others have lines. */
static bool
is_about(const char *stmt, const char *title, const char *project)
{
	size_t t = strlen(title), p = strlen(project);

	if (strncmp(stmt, title, t) != 0)
		return false;
	/* A checkpoint's origin ends in the slash before the project. */
	t += title[t - 1] != '/';
	return (stmt[t - 1] == '\n' || stmt[t - 1] == ' ' ||
	    stmt[t - 1] == '/') && strncmp(stmt + t, project, p) == 0 &&
	    (stmt[t + p] == '\n' || stmt[t + p] == ' ');
}

static int
keep_approval(struct sworn *s, const struct approval *a, uint64_t seq)
{
	if (s->n > 0 && s->approvals[s->n - 1].seq >= seq)
		return -1;
	if (s->n == s->cap) {
		s->cap = s->cap == 0 ? 16 : s->cap * 2;
		s->approvals = xrealloc(s->approvals, s->cap,
		    sizeof *s->approvals);
	}
	s->approvals[s->n++] = (struct sworn_approval){ seq, *a };
	return 0;
}

static const struct approval *
find_approval(const struct sworn *s, int64_t seq)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->approvals[mid].seq < (uint64_t)seq)
			low = mid + 1;
		else
			high = mid;
	}
	return seq >= 0 && low < s->n &&
	    s->approvals[low].seq == (uint64_t)seq ?
	    &s->approvals[low].approval : NULL;
}

static int
check_approval(struct sworn *s, const struct event_kind *k,
    const cJSON *record, uint64_t seq, struct err *e)
{
	const char *id = json_str(record, "id");
	struct approval a;

	if (approval_decode(json_str(record, "stmt"), &a, e) == -1)
		return -1;
	if (id == NULL || strcmp(a.id, id) != 0)
		return err_set(e, ERR_PERMITTED, "statement of another id");
	if ((a.decision == DECISION_DENY) != (strcmp(k->name, "deny") == 0))
		return err_set(e, ERR_PERMITTED, "the statement says %s",
		    decision_name(a.decision));
	if (keep_approval(s, &a, seq) == -1)
		return err_set(e, ERR_PERMITTED, "approvals out of order");
	return 0;
}

/* sandbox-key-v1 project add|remove KEY approver: who may decide from here. */
static int
check_key(struct sworn *s, const cJSON *record, struct err *e)
{
	const char *f[5];
	auto_free char *store = NULL;
	unsigned char pub[SIGN_PUB];

	if (stmt_split(json_str(record, "stmt"), KEY_TITLE, 5, f, &store, e)
	    == -1)
		return -1;
	if (hex_get(f[3], pub, sizeof pub) == -1)
		return err_set(e, ERR_FORMAT, "the statement names no key");
	if (strcmp(f[2], "add") == 0)
		sworn_trust(s, pub);
	else
		distrust(s, pub);
	return 0;
}

static int
check_result(struct sworn *s, const cJSON *record, struct err *e)
{
	const char *stmt = json_str(record, "stmt");
	const char *sig = json_str(record, "stmt_sig");
	const char *id = json_str(record, "id");
	int64_t at = json_int(record, "approval_seq", -1);
	const struct approval *a = find_approval(s, at);
	struct approval old;
	struct result r;

	if (stmt == NULL || sig == NULL)
		return err_set(e, ERR_PERMITTED, "no signed statement");
	if (a == NULL && at >= 0 && s->fetch != NULL &&
	    s->fetch(s->fetch_arg, (uint64_t)at, &old) == 0)
		a = &old;
	if (a == NULL)
		return err_set(e, ERR_PERMITTED, "no such approval before it");
	s->signatures++;
	if (result_verify(stmt, sig, a, &r, e) == -1)
		return -1;
	if (id == NULL || strcmp(r.id, id) != 0)
		return err_set(e, ERR_PERMITTED, "statement of another id");
	return 0;
}

int
sworn_check(struct sworn *s, const struct event_kind *k, const cJSON *record,
    uint64_t seq, struct err *e)
{
	unsigned char pub[SIGN_PUB];
	const char *stmt = json_str(record, "stmt");

	if ((k->flags & EVENT_RESULT) != 0)
		return check_result(s, record, e);
	if ((k->flags & EVENT_DECISION) == 0)
		return 0;
	if (stmt == NULL || json_str(record, "stmt_sig") == NULL)
		return err_set(e, ERR_PERMITTED, "no signed statement");
	if (!is_about(stmt, k->title, s->project))
		return err_set(e, ERR_PERMITTED, "statement of another kind");
	if (!sworn_signed(s, record, pub))
		return err_set(e, ERR_PERMITTED, "not signed by an approver");
	if (strcmp(k->name, "key") == 0)
		return check_key(s, record, e);
	if (strcmp(k->title, "sandbox-approval-v1") == 0)
		return check_approval(s, k, record, seq, e);
	return 0;
}

int
sworn_genesis_key(const struct sworn *s, const cJSON *record,
    unsigned char ret_key[static SIGN_PUB],
    unsigned char ret_approver[static SIGN_PUB])
{
	const char *stmt = json_str(record, "stmt");
	const char *f[6];
	auto_free char *store = NULL;

	if (stmt == NULL || stmt_split(stmt, "sandbox-genesis-v1", 6, f,
	    &store, NULL) == -1 || strcmp(f[1], s->project) != 0 ||
	    !str_eq(json_str(record, "key"), f[3]) ||
	    hex_get(f[5], ret_approver, SIGN_PUB) == -1)
		return -1;
	return hex_get(f[3], ret_key, SIGN_PUB);
}

int
sworn_resume_key(const struct sworn *s, const cJSON *record,
    const struct chain_line *c, unsigned char ret_key[static SIGN_PUB])
{
	const char *stmt = json_str(record, "stmt");
	const char *f[6];
	auto_free char *store = NULL;
	char seq[24], prev[DIGEST_HEX + 1];

	snprintf(seq, sizeof seq, "%" PRIu64, c->seq);
	digest_hex(&c->prev, prev);
	if (stmt == NULL || stmt_split(stmt, "sandbox-resume-v1", 6, f,
	    &store, NULL) == -1 || strcmp(f[1], s->project) != 0 ||
	    strcmp(f[2], seq) != 0 || strcmp(f[3], prev) != 0)
		return -1;
	return hex_get(f[4], ret_key, SIGN_PUB);
}
