#include "cmd/door_sample.h"

#include <string.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define COMMAND	"sandbox approve doctor"
#define HOOK(event)							\
	"{\"session_id\":\"sandbox-doctor\",\"transcript_path\":\"/dev/null\","\
	"\"cwd\":@,\"hook_event_name\":\"" event "\","

static const struct door_sample samples[] = {
	{ "claude", "PreToolUse", HOOK("PreToolUse") "\"tool_name\":\"Bash\","
	  "\"tool_use_id\":\"doctor\",\"tool_input\":{\"command\":\"" COMMAND
	  "\"}}", "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
	  "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"" },
	{ "codex", "PreToolUse", HOOK("PreToolUse") "\"tool_name\":\"Bash\","
	  "\"tool_use_id\":\"doctor\",\"tool_input\":{\"command\":\"" COMMAND
	  "\"}}", "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
	  "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"" },
	{ "gemini", "BeforeTool", HOOK("BeforeTool")
	  "\"tool_name\":\"run_shell_command\",\"tool_input\":{\"command\":\""
	  COMMAND "\"}}", "{\"decision\":\"deny\",\"reason\":\"" },
	{ "opencode", "tool.execute.before", HOOK("tool.execute.before")
	  "\"tool_name\":\"bash\",\"tool_use_id\":\"doctor\",\"tool_input\":"
	  "{\"command\":\"" COMMAND "\"}}",
	  "{\"decision\":\"deny\",\"reason\":\"" },
	{ "cursor", "preToolUse", "{\"conversation_id\":\"sandbox-doctor\","
	  "\"hook_event_name\":\"preToolUse\",\"workspace_roots\":[@],"
	  "\"tool_name\":\"Shell\",\"tool_input\":{\"command\":\"" COMMAND
	  "\"}}", "{\"permission\":\"deny\"," },
	{ "windsurf", "pre_run_command", "{\"agent_action_name\":"
	  "\"pre_run_command\",\"trajectory_id\":\"sandbox-doctor\","
	  "\"tool_info\":{\"command_line\":\"" COMMAND "\",\"cwd\":@}}", NULL },
	{ "copilot", "preToolUse", "{\"cwd\":@,\"toolName\":\"bash\","
	  "\"toolArgs\":\"{\\\"command\\\":\\\"" COMMAND "\\\"}\"}",
	  "{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"" },
	{ "cline", "PreToolUse", "{\"hookName\":\"PreToolUse\",\"taskId\":"
	  "\"sandbox-doctor\",\"workspaceRoots\":[@],\"preToolUse\":{"
	  "\"toolName\":\"execute_command\",\"parameters\":{\"command\":\""
	  COMMAND "\"}}}", "{\"cancel\":true,\"errorMessage\":\"" },
};

const struct door_sample *
door_sample(const char *agent)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		if (str_eq(samples[i].agent, agent))
			return &samples[i];
	return NULL;
}

char *
door_sample_input(const struct door_sample *s, const char *root)
{
	struct str text;
	const char *at = strchr(s->input, '@');

	str_init(&text, 64 * 1024);
	str_addn(&text, s->input, (size_t)(at - s->input));
	json_quote(root, strlen(root), &text);
	str_add(&text, at + 1);
	return str_take(&text);
}

bool
door_sample_refused(const struct door_sample *s, const struct fired *f)
{
	auto_json cJSON *v = NULL;

	if (s->refusal == NULL)
		return f->exit == 2 && f->out.len == 0;
	/* A reason that is empty is none: more than the front has to come. */
	return f->exit == 0 && str_starts(f->out.s, s->refusal) &&
	    f->out.len > strlen(s->refusal) + 20 &&
	    json_parse(f->out.s, f->out.len, JSON_DEPTH, &v, NULL) == 0;
}
