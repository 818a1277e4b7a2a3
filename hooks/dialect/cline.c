/*
 * Cline (by its documentation).  Every answer is an object that says whether
 * to cancel.  Parameters are texts, also where they hold JSON, and paths are
 * below the first workspace.  How long it waits is not told; 30 s were seen in
 * its source.
 */
#include "hooks/dialect/parts.h"

#include "common/mem.h"

#include "common/banned.h"

#define CANCEL	"{\"cancel\":true,\"errorMessage\":@}"
#define GO_ON	"{\"cancel\":false}"
#define CONTEXT	"{\"cancel\":false,\"contextModification\":@}"

static const struct dialect_event events[] = {
	{ "PreToolUse", HOOK_BEFORE, CANCEL, GO_ON, NULL, GO_ON },
	{ "PostToolUse", HOOK_AFTER, NULL, NULL, NULL, GO_ON },
	{ "TaskStart", HOOK_SESSION_START, CONTEXT, NULL, CONTEXT, GO_ON },
	{ "UserPromptSubmit", HOOK_PROMPT, CANCEL, NULL, NULL, GO_ON },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "execute_command", "Bash", "command requires_approval= "
	  "task_progress=" },
	/* Some versions finish by running something. */
	{ "attempt_completion", "Bash", "command result= task_progress=" },
	{ "write_to_file", "Write", "path=file_path content task_progress=" },
	{ "read_file", "Read", "path=file_path task_progress=" },
	{ NULL, NULL, NULL }
};

static const struct json_field fields[] = {
	{ "hookName", JSON_STRING, true, 64 },
	{ "taskId", JSON_STRING, true, 256 },
	{ "workspaceRoots", JSON_ARRAY, true, 64 },
	{ "preToolUse", JSON_OBJECT, false, 0 },
	{ "postToolUse", JSON_OBJECT, false, 0 },
};

static const struct json_field tool_fields[] = {
	{ "toolName", JSON_STRING, true, 256 },
	{ "parameters", JSON_OBJECT, true, 0 },
};

static int
read_mcp(const cJSON *p, struct hook_input *in, struct err *e)
{
	const char *text = dialect_text(p, "arguments");
	const cJSON *input = dialect_unpack(in, text[0] == '\0' ? "{}" : text,
	    e);

	if (input == NULL)
		return err_add(e, "'arguments'");
	return dialect_tool(&dialect_cline, dialect_mcp_name(in,
	    dialect_text(p, "server_name"), dialect_text(p, "tool_name")),
	    input, in, e);
}

static int
read_tool(const cJSON *t, struct hook_input *in, struct err *e)
{
	const cJSON *p = json_get(t, "parameters");
	const char *tool;

	if (t == NULL)
		return err_set(e, ERR_FORMAT, "the tool is missing");
	if (json_check(t, tool_fields, ARRAY_LEN(tool_fields), false, e) == -1)
		return -1;
	tool = json_str(t, "toolName");
	if (str_eq(tool, "use_mcp_tool"))
		return read_mcp(p, in, e);
	return dialect_tool(&dialect_cline, tool, p, in, e);
}

static int
cline_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	const cJSON *first =
	    cJSON_GetArrayItem(json_get(o, "workspaceRoots"), 0);

	if (dialect_begin(&dialect_cline, event, o, in, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), false, e) == -1)
		return -1;
	if (!str_eq(json_str(o, "hookName"), event))
		return err_set(e, ERR_FORMAT, "'hookName' is not %s, which is "
		    "registered", event);
	in->call.session = json_str(o, "taskId");
	in->call.cwd = cJSON_IsString(first) ? first->valuestring : root;
	if (in->call.cwd == NULL || in->call.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "no absolute directory is told");
	if (in->kind == HOOK_BEFORE)
		return read_tool(json_get(o, "preToolUse"), in, e);
	return in->kind == HOOK_AFTER ?
	    read_tool(json_get(o, "postToolUse"), in, e) : 0;
}

const struct dialect dialect_cline = {
	.name = "cline",
	.reason_units = 16000,
	.wait_s = 25,
	.events = events,
	.tools = tools,
	.read = cline_read,
};
