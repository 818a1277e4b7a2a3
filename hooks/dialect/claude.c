/*
 * Claude Code.  docs/CONNECTOR.md says which of its versions do what with
 * these answers; the shapes here are the smallest it honours.
 */
#include <string.h>

#include "common/mem.h"
#include "hooks/dialect.h"

#include "common/banned.h"

/* How an event's refusal looks. */
enum shape {
	SHAPE_DECISION,		/* hookSpecificOutput, permissionDecision */
	SHAPE_BLOCK,		/* decision: block */
	SHAPE_EXIT,		/* exit 2, reason on stderr */
	SHAPE_CONTEXT,		/* additionalContext: nothing to refuse */
	SHAPE_MESSAGE,		/* systemMessage: the user sees it */
	SHAPE_NOTHING
};

static const struct event {
	const char	*name;
	enum hook_kind	 kind;
	enum shape	 refusal;
	bool		 allows;	/* takes an explicit allow */
} events[] = {
	{ "PreToolUse", HOOK_BEFORE, SHAPE_DECISION, true },
	{ "PreSkillShellCommand", HOOK_BEFORE, SHAPE_DECISION, false },
	{ "PostToolUse", HOOK_AFTER, SHAPE_MESSAGE, false },
	{ "PostToolUseFailure", HOOK_AFTER, SHAPE_MESSAGE, false },
	{ "SessionStart", HOOK_SESSION_START, SHAPE_CONTEXT, false },
	{ "SessionEnd", HOOK_SESSION_END, SHAPE_NOTHING, false },
	{ "UserPromptSubmit", HOOK_PROMPT, SHAPE_BLOCK, false },
	{ "ConfigChange", HOOK_CONFIG, SHAPE_EXIT, false },
};

static const struct event *
event_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (str_eq(events[i].name, name))
			return &events[i];
	return NULL;
}

static enum hook_kind
claude_kind(const char *name)
{
	const struct event *ev = event_find(name);

	return ev == NULL ? HOOK_NONE : ev->kind;
}

static const struct json_field common_fields[] = {
	{ "session_id", JSON_STRING, true, 256 },
	{ "hook_event_name", JSON_STRING, true, 64 },
	{ "cwd", JSON_STRING, true, 4095 },
	{ "agent_id", JSON_STRING, false, 256 },
	{ "tool_use_id", JSON_STRING, false, 256 },
	{ "duration_ms", JSON_ANY, false, 0 },
	{ "source", JSON_STRING, false, 64 },
	{ "file_path", JSON_STRING, false, 4095 },
};

static const struct json_field tool_fields[] = {
	{ "tool_name", JSON_STRING, true, 256 },
	{ "tool_input", JSON_OBJECT, true, 0 },
};

static const char *
text_or_empty(const cJSON *o, const char *name)
{
	const char *s = json_str(o, name);

	return s == NULL ? "" : s;
}

static int64_t
duration(const cJSON *o)
{
	const cJSON *d = json_get(o, "duration_ms");

	return cJSON_IsNumber(d) && d->valuedouble > 0 &&
	    d->valuedouble < 1e12 ? (int64_t)d->valuedouble : 0;
}

static int
read_tool(const cJSON *o, struct hook_input *in, struct err *e)
{
	if (json_check(o, tool_fields, ARRAY_LEN(tool_fields), false, e) == -1)
		return -1;
	in->call.tool = json_str(o, "tool_name");
	in->call.input = json_get(o, "tool_input");
	in->reason = text_or_empty(in->call.input, "description");
	if (in->call.tool[0] == '\0')
		return err_set(e, ERR_FORMAT, "'tool_name' is empty");
	return 0;
}

static int
claude_read(const char *name, const cJSON *o, struct hook_input *ret,
    struct err *e)
{
	const struct event *ev = event_find(name);
	struct hook_input in = { .event = name, .reason = "" };

	if (ev == NULL)
		return err_set(e, ERR_USAGE, "no event of that name");
	if (!cJSON_IsObject(o))
		return err_set(e, ERR_FORMAT, "the input is not an object");
	if (json_check(o, common_fields, ARRAY_LEN(common_fields), false,
	    e) == -1)
		return -1;
	if (!str_eq(json_str(o, "hook_event_name"), name))
		return err_set(e, ERR_FORMAT,
		    "'hook_event_name' is not %s, which is registered", name);
	in.kind = ev->kind;
	in.call.client = dialect_claude.name;
	in.call.session = json_str(o, "session_id");
	in.call.agent_id = json_str(o, "agent_id");
	in.call.cwd = json_str(o, "cwd");
	in.tool_use_id = text_or_empty(o, "tool_use_id");
	in.failed = str_eq(name, "PostToolUseFailure");
	in.duration_ms = duration(o);
	in.source = text_or_empty(o, "source");
	in.path = text_or_empty(o, "file_path");
	if (in.call.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "'cwd' is not absolute");
	if ((ev->kind == HOOK_BEFORE || ev->kind == HOOK_AFTER) &&
	    read_tool(o, &in, e) == -1)
		return -1;
	*ret = in;
	return 0;
}

/* {"hookSpecificOutput":{"hookEventName":E,NAME:VALUE[,NAME:VALUE]}} */
static void
specific(const char *event, const char *const pairs[], size_t n,
    struct reply *r)
{
	str_addf(&r->out, "{\"hookSpecificOutput\":{\"hookEventName\":\"%s\"",
	    event);
	for (size_t i = 0; i < n; i += 2) {
		str_addf(&r->out, ",\"%s\":", pairs[i]);
		json_quote(pairs[i + 1], strlen(pairs[i + 1]), &r->out);
	}
	str_add(&r->out, "}}");
}

static void
one_pair(const char *front, const char *text, struct reply *r)
{
	str_add(&r->out, front);
	json_quote(text, strlen(text), &r->out);
	str_addc(&r->out, '}');
}

static void
claude_allow(const char *name, struct reply *r)
{
	static const char *const pairs[] = {
		"permissionDecision", "allow",
		"permissionDecisionReason", "allowed by sandbox"
	};
	const struct event *ev = event_find(name);

	if (ev != NULL && ev->allows)
		specific(name, pairs, ARRAY_LEN(pairs), r);
}

static void
claude_tell(const char *name, const char *text, struct reply *r)
{
	const char *const pairs[] = { "additionalContext", text };

	specific(name, pairs, ARRAY_LEN(pairs), r);
}

static void
claude_refuse(const char *name, const char *text, struct reply *r)
{
	const char *const deny[] = { "permissionDecision", "deny",
	    "permissionDecisionReason", text };
	const struct event *ev = event_find(name);
	enum shape shape = ev == NULL ? SHAPE_EXIT : ev->refusal;

	if (shape == SHAPE_DECISION)
		specific(name, deny, ARRAY_LEN(deny), r);
	else if (shape == SHAPE_BLOCK)
		one_pair("{\"decision\":\"block\",\"reason\":", text, r);
	else if (shape == SHAPE_MESSAGE)
		one_pair("{\"systemMessage\":", text, r);
	else if (shape == SHAPE_CONTEXT)
		claude_tell(name, text, r);
	else if (shape == SHAPE_EXIT) {
		r->status = 2;
		str_addf(&r->err, "%s\n", text);
	}
}

const struct dialect dialect_claude = {
	.name = "claude",
	.reason_units = 48000,
	.kind = claude_kind,
	.read = claude_read,
	.allow = claude_allow,
	.refuse = claude_refuse,
	.tell = claude_tell,
};
