/*
 * What a client sends, in every dialect: whatever is read is a whole call, and
 * whatever is answered is one JSON object with the text as its only hostile
 * part.  The first byte picks dialect and event.
 */
#include "common/digest.h"
#include "hooks/dialect.h"
#include "tests/fuzz/fuzz.h"

static const char *const clients[] = { "claude", "codex", "gemini", "cursor",
	"windsurf", "copilot", "cline", "opencode" };
#define CLIENTS	(sizeof(clients) / sizeof(clients[0]))

/* Everything the gate does with a call before policy has it. */
static void
use(const struct dialect *d, const struct dialect_event *ev,
    const struct hook_input *in)
{
	struct digest key;
	struct str line;

	MUST(in->kind == ev->kind && str_eq(in->event, ev->name));
	MUST(in->tool_use_id != NULL && in->reason != NULL);
	MUST(in->source != NULL && in->path != NULL);
	if (ev->kind != HOOK_BEFORE)
		return;
	MUST(str_eq(in->call.client, d->name));
	MUST(in->call.tool != NULL && in->call.tool[0] != '\0');
	MUST(cJSON_IsObject(in->call.input));
	MUST(in->call.cwd != NULL && in->call.cwd[0] == '/');
	call_key(&in->call, &key);
	str_init(&line, 4096);
	call_summary(&in->call, &line);
	MUST(line.len <= 200);
	str_clear(&line);
}

/* The same but for the text, which stands where the other has "x". */
static bool
same(const cJSON *a, const cJSON *b, const char *text)
{
	const cJSON *c = a->child, *d = b->child;

	if (cJSON_IsString(a) && cJSON_IsString(b))
		return strcmp(a->valuestring, strcmp(b->valuestring, "x") == 0 ?
		    text : b->valuestring) == 0;
	for (; c != NULL && d != NULL; c = c->next, d = d->next)
		if ((c->string == NULL) != (d->string == NULL) ||
		    (c->string != NULL && strcmp(c->string, d->string) != 0) ||
		    !same(c, d, text))
			return false;
	return c == NULL && d == NULL && a->type == b->type;
}

/* One object or nothing, and only the text makes a difference. */
static void
answer(const struct dialect *d, const struct dialect_event *ev,
    const char *text)
{
	struct reply hostile, plain;
	cJSON *a = NULL, *b = NULL;

	reply_init(&hostile);
	reply_init(&plain);
	dialect_refuse(d, ev->name, text, &hostile);
	dialect_refuse(d, ev->name, "x", &plain);
	MUST(hostile.status == plain.status);
	MUST((hostile.out.len == 0) == (plain.out.len == 0));
	if (ev->kind == HOOK_BEFORE)
		MUST(hostile.out.len > 0 || hostile.status == 2);
	if (hostile.out.len > 0) {
		MUST(json_parse(hostile.out.s, hostile.out.len, JSON_DEPTH, &a,
		    NULL) == 0);
		MUST(json_parse(plain.out.s, plain.out.len, JSON_DEPTH, &b,
		    NULL) == 0);
		if (utf8_ok(text, strlen(text)))
			MUST(same(a, b, text));
	}
	json_free(a);
	json_free(b);
	reply_clear(&hostile);
	reply_clear(&plain);
}

static void
run(const struct dialect *d, const struct dialect_event *ev,
    const char *text, size_t len)
{
	struct hook_input in = { 0 };
	cJSON *o = NULL;
	struct err e;

	if (json_parse(text, len, JSON_DEPTH, &o, &e) == 0 &&
	    d->read(ev->name, "/p", o, &in, &e) == 0)
		use(d, ev, &in);
	hook_input_clear(&in);	/* also of what was not read to its end */
	json_free(o);
	answer(d, ev, text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	const struct dialect *d;
	size_t n = 0, pick;
	char *text;

	if (size == 0)
		return 0;
	if (!begun)
		MUST(digest_setup(NULL) == 0);
	begun = true;
	d = dialect_find(clients[data[0] % CLIENTS]);
	MUST(d != NULL);
	while (d->events[n].name != NULL)
		n++;
	pick = data[0] / CLIENTS % n;
	text = fuzz_text(data + 1, size - 1);
	run(d, &d->events[pick], text, strlen(text));
	free(text);
	return 0;
}
