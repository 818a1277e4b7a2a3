/*
 * Cursor (by its documentation).  preToolUse covers every tool and is the only
 * event we take before a call: a second one for the same call would ask the
 * human twice.  With failClosed an empty answer may count as a failure, so
 * nothing is said as {}.  Whether timeouts are seconds or milliseconds is told
 * in two ways, so our own patience is below both readings.
 */
#include "hooks/dialect/parts.h"

#include "common/mem.h"

#include "common/banned.h"

static const struct dialect_event events[] = {
	{ "preToolUse", HOOK_BEFORE, "{\"permission\":\"deny\","
	  "\"user_message\":\"sandbox did not let this call run\","
	  "\"agent_message\":@}", "{\"permission\":\"allow\"}", NULL, "{}" },
	{ "postToolUse", HOOK_AFTER, NULL, NULL, NULL, "{}" },
	{ "sessionStart", HOOK_SESSION_START, "{\"additional_context\":@}",
	  NULL, "{\"additional_context\":@}", "{}" },
	{ "sessionEnd", HOOK_SESSION_END, NULL, NULL, NULL, "{}" },
	{ "beforeSubmitPrompt", HOOK_PROMPT,
	  "{\"continue\":false,\"user_message\":@}", NULL, NULL,
	  "{\"continue\":true}" },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "Shell", "Bash", "command description working_directory=@cwd "
	  "timeout" },
	{ "Read", "Read", "file_path" },
	{ "Write", "Write", "file_path content" },
	{ NULL, NULL, NULL }
};

static const struct json_field fields[] = {
	{ "conversation_id", JSON_STRING, true, 256 },
	{ "hook_event_name", JSON_STRING, true, 64 },
	{ "cwd", JSON_STRING, false, 4095 },
	{ "tool_use_id", JSON_STRING, false, 256 },
	{ "workspace_roots", JSON_ARRAY, false, 64 },
};

/* The call's own directory, the first workspace, the project. */
static const char *
directory(const cJSON *o, const char *root)
{
	const cJSON *first =
	    cJSON_GetArrayItem(json_get(o, "workspace_roots"), 0);
	const char *cwd = dialect_text(o, "cwd");

	if (cwd[0] != '\0')
		return cwd;
	return cJSON_IsString(first) ? first->valuestring : root;
}

static const struct json_field tool_fields[] = {
	{ "tool_name", JSON_STRING, true, 256 },
	{ "tool_input", JSON_ANY, true, 0 },
};

/* An MCP tool is `MCP:name`, and its input a text or an object. */
static int
read_tool(const cJSON *o, struct hook_input *in, struct err *e)
{
	const cJSON *input = json_get(o, "tool_input");
	const char *tool;

	if (json_check(o, tool_fields, ARRAY_LEN(tool_fields), false, e) == -1)
		return -1;
	tool = json_str(o, "tool_name");
	if (cJSON_IsString(input)) {
		input = dialect_unpack(in, input->valuestring, e);
		if (input == NULL)
			return err_add(e, "'tool_input'");
	}
	if (!cJSON_IsObject(input))
		return err_set(e, ERR_FORMAT, "'tool_input' is no object");
	if (str_starts(tool, "MCP:"))
		tool = dialect_mcp_name(in, "cursor", tool + 4);
	return dialect_tool(&dialect_cursor, tool, input, in, e);
}

static int
cursor_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	if (dialect_begin(&dialect_cursor, event, o, in, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), false, e) == -1)
		return -1;
	if (!str_eq(json_str(o, "hook_event_name"), event))
		return err_set(e, ERR_FORMAT, "'hook_event_name' is not %s, "
		    "which is registered", event);
	in->call.session = json_str(o, "conversation_id");
	in->call.cwd = directory(o, root);
	in->tool_use_id = dialect_text(o, "tool_use_id");
	if (in->call.cwd == NULL || in->call.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "no absolute directory is told");
	return in->kind == HOOK_BEFORE || in->kind == HOOK_AFTER ?
	    read_tool(o, in, e) : 0;
}

const struct dialect dialect_cursor = {
	.name = "cursor",
	.reason_units = 48000,
	.wait_s = 75,
	.events = events,
	.tools = tools,
	.read = cursor_read,
};
