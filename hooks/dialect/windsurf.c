/*
 * Windsurf's Cascade (by its documentation).  One event per kind of action,
 * the action's facts in tool_info.  A pre_ hook refuses by exit 2 and words on
 * stderr; nothing else does.  How long it waits is not told.
 */
#include "hooks/dialect/parts.h"

#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

static const struct dialect_event events[] = {
	{ "pre_run_command", HOOK_BEFORE, REFUSE_EXIT, NULL, NULL, NULL },
	{ "pre_write_code", HOOK_BEFORE, REFUSE_EXIT, NULL, NULL, NULL },
	{ "pre_read_code", HOOK_BEFORE, REFUSE_EXIT, NULL, NULL, NULL },
	{ "pre_mcp_tool_use", HOOK_BEFORE, REFUSE_EXIT, NULL, NULL, NULL },
	{ "pre_user_prompt", HOOK_PROMPT, REFUSE_EXIT, NULL, NULL, NULL },
	{ "post_run_command", HOOK_AFTER, NULL, NULL, NULL, NULL },
	{ "post_write_code", HOOK_AFTER, NULL, NULL, NULL, NULL },
	{ "post_mcp_tool_use", HOOK_AFTER, NULL, NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "run_command", "Bash", "command_line=command cwd=@cwd" },
	{ "read_code", "Read", "file_path" },
	{ NULL, NULL, NULL }
};

static const struct json_field fields[] = {
	{ "agent_action_name", JSON_STRING, true, 64 },
	{ "trajectory_id", JSON_STRING, true, 256 },
	{ "execution_id", JSON_STRING, false, 256 },
	{ "tool_info", JSON_OBJECT, true, 0 },
};

static int
read_mcp(const cJSON *info, struct hook_input *in, struct err *e)
{
	static const struct json_field mcp_fields[] = {
		{ "mcp_server_name", JSON_STRING, true, 200 },
		{ "mcp_tool_name", JSON_STRING, true, 200 },
		{ "mcp_tool_arguments", JSON_OBJECT, true, 0 },
	};

	if (json_check(info, mcp_fields, ARRAY_LEN(mcp_fields), false, e) ==
	    -1)
		return -1;
	return dialect_tool(&dialect_windsurf, dialect_mcp_name(in,
	    json_str(info, "mcp_server_name"), json_str(info,
	    "mcp_tool_name")), json_get(info, "mcp_tool_arguments"), in, e);
}

static int
windsurf_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	const cJSON *info = json_get(o, "tool_info");

	if (dialect_begin(&dialect_windsurf, event, o, in, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), false, e) == -1)
		return -1;
	if (!str_eq(json_str(o, "agent_action_name"), event))
		return err_set(e, ERR_FORMAT, "'agent_action_name' is not %s, "
		    "which is registered", event);
	if (root == NULL || root[0] != '/')
		return err_set(e, ERR_USAGE, "this client's hooks need --root");
	in->call.session = json_str(o, "trajectory_id");
	in->call.cwd = root;
	if (in->kind != HOOK_BEFORE && in->kind != HOOK_AFTER)
		return 0;
	if (str_ends(event, "_mcp_tool_use"))
		return read_mcp(info, in, e);
	/* pre_run_command is about the tool run_command. */
	return dialect_tool(&dialect_windsurf, strchr(event, '_') + 1, info,
	    in, e);
}

const struct dialect dialect_windsurf = {
	.name = "windsurf",
	.reason_units = 16000,
	.wait_s = 50,
	.events = events,
	.tools = tools,
	.read = windsurf_read,
};
