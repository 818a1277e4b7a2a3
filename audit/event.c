#include "audit/event.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "audit/note.h"
#include "common/mem.h"

#include "common/banned.h"

#define NAME_BYTES	256	/* of session and agent: a client chose them */
#define APPROVAL	"sandbox-approval-v1"
#define SIGNED		(EVENT_SYNC | EVENT_DECISION)
#define TRUSTED		(SIGNED | EVENT_TRUST)

static const struct event_kind kinds[] = {
	{ "genesis",		TRUSTED, "sandbox-genesis-v1" },
	{ "chain.resume",	TRUSTED, "sandbox-resume-v1" },
	{ "key",		TRUSTED, "sandbox-key-v1" },
	{ "checkpoint",		TRUSTED, NOTE_ORIGIN },
	{ "policy.accept",	SIGNED, "sandbox-policy-v1" },
	{ "rule",		SIGNED, "sandbox-rule-v1" },
	{ "approval",		SIGNED | EVENT_APPROVAL, APPROVAL },
	{ "deny",		SIGNED | EVENT_APPROVAL, APPROVAL },
	{ "tool.result",	EVENT_SYNC | EVENT_RESULT,
	    "sandbox-result-v1" },
	{ "session.end",	EVENT_SYNC, NULL },
	{ "session.start",	0, NULL },
	{ "allow",		0, NULL },
	{ "observe",		0, NULL },
	{ "contain",		0, NULL },
	{ "tool.request",	0, NULL },
	{ "tool.done",		0, NULL },
	{ "guardrail.decision",	0, NULL },
	{ "request.closed",	0, NULL },
	{ "answer.collected",	0, NULL },
	{ "sandbox.started",	0, NULL },
	{ "sandbox.completed",	0, NULL },
	{ "credential.issued",	0, NULL },
	{ "credential.revoked",	0, NULL },
	{ "policy.tampered",	0, NULL },
	{ "config.changed",	0, NULL },
	{ "hook.failed",	0, NULL },
	{ "claim",		0, NULL },
	{ "hook.missed",	0, NULL },
	{ "jail.violation",	0, NULL },
	{ "file.snapshot",	0, NULL },
	{ "file.changed",	0, NULL },
	{ "file.deleted",	0, NULL },
	{ "file.restored",	0, NULL },
	{ "file.forgotten",	0, NULL },
};

/* A second member of one of these names would be read as ours by somebody. */
static const char *const reserved[] = {
	"v", "seq", "prev", "next", "kind", "t_wall_ms", "t_boot_ms",
	"boot_id", "pid", "project", "session", "agent", "id", "torn", "after",
	"sig",
};

const struct event_kind *
event_kind_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strlen(kinds[i].name) == len &&
		    memcmp(kinds[i].name, name, len) == 0)
			return &kinds[i];
	}
	return NULL;
}

const char *
event_kind_name(size_t i)
{
	return i < ARRAY_LEN(kinds) ? kinds[i].name : NULL;
}

static void
put_text(struct str *out, const char *name, const char *text)
{
	size_t len = text == NULL ? 0 : strnlen(text, NAME_BYTES);

	str_add(out, ",\"");
	str_add(out, name);
	str_add(out, "\":");
	json_quote(text == NULL ? "" : text, len, out);
}

static void
put_torn(struct str *out, const struct torn *t)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&t->hash, hex);
	str_addf(out, ",\"torn\":{\"bytes\":%" PRIu64 ",\"hash\":\"%s\","
	    "\"lost\":%" PRIu64 "}", t->bytes, hex, t->lost);
}

static void
put_fields(struct str *out, const cJSON *fields)
{
	size_t at = out->len;

	for (const cJSON *f = fields->child; f != NULL; f = f->next) {
		for (size_t i = 0; i < ARRAY_LEN(reserved); i++) {
			if (strcmp(f->string, reserved[i]) == 0)
				BUG("a field with a reserved name");
		}
	}
	if (fields->child == NULL)
		return;
	json_print(fields, out);
	/* {...} becomes ,... ; a cut text is refused by our caller. */
	if (out->full)
		return;
	out->s[at] = ',';
	out->s[--out->len] = '\0';
}

static int
check_statement(const struct event_kind *k, const cJSON *fields,
    struct err *e)
{
	const char *stmt = json_str(fields, "stmt");
	const char *sig = json_str(fields, "stmt_sig");

	if ((k->flags & (EVENT_DECISION | EVENT_RESULT)) == 0)
		return 0;
	if (stmt == NULL || sig == NULL || !str_starts(stmt, k->title) ||
	    strlen(sig) != SIGN_SIG_HEX)
		return err_set(e, ERR_FORMAT,
		    "a record '%s' without its signed statement", k->name);
	if ((k->flags & EVENT_RESULT) != 0 &&
	    json_int(fields, "approval_seq", -1) < 0)
		return err_set(e, ERR_FORMAT,
		    "a record '%s' without its approval", k->name);
	return 0;
}

int
record_build(const struct record *r, const struct chain_key *key,
    const unsigned char next[static SIGN_PUB], struct str *ret, struct err *e)
{
	const struct event *ev = r->event;
	const struct event_kind *k = event_kind_find(ev->kind,
	    strlen(ev->kind));
	size_t start = ret->len;

	if (k == NULL)
		BUG("an unknown kind of event");
	if (check_statement(k, ev->fields, e) == -1)
		return -1;
	if (start != 0)
		BUG("a record must be signed from its first byte");
	chain_put_prefix(r->seq, &r->prev, next, ret);
	str_addf(ret, "%s\",\"t_wall_ms\":%" PRId64 ",\"t_boot_ms\":%" PRId64
	    ",\"boot_id\":\"%s\",\"pid\":%ld", k->name, r->clock->wall_ms,
	    r->clock->boot_ms, r->clock->boot_id, (long)getpid());
	put_text(ret, "project", r->project);
	put_text(ret, "session", ev->session);
	put_text(ret, "agent", ev->agent);
	if (ev->id != NULL)
		put_text(ret, "id", ev->id);
	if (r->torn != NULL)
		put_torn(ret, r->torn);
	if (r->after != NULL)
		put_text(ret, "after", r->after);
	if (ev->fields != NULL)
		put_fields(ret, ev->fields);
	key_sign(key, ret);
	if (ret->full || ret->len > CHAIN_RECORD_MAX)
		return err_set(e, ERR_FORMAT,
		    "a record '%s' would pass %d bytes", k->name,
		    CHAIN_RECORD_MAX);
	return 0;
}
