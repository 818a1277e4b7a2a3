/*
 * GitHub Copilot CLI (by its documentation).  Flat keys, and the tool's input
 * is a text that holds JSON.  The input names neither the event nor, in older
 * versions, the session: then all calls from one directory are one session.
 * Of decisions only a deny is surely honoured.
 */
#include "hooks/dialect/parts.h"

#include "common/mem.h"

#include "common/banned.h"

static const struct dialect_event events[] = {
	{ "preToolUse", HOOK_BEFORE, "{\"permissionDecision\":\"deny\","
	  "\"permissionDecisionReason\":@}", NULL, NULL, NULL },
	{ "postToolUse", HOOK_AFTER, NULL, NULL, NULL, NULL },
	{ "sessionStart", HOOK_SESSION_START, "{\"additionalContext\":@}",
	  NULL, "{\"additionalContext\":@}", NULL },
	{ "sessionEnd", HOOK_SESSION_END, NULL, NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "bash", "Bash", "command description" },
	{ "create", "Write", "path=file_path file_text=content" },
	{ "edit", "Edit", "path=file_path old_str=old_string "
	  "new_str=new_string" },
	{ "view", "Read", "path=file_path" },
	{ NULL, NULL, NULL }
};

static const struct json_field fields[] = {
	{ "cwd", JSON_STRING, true, 4095 },
	{ "sessionId", JSON_STRING, false, 256 },
	{ "source", JSON_STRING, false, 64 },
};

static const struct json_field tool_fields[] = {
	{ "toolName", JSON_STRING, true, 256 },
	{ "toolArgs", JSON_ANY, true, 0 },
};

static int
read_tool(const cJSON *o, struct hook_input *in, struct err *e)
{
	const cJSON *input = json_get(o, "toolArgs");

	if (json_check(o, tool_fields, ARRAY_LEN(tool_fields), false, e) == -1)
		return -1;
	if (cJSON_IsString(input)) {
		input = dialect_unpack(in, input->valuestring, e);
		if (input == NULL)
			return err_add(e, "'toolArgs'");
	}
	if (!cJSON_IsObject(input))
		return err_set(e, ERR_FORMAT, "'toolArgs' is no object");
	return dialect_tool(&dialect_copilot, json_str(o, "toolName"), input,
	    in, e);
}

static int
copilot_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	(void)root;
	if (dialect_begin(&dialect_copilot, event, o, in, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), false, e) == -1)
		return -1;
	in->call.session = json_str(o, "sessionId");
	in->call.cwd = json_str(o, "cwd");
	if (in->call.session == NULL)
		in->call.session = "copilot";
	in->source = dialect_text(o, "source");
	if (in->call.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "'cwd' is not absolute");
	return in->kind == HOOK_BEFORE || in->kind == HOOK_AFTER ?
	    read_tool(o, in, e) : 0;
}

const struct dialect dialect_copilot = {
	.name = "copilot",
	.reason_units = 16000,
	.wait_s = 86000,
	.events = events,
	.tools = tools,
	.read = copilot_read,
};
