/*
 * opencode.  It has no hooks but plugins: ours (templates/opencode.js) puts
 * what it is told into this input, and throws the reason of a deny.  What the
 * input looks like is between it and us.
 */
#include "hooks/dialect/parts.h"

#include "common/banned.h"

#define DENY	"{\"decision\":\"deny\",\"reason\":@}"

static const struct dialect_event events[] = {
	{ "tool.execute.before", HOOK_BEFORE, DENY,
	  "{\"decision\":\"allow\"}", NULL, "{\"decision\":\"none\"}" },
	{ "tool.execute.after", HOOK_AFTER, NULL, NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static const struct dialect_tool tools[] = {
	{ "bash", "Bash", "command description timeout workdir=@cwd" },
	{ "write", "Write", "filePath=file_path content" },
	{ "edit", "Edit", "filePath=file_path oldString=old_string "
	  "newString=new_string replaceAll=replace_all" },
	{ "read", "Read", "filePath=file_path" },
	/* SERVER_TOOL: our own server's, by the name `init` gave it. */
	{ "sandbox_run_privileged", "mcp__sandbox__run_privileged",
	  "command reason cwd" },
	{ "sandbox_request_path_access", "mcp__sandbox__request_path_access",
	  "path mode reason content" },
	{ "sandbox_fetch_url", "mcp__sandbox__fetch_url", "url reason" },
	{ "sandbox_check_request", "mcp__sandbox__check_request",
	  "request_id wait_seconds" },
	{ "sandbox_sandbox_status", "mcp__sandbox__sandbox_status", "" },
	{ NULL, NULL, NULL }
};

static int
opencode_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	(void)root;
	if (dialect_begin(&dialect_opencode, event, o, in, e) == -1 ||
	    dialect_common(o, in, e) == -1)
		return -1;
	return dialect_named_tool(&dialect_opencode, o, in, e);
}

const struct dialect dialect_opencode = {
	.name = "opencode",
	.reason_units = 48000,
	.wait_s = 86000,
	.events = events,
	.tools = tools,
	.read = opencode_read,
};
