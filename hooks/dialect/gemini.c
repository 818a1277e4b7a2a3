/*
 * Gemini CLI.  A deny is its own short object; `ask` hangs it for ever when it
 * runs headless and is never said.  It gives calls no id.
 */
#include "hooks/dialect/parts.h"

#include "common/mem.h"

#include "common/banned.h"

#define DENY	"{\"decision\":\"deny\",\"reason\":@}"
#define MESSAGE	"{\"systemMessage\":@}"
#define CONTEXT	"{\"hookSpecificOutput\":{\"hookEventName\":"		\
	"\"SessionStart\",\"additionalContext\":@}}"

static const struct dialect_event events[] = {
	{ "BeforeTool", HOOK_BEFORE, DENY, "{\"decision\":\"allow\"}", NULL,
	  NULL },
	{ "AfterTool", HOOK_AFTER, MESSAGE, NULL, NULL, NULL },
	{ "SessionStart", HOOK_SESSION_START, CONTEXT, NULL, CONTEXT, NULL },
	{ "SessionEnd", HOOK_SESSION_END, NULL, NULL, NULL, NULL },
	{ "BeforeAgent", HOOK_PROMPT, DENY, NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "run_shell_command", "Bash", "command description dir_path=@cwd "
	  "directory=@cwd is_background=run_in_background delay_ms= "
	  "wait_for_previous=" },
	{ "write_file", "Write", "file_path content wait_for_previous=" },
	{ "replace", "Edit", "file_path old_string new_string instruction= "
	  "allow_multiple=replace_all wait_for_previous=" },
	{ "read_file", "Read", "file_path wait_for_previous=" },
	{ NULL, NULL, NULL }
};

/* mcp_SERVER_TOOL splits in more than one way; beside it stands the truth. */
static int
read_mcp(const cJSON *o, const cJSON *mcp, struct hook_input *in,
    struct err *e)
{
	static const struct json_field fields[] = {
		{ "server_name", JSON_STRING, true, 200 },
		{ "tool_name", JSON_STRING, true, 200 },
	};
	const cJSON *input = json_get(o, "tool_input");

	if (json_check(mcp, fields, ARRAY_LEN(fields), false, e) == -1)
		return err_add(e, "'mcp_context'");
	if (!cJSON_IsObject(input))
		return err_set(e, ERR_FORMAT, "'tool_input' is no object");
	return dialect_tool(&dialect_gemini, dialect_mcp_name(in,
	    json_str(mcp, "server_name"), json_str(mcp, "tool_name")), input,
	    in, e);
}

static int
gemini_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	const cJSON *mcp = json_get(o, "mcp_context");

	(void)root;
	if (dialect_begin(&dialect_gemini, event, o, in, e) == -1 ||
	    dialect_common(o, in, e) == -1)
		return -1;
	if (mcp != NULL)
		return read_mcp(o, mcp, in, e);
	return dialect_named_tool(&dialect_gemini, o, in, e);
}

const struct dialect dialect_gemini = {
	.name = "gemini",
	.reason_units = 48000,
	.wait_s = 86000,
	.events = events,
	.tools = tools,
	.contain_event = "BeforeTool",
	.contain = "{\"decision\":\"allow\",\"hookSpecificOutput\":{"
	    "\"hookEventName\":\"BeforeTool\",\"tool_input\":@}}",
	.contain_part = true,
	.read = gemini_read,
};
