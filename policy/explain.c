/* policy/explain.c - why, and the way on. */
#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "common/visible.h"
#include "policy/explain.h"
#include "policy/value.h"
#include "common/banned.h"

#define QUOTE_MAX	80

static const char *const kinds[] = {
	[EFFECT_UNKNOWN] = "cannot be judged",
	[EFFECT_READ] = "reads",
	[EFFECT_WRITE] = "writes to",
	[EFFECT_DELETE] = "deletes or overwrites",
	[EFFECT_NET] = "talks to the network:",
	[EFFECT_EXEC] = "starts the program",
	[EFFECT_CODE] = "runs code of the project:",
	[EFFECT_PRIVILEGE] = "asks for more rights with",
	[EFFECT_PERSIST] = "changes what starts by itself later:",
	[EFFECT_SECRET] = "reads a secret:",
	[EFFECT_PROCESS] = "acts on other processes:",
	[EFFECT_DEVICE] = "uses a device:",
	[EFFECT_HISTORY] = "changes the git repository:",
	[EFFECT_CONNECTOR] = "touches the gate, or what runs around it:",
};

static const char way_closed[] = "No retry can help. Leave this alone and "
    "tell the human what should change there: the human changes it outside "
    "of this session.";
static const char way_outside[] = "No retry can help. Write the file inside "
    "the project and tell the human where it belongs; or ask for it with "
    "request_path_access, if the sandbox MCP server is there.";
static const char way_denied[] = "No retry can help. Tell the human what you "
    "need and why; do not look for another way to do the same.";
static const char way_asked[] = "A human decides. Wait for the answer, or "
    "split the command so that only the part that needs approval is asked.";

/* 'text', made visible and cut; "" for nothing. */
static void
quote(const char *text, size_t len, struct str *ret)
{
	auto_str struct str s = { 0 };
	size_t keep = len > QUOTE_MAX ? QUOTE_MAX : len;

	while (keep < len && keep > 0 &&
	    ((unsigned char)text[keep] & 0xc0) == 0x80)
		keep--;
	str_init(&s, 4 * QUOTE_MAX + 64);
	for (size_t i = 0; i < keep; i++)
		str_addc(&s, text[i] == VALUE_ANY || text[i] == VALUE_STAR ?
		    '*' : text[i] == VALUE_ONE ? '?' : text[i]);
	str_add(ret, "'");
	visible(s.s, s.len, VISIBLE_LINE, ret);
	str_add(ret, keep < len ? "…'" : "'");
}

static void
quote_span(const struct facts *f, const struct fact *fact, struct str *ret)
{
	const char *text = call_subject(f->call);
	size_t len = text == NULL ? 0 : strlen(text);
	size_t at = fact->effect.span_at, n = fact->effect.span_len;

	if (text == NULL || call_kind(f->call) != CALL_SHELL) {
		quote(f->call->tool, strlen(f->call->tool), ret);
		return;
	}
	if (n == 0 || at > len || n > len - at)
		at = 0, n = len;
	quote(text + at, n, ret);
}

static const char *
way_on(const struct fact *fact, enum action a)
{
	if (a > ACTION_ESCALATE)
		return "";
	if (a == ACTION_ESCALATE)
		return way_asked;
	if (fact != NULL && fact->hard)
		return way_closed;
	return fact != NULL && fact->trigger == TRIGGER_WRITE_OUTSIDE ?
	    way_outside : way_denied;
}

static void
put(char *ret, size_t size, const char *text)
{
	size_t len = strnlen(text, size);

	if (len == size) {
		len--;
		/* Cut between characters; the analyzer does not know that
		   strnlen read these bytes.  NOLINTNEXTLINE */
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(ret, text, len);
	ret[len] = '\0';
}

void
explain_fact(const struct facts *f, const struct fact *fact, const char *why,
    struct verdict *v)
{
	const struct effect *e = &fact->effect;
	auto_str struct str s = { 0 };

	str_init(&s, 1024);
	quote_span(f, fact, &s);
	str_addf(&s, " %s", kinds[e->kind]);
	if (e->target[0] != '\0') {
		str_add(&s, " ");
		quote(e->target, strlen(e->target), &s);
	}
	if (why != NULL || fact->why != NULL) {
		str_add(&s, e->kind == EFFECT_UNKNOWN ? ": " : ", ");
		str_add(&s, why != NULL ? why : fact->why);
	}
	put(v->why, sizeof(v->why), s.s);
	put(v->next, sizeof(v->next), way_on(fact, v->action));
}

void
explain_text(const char *why, struct verdict *v)
{
	put(v->why, sizeof(v->why), why);
	put(v->next, sizeof(v->next), way_on(NULL, v->action));
}
