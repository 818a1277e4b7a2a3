#include "audit/statement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define APPROVAL_TITLE	"sandbox-approval-v1"
#define APPROVAL_FIELDS	14
#define RESULT_TITLE	"sandbox-result-v1"
#define RESULT_FIELDS	8

static const char *const decision_names[] = {
	[DECISION_DENY] = "deny",
	[DECISION_RUN] = "run",
	[DECISION_ALLOW_ONCE] = "allow_once",
};

const char *
decision_name(enum decision d)
{
	return decision_names[d];
}

static int
decision_parse(const char *s, enum decision *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(decision_names); i++) {
		if (strcmp(s, decision_names[i]) == 0) {
			*ret = (enum decision)i;
			return 0;
		}
	}
	return -1;
}

static void
add_u64(struct str *out, uint64_t v)
{
	char buf[24];

	snprintf(buf, sizeof buf, "%" PRIu64, v);
	stmt_add(out, buf);
}

static void
add_hex(struct str *out, const unsigned char b[static 32])
{
	char buf[65];

	hex_put(b, 32, buf);
	stmt_add(out, buf);
}

static void
add_optional(struct str *out, bool has, const unsigned char b[static 32])
{
	if (has)
		add_hex(out, b);
	else
		stmt_add(out, "-");
}

/* The one spelling of a number: no sign, no leading zero, no surplus. */
static int
parse_u64(const char *s, uint64_t max, uint64_t *ret)
{
	size_t n = strlen(s);
	uint64_t v;

	if (n == 0 || n > 20 || strspn(s, "0123456789") != n ||
	    (n > 1 && s[0] == '0'))
		return -1;
	errno = 0;
	v = strtoull(s, NULL, 10);
	if (errno != 0 || v > max)
		return -1;
	*ret = v;
	return 0;
}

static int
parse_ms(const char *s, int64_t *ret)
{
	uint64_t v;

	if (parse_u64(s, INT64_MAX, &v) == -1)
		return -1;
	*ret = (int64_t)v;
	return 0;
}

static int
parse_optional(const char *s, bool *ret_has, unsigned char ret[static 32])
{
	*ret_has = strcmp(s, "-") != 0;
	return *ret_has ? hex_get(s, ret, 32) : 0;
}

static int
parse_word(const char *s, char *ret, size_t size)
{
	size_t n = strlen(s);

	if (n >= size)
		return -1;
	memcpy(ret, s, n + 1);
	return 0;
}

static int
parse_cwd(char *s, uint64_t *ret_dev, uint64_t *ret_ino)
{
	char *colon = strchr(s, ':');

	if (colon == NULL)
		return -1;
	*colon = '\0';
	return parse_u64(s, UINT64_MAX, ret_dev) == -1 ||
	    parse_u64(colon + 1, UINT64_MAX, ret_ino) == -1 ? -1 : 0;
}

void
approval_encode(const struct approval *a, struct str *ret)
{
	char cwd[48];

	snprintf(cwd, sizeof cwd, "%" PRIu64 ":%" PRIu64, a->cwd_dev,
	    a->cwd_ino);
	stmt_add(ret, APPROVAL_TITLE);
	stmt_add(ret, a->project);
	stmt_add(ret, a->id);
	add_hex(ret, a->digest.b);
	stmt_add(ret, decision_name(a->decision));
	stmt_add(ret, a->tier);
	stmt_add(ret, cwd);
	add_hex(ret, a->environment.b);
	add_hex(ret, a->scripts.b);
	add_optional(ret, a->has_edited, a->edited.b);
	add_optional(ret, a->has_text, a->text.b);
	add_optional(ret, a->has_run_key, a->run_key);
	add_u64(ret, (uint64_t)a->expires_wall_ms);
	add_hex(ret, a->approver);
}

int
approval_decode(const char *stmt, struct approval *ret, struct err *e)
{
	const char *f[APPROVAL_FIELDS];
	auto_free char *store = NULL;
	auto_free char *cwd = NULL;
	struct approval a = { 0 };

	if (stmt_split(stmt, APPROVAL_TITLE, APPROVAL_FIELDS, f, &store, e)
	    == -1)
		return -1;
	cwd = xstrdup(f[6]);
	if (parse_word(f[1], a.project, sizeof a.project) == -1 ||
	    !id_ok(f[2]) || parse_word(f[2], a.id, sizeof a.id) == -1 ||
	    digest_parse(f[3], &a.digest) == -1 ||
	    decision_parse(f[4], &a.decision) == -1 ||
	    parse_word(f[5], a.tier, sizeof a.tier) == -1 ||
	    parse_cwd(cwd, &a.cwd_dev, &a.cwd_ino) == -1 ||
	    digest_parse(f[7], &a.environment) == -1 ||
	    digest_parse(f[8], &a.scripts) == -1 ||
	    parse_optional(f[9], &a.has_edited, a.edited.b) == -1 ||
	    parse_optional(f[10], &a.has_text, a.text.b) == -1 ||
	    parse_optional(f[11], &a.has_run_key, a.run_key) == -1 ||
	    parse_ms(f[12], &a.expires_wall_ms) == -1 ||
	    hex_get(f[13], a.approver, SIGN_PUB) == -1)
		return err_set(e, ERR_FORMAT, "an approval is damaged");
	*ret = a;
	return 0;
}

void
result_encode(const struct result *r, struct str *ret)
{
	stmt_add(ret, RESULT_TITLE);
	stmt_add(ret, r->project);
	stmt_add(ret, r->id);
	add_hex(ret, r->digest.b);
	stmt_add(ret, r->outcome);
	add_u64(ret, (uint64_t)r->start_ms);
	add_u64(ret, (uint64_t)r->end_ms);
	add_hex(ret, r->output.b);
}

/* exit:0..255, signal:1..64, or one of the words. */
static bool
outcome_ok(const char *s)
{
	static const char *const words[] = {
		"timeout", "stopped", "running", "not_started"
	};
	uint64_t v;

	if (str_starts(s, "exit:"))
		return parse_u64(s + 5, 255, &v) == 0;
	if (str_starts(s, "signal:"))
		return parse_u64(s + 7, 64, &v) == 0 && v > 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(s, words[i]) == 0)
			return true;
	return false;
}

int
result_decode(const char *stmt, struct result *ret, struct err *e)
{
	const char *f[RESULT_FIELDS];
	auto_free char *store = NULL;
	struct result r = { 0 };

	if (stmt_split(stmt, RESULT_TITLE, RESULT_FIELDS, f, &store, e) == -1)
		return -1;
	if (parse_word(f[1], r.project, sizeof r.project) == -1 ||
	    !id_ok(f[2]) || parse_word(f[2], r.id, sizeof r.id) == -1 ||
	    digest_parse(f[3], &r.digest) == -1 || !outcome_ok(f[4]) ||
	    parse_word(f[4], r.outcome, sizeof r.outcome) == -1 ||
	    parse_ms(f[5], &r.start_ms) == -1 ||
	    parse_ms(f[6], &r.end_ms) == -1 ||
	    digest_parse(f[7], &r.output) == -1)
		return err_set(e, ERR_FORMAT, "a result is damaged");
	*ret = r;
	return 0;
}

int
approval_verify(const char *stmt, const char *sig,
    const struct approval_for *who, struct approval *ret, struct err *e)
{
	const struct key_entry *k = keyring_verify(who->approvers, stmt,
	    strlen(stmt), sig);
	struct approval a;

	if (k == NULL)
		return err_set(e, ERR_PERMITTED,
		    "the approval is not signed by a known approver");
	if (approval_decode(stmt, &a, e) == -1)
		return -1;
	if (memcmp(k->pub, a.approver, SIGN_PUB) != 0)
		return err_set(e, ERR_PERMITTED,
		    "the approval names another approver than its signer");
	if (strcmp(a.project, who->project) != 0 || strcmp(a.id, who->id) != 0)
		return err_set(e, ERR_PERMITTED,
		    "the approval is for another request");
	*ret = a;
	return 0;
}

int
result_verify(const char *stmt, const char *sig, const struct approval *a,
    struct result *ret, struct err *e)
{
	struct result r;

	if (!a->has_run_key || !sign_ok(a->run_key, stmt, strlen(stmt), sig))
		return err_set(e, ERR_PERMITTED,
		    "the result is not signed by its run's key");
	if (result_decode(stmt, &r, e) == -1)
		return -1;
	if (strcmp(r.project, a->project) != 0 || strcmp(r.id, a->id) != 0 ||
	    !digest_eq(&r.digest, &a->digest))
		return err_set(e, ERR_PERMITTED,
		    "the result is for another request");
	*ret = r;
	return 0;
}
