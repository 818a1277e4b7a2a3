/*
 * Gemini CLI.  A deny is its own short object; `ask` hangs it for ever when it
 * runs headless and is never said.  It gives calls no id.
 */
#include "hooks/dialect/parts.h"

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
	  "directory=@cwd is_background=run_in_background" },
	{ "write_file", "Write", "file_path content" },
	{ "replace", "Edit", "file_path old_string new_string instruction= "
	  "allow_multiple=replace_all" },
	{ "read_file", "Read", "file_path" },
	{ NULL, NULL, NULL }
};

static int
gemini_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	(void)root;
	if (dialect_begin(&dialect_gemini, event, o, in, e) == -1 ||
	    dialect_common(o, in, e) == -1)
		return -1;
	return dialect_named_tool(&dialect_gemini, o, in, e);
}

const struct dialect dialect_gemini = {
	.name = "gemini",
	.reason_units = 48000,
	.wait_s = 86000,
	.events = events,
	.tools = tools,
	.read = gemini_read,
};
