/*
 * Claude Code.  docs/CONNECTOR.md says which of its versions do what with
 * these answers; the shapes here are the smallest it honours.  Its tools are
 * the ones policy and executors are written for.
 */
#include "hooks/dialect/parts.h"

#include "common/banned.h"

#define SPECIFIC(event, rest)						\
	"{\"hookSpecificOutput\":{\"hookEventName\":\"" event "\"," rest "}}"
#define DECISION(event, what)	SPECIFIC(event, "\"permissionDecision\":\"" \
	what "\",\"permissionDecisionReason\":@")
#define CONTEXT(event)		SPECIFIC(event, "\"additionalContext\":@")
#define MESSAGE			"{\"systemMessage\":@}"

static const struct dialect_event events[] = {
	{ "PreToolUse", HOOK_BEFORE, DECISION("PreToolUse", "deny"),
	  DECISION("PreToolUse", "allow"), NULL, NULL },
	{ "PreSkillShellCommand", HOOK_BEFORE,
	  DECISION("PreSkillShellCommand", "deny"), NULL, NULL, NULL },
	{ "PostToolUse", HOOK_AFTER, MESSAGE, NULL, NULL, NULL },
	{ "PostToolUseFailure", HOOK_AFTER, MESSAGE, NULL, NULL, NULL },
	{ "SessionStart", HOOK_SESSION_START, CONTEXT("SessionStart"), NULL,
	  CONTEXT("SessionStart"), NULL },
	{ "SessionEnd", HOOK_SESSION_END, NULL, NULL, NULL, NULL },
	{ "UserPromptSubmit", HOOK_PROMPT,
	  "{\"decision\":\"block\",\"reason\":@}", NULL, NULL, NULL },
	{ "ConfigChange", HOOK_CONFIG, REFUSE_EXIT, NULL, NULL, NULL },
	{ NULL, HOOK_NONE, NULL, NULL, NULL, NULL }
};

static int
claude_read(const char *event, const char *root, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	(void)root;
	if (dialect_begin(&dialect_claude, event, o, in, e) == -1 ||
	    dialect_common(o, in, e) == -1)
		return -1;
	in->failed = str_eq(event, "PostToolUseFailure");
	in->planning = str_eq(json_str(o, "permission_mode"), "plan");
	in->response = json_get(o, "tool_response");
	return dialect_named_tool(&dialect_claude, o, in, e);
}

const struct dialect dialect_claude = {
	.name = "claude",
	.reason_units = 48000,
	.wait_s = 86000,
	.events = events,
	.tools = NULL,
	.contain_event = "PreToolUse",
	.contain = SPECIFIC("PreToolUse", "\"permissionDecision\":\"allow\","
	    "\"permissionDecisionReason\":\"runs inside the sandbox\","
	    "\"updatedInput\":@"),
	.contain_planning = SPECIFIC("PreToolUse", "\"updatedInput\":@"),
	.rewrite_event = "PostToolUse",
	.rewrite = SPECIFIC("PostToolUse", "\"additionalContext\":\"sandbox "
	    "put [scrubbed:KIND] where this output held what looks like a "
	    "secret. Do not write such a mark back into a file.\","
	    "\"updatedToolOutput\":@"),
	.read = claude_read,
};
