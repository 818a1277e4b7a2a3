/*
 * What a tool returned is scrubbed before the model reads it, where the client
 * lets a hook replace it.  The replacement has the shape the tool's own answer
 * had: a client ignores any other.
 */
#include <string.h>

#include "audit/scrub.h"
#include "common/clip.h"
#include "common/mem.h"
#include "hooks/gate.h"
#include "hooks/wire.h"

#include "common/banned.h"

/* A reply has an end: then long texts are cut, as clients do themselves. */
#define WHOLE_MAX	(WIRE_REPLY / 2 - 4096)
#define TEXT_UNITS	16000

static void
clip_text(const cJSON *v, struct str *ret)
{
	str_init(ret, WIRE_REPLY);
	clip(v->valuestring, strlen(v->valuestring), TEXT_UNITS, NULL, ret);
}

static void
print(const cJSON *v, struct str *ret)
{
	str_init(ret, (size_t)8 * WIRE_INPUT);
	json_print(v, ret);
}

bool
gate_clean(const struct gate *g, const struct hook_input *in,
    struct reply *r)
{
	auto_json cJSON *clean = NULL, *less = NULL;
	auto_str struct str before = { 0 }, after = { 0 };

	if (in->response == NULL ||
	    !str_eq(g->dialect->rewrite_event, in->event) ||
	    json_bool(in->response, "isImage", false))
		return false;
	clean = scrub_json(in->response);
	print(in->response, &before);
	print(clean, &after);
	if (str_eq(before.s, after.s))
		return false;
	if (after.len > WHOLE_MAX) {
		less = json_map(clean, clip_text);
		str_clear(&after);
		print(less, &after);
	}
	if (after.len > WHOLE_MAX)
		return false;
	dialect_rewrite(g->dialect, less != NULL ? less : clean, r);
	return true;
}

static bool
holds_mark(const cJSON *v)
{
	if (cJSON_IsString(v))
		return !str_eq(v->string, "old_string") &&
		    strstr(v->valuestring, "[scrubbed:") != NULL;
	for (const cJSON *c = v->child; c != NULL; c = c->next) {
		if (holds_mark(c))
			return true;
	}
	return false;
}

void
gate_spare_marked(const struct call *call, struct verdict *v)
{
	enum call_kind kind = call_kind(call);

	if ((kind != CALL_WRITE && kind != CALL_EDIT &&
	    kind != CALL_NOTEBOOK) || v->action == ACTION_DENY ||
	    v->action == ACTION_ESCALATE || !holds_mark(call->input))
		return;
	*v = (struct verdict){ .action = ACTION_ESCALATE, .tier = TIER_HIGH,
		.rule = "scrubbed_mark",
		.why = "the text holds a '[scrubbed:...]' mark: written back, "
		    "it would destroy the secret it stands for",
		.next = "edit only the lines around the mark" };
}
