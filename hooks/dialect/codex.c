/*
 * Codex.  It took over Claude Code's names, and refuses what it does not
 * expect by letting the tool run: an unknown key, an empty reason, an explicit
 * allow.  Its exec_command arrives as Bash, with the directory it runs in as
 * the hook's.  A reason is cut in the middle above 12,000 characters, together
 * with the command behind it.
 */
#include "hooks/dialect/parts.h"

#include "common/banned.h"

#define MESSAGE	"{\"systemMessage\":@}"
#define CONTEXT	"{\"hookSpecificOutput\":{\"hookEventName\":"		\
	"\"SessionStart\",\"additionalContext\":@}}"

static const struct dialect_event events[] = {
	{ "PreToolUse", HOOK_BEFORE, "{\"hookSpecificOutput\":{"
	  "\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
	  "\"permissionDecisionReason\":@}}", NULL, NULL, NULL },
	{ "PostToolUse", HOOK_AFTER, MESSAGE, NULL, NULL, NULL },
	{ "SessionStart", HOOK_SESSION_START, CONTEXT, NULL, CONTEXT, NULL },
	{ "SessionEnd", HOOK_SESSION_END, NULL, NULL, NULL, NULL },
	{ "UserPromptSubmit", HOOK_PROMPT,
	  "{\"decision\":\"block\",\"reason\":@}", NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static int
codex_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	(void)root;
	if (dialect_begin(&dialect_codex, event, o, in, e) == -1 ||
	    dialect_common(o, in, e) == -1)
		return -1;
	in->transcript = json_str(o, "transcript_path");
	return dialect_named_tool(&dialect_codex, o, in, e);
}

const struct dialect dialect_codex = {
	.name = "codex",
	.reason_units = 9000,
	.wait_s = 86000,
	.events = events,
	.tools = NULL,
	.contain_event = "PreToolUse",
	.contain = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
	    "\"permissionDecision\":\"allow\",\"updatedInput\":@}}",
	.read = codex_read,
};
