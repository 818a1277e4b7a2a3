/*
 * What came of a call, twice: as words for a model, in the very words a hook
 * would use, and as fields for a client.
 */
#include "hooks/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/visible.h"
#include "hooks/reason.h"

#include "common/banned.h"

#define UNITS_MAX	90000	/* text and fields stay below what alwaysLoad
				   clients keep whole (templates/) */
#define GROWTH		10	/* of text that visible() rewrites */
#define RETRY_S		20

static const struct {
	const char	*status;
	bool		 is_error;
} kinds[] = {
	{ "done", false }, { "pending", false }, { "allowed", false },
	{ "ok", false }, { "denied", true }, { "expired", true },
	{ "unknown", true }, { "not_started", true }, { "error", true },
};

static bool
is_error(const char *status)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].status, status) == 0)
			return kinds[i].is_error;
	return true;
}

cJSON *
mcp_say(const char *status, const char *text, cJSON *facts)
{
	cJSON *r = json_object(), *list = json_array(), *one = json_object();
	cJSON *all = json_object();

	json_add_str(one, "type", "text");
	json_add_str(one, "text", text);
	json_push(list, one);
	json_add(r, "content", list);
	json_add_str(all, "status", status);
	/* After the status: a reader that shows only the first line. */
	while (facts != NULL && facts->child != NULL) {
		cJSON *c = cJSON_DetachItemViaPointer(facts, facts->child);
		auto_free char *name = xstrdup(c->string);

		json_add(all, name, c);
	}
	json_free(facts);
	json_add(r, "structuredContent", all);
	json_add_bool(r, "isError", is_error(status));
	return r;
}

static void
add_visible(cJSON *o, const char *name, const char *text)
{
	auto_str struct str s = { 0 };

	str_init(&s, strlen(text) * GROWTH + 1);
	visible(text, strlen(text), VISIBLE_TEXT, &s);
	json_add_str(o, name, s.s);
}

cJSON *
mcp_say_error(const char *what)
{
	auto_str struct str text = { 0 };
	cJSON *facts = json_object();

	str_init(&text, REASON_MAX);
	reason_broken("did not ask anybody, nothing was executed", what,
	    &text);
	add_visible(facts, "message", what);
	return mcp_say("error", text.s, facts);
}

cJSON *
mcp_say_denied(const struct verdict *v)
{
	auto_str struct str text = { 0 };
	cJSON *facts = json_object();

	str_init(&text, REASON_MAX);
	reason_denied(v->rule, v->why, v->next, &text);
	json_add_str(facts, "by", "policy");
	add_visible(facts, "message", v->why);
	json_add_str(facts, "rule", v->rule);
	return mcp_say("denied", text.s, facts);
}

cJSON *
mcp_say_pending(const char *id, const char *root)
{
	auto_free char *dir = visible_line(root);
	auto_free char *text = xasprintf("PENDING, nothing was executed yet: "
	    "request %s waits for a human. Ask the human to run `sandbox watch"
	    " %.400s`. Then call check_request with this request_id; do not "
	    "send the same request again and do not look for another way.",
	    id, dir);
	cJSON *facts = json_object();

	json_add_str(facts, "request_id", id);
	json_add_int(facts, "retry_after_s", RETRY_S);
	return mcp_say("pending", text, facts);
}

static cJSON *
say_done(const struct gate *g, const struct inquiry *i,
    const struct collected *c, cJSON *facts)
{
	const struct result *r = &c->result;
	auto_str struct str text = { 0 };
	bool edited = c->answer.edited[0] != '\0';

	str_init(&text, REASON_MAX * 2);
	inquiry_done(g, i, c, UNITS_MAX, &text);
	json_add_str(facts, "outcome", r->outcome);
	if (str_starts(r->outcome, "exit:"))
		json_add_int(facts, "exit_code",
		    strtol(r->outcome + 5, NULL, 10));
	json_add_int(facts, "duration_ms", r->end_ms - r->start_ms);
	add_visible(facts, "output", c->answer.output);
	json_add_bool(facts, "truncated", c->answer.truncated);
	if (c->answer.out_path[0] != '\0') {
		auto_free char *where = xasprintf(".sandbox/out/%s.txt", i->id);

		json_add_str(facts, "output_file", where);
	}
	if (c->copy)
		json_add_bool(facts, "copy", true);
	if (edited)
		add_visible(facts, "edited_command", c->answer.edited);
	return mcp_say("done", text.s, facts);
}

cJSON *
mcp_say_answer(const struct gate *g, const struct inquiry *i,
    const struct collected *c)
{
	auto_str struct str text = { 0 };
	cJSON *facts = json_object();
	const char *status = "unknown";

	str_init(&text, REASON_MAX);
	json_add_str(facts, "request_id", i->id);
	if (c->answer.text[0] != '\0')
		add_visible(facts, "approver_says", c->answer.text);
	switch (c->answer.outcome) {
	case OUTCOME_DONE:
		return say_done(g, i, c, facts);
	case OUTCOME_DENIED:
		reason_refused(i->id, c->answer.text, &text);
		json_add_str(facts, "by", "human");
		return mcp_say("denied", text.s, facts);
	case OUTCOME_ALLOW_ONCE:
		str_addf(&text, "ALLOWED once by a human approver: request "
		    "%s. Call the tool that asked for it again, unchanged; it "
		    "will pass one time.", i->id);
		status = "allowed";
		break;
	case OUTCOME_NOT_STARTED:
		str_addf(&text, "Request %s was decided but could not be "
		    "started; nothing was executed. The same call again asks "
		    "again.", i->id);
		status = "not_started";
		break;
	case OUTCOME_UNKNOWN:
		str_addf(&text, "Request %s was started and its outcome is "
		    "unknown; look at its effects before asking again.",
		    i->id);
		break;
	}
	return mcp_say(status, text.s, facts);
}

cJSON *
mcp_say_over(const char *id)
{
	cJSON *facts = json_object();

	json_add_str(facts, "request_id", id);
	return mcp_say("expired", "The request has expired or was taken back; "
	    "nothing was executed. Ask again if it is still needed.", facts);
}
