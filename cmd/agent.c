#include "cmd/agent.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/agent_texts.h"
#include "cmd/settings_mcp.h"
#include "common/mem.h"

#include "common/banned.h"

#define DAY	86400
#define WAITS	"sandbox: waiting for a decision"

static const struct registration codex_events[] = {
	{ "PreToolUse", "pretooluse", NULL, DAY, true, WAITS },
	{ "PostToolUse", "posttooluse", NULL, 60, false, NULL },
	{ "SessionStart", "sessionstart", NULL, 60, false, NULL },
	/* More than 3 s makes it warn at every start. */
	{ "SessionEnd", "sessionstart", NULL, 3, false, NULL },
	{ "UserPromptSubmit", "sessionstart", NULL, 60, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration gemini_events[] = {
	{ "BeforeTool", "pretooluse", "*", DAY, true, NULL },
	{ "AfterTool", "posttooluse", "*", 60, false, NULL },
	{ "SessionStart", "sessionstart", NULL, 60, false, NULL },
	{ "SessionEnd", "sessionstart", NULL, 60, false, NULL },
	{ "BeforeAgent", "sessionstart", NULL, 60, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration cursor_events[] = {
	{ "preToolUse", "pretooluse", NULL, DAY, true, NULL },
	{ "postToolUse", "posttooluse", NULL, DAY, false, NULL },
	{ "sessionStart", "sessionstart", NULL, DAY, false, NULL },
	{ "sessionEnd", "sessionstart", NULL, DAY, false, NULL },
	{ "beforeSubmitPrompt", "sessionstart", NULL, DAY, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration windsurf_events[] = {
	{ "pre_run_command", "pretooluse", NULL, 0, true, NULL },
	{ "pre_write_code", "pretooluse", NULL, 0, true, NULL },
	{ "pre_read_code", "pretooluse", NULL, 0, true, NULL },
	{ "pre_mcp_tool_use", "pretooluse", NULL, 0, true, NULL },
	{ "pre_user_prompt", "sessionstart", NULL, 0, true, NULL },
	{ "post_run_command", "posttooluse", NULL, 0, false, NULL },
	{ "post_write_code", "posttooluse", NULL, 0, false, NULL },
	{ "post_mcp_tool_use", "posttooluse", NULL, 0, false, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration copilot_events[] = {
	{ "preToolUse", "pretooluse", NULL, DAY, true, NULL },
	{ "postToolUse", "posttooluse", NULL, 60, false, NULL },
	{ "sessionStart", "sessionstart", NULL, 60, false, NULL },
	{ "sessionEnd", "sessionstart", NULL, 60, false, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration cline_events[] = {
	{ "PreToolUse", "pretooluse", NULL, 0, true, NULL },
	{ "PostToolUse", "posttooluse", NULL, 0, false, NULL },
	{ "TaskStart", "sessionstart", NULL, 0, false, NULL },
	{ "UserPromptSubmit", "sessionstart", NULL, 0, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration opencode_events[] = {
	{ "tool.execute.before", "pretooluse", NULL, 0, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

static const struct registration no_events[] = {
	{ NULL, NULL, NULL, 0, false, NULL }
};

const struct agent agents[] = {
	{ .name = "claude", .title = "Claude Code", .form = AGENT_JSON,
	  .file = ".claude/settings.local.json", .mode = 0600,
	  .shared_file = ".claude/settings.json",
	  .project_var = "CLAUDE_PROJECT_DIR",
	  .events = registration_claude, .per_second = 1,
	  .key = "disableAllHooks", .value = "false",
	  .key_goes = true, .group = agent_claude_group, .program = "claude",
	  .measured = "2.1.332", .update = "claude update",
	  .not_covered = "@file mentions, CLAUDE.md imports, children started "
	  "with --bare, versions before 2.1.295 when a hook is killed" },
	{ .name = "codex", .title = "Codex", .form = AGENT_JSON,
	  .file = ".codex/hooks.json", .mode = 0600, .events = codex_events,
	  .project_var = "PWD",
	  .per_second = 1, .group = agent_nested_group, .program = "codex",
	  .measured = "0.171.0", .update = "npm install -g @openai/codex",
	  .left_to_do = "start codex here once, trust the folder, and trust "
	  "the hooks with /hooks: until then it skips them without a word",
	  .not_covered = "write_stdin into a shell that runs already; "
	  "-c features.hooks=false, unless the hooks are managed" },
	{ .name = "gemini", .title = "Gemini CLI", .form = AGENT_JSONC,
	  .file = ".gemini/settings.json", .mode = 0600,
	  .events = gemini_events, .per_second = 1000,
	  .off_in = "hooksConfig", .off = "enabled",
	  .machine = "/etc/gemini-cli",
	  .env_files = { ".gemini/.env", ".env" },
	  .project_var = "GEMINI_PROJECT_DIR",
	  .group = agent_nested_group, .program = "gemini",
	  .measured = "0.61.0", .update = "npm install -g @google/gemini-cli",
	  .not_covered = "variables that `.env` files set for the shell our "
	  "hook is started by; @file mentions" },
	{ .name = "cursor", .title = "Cursor", .form = AGENT_JSON,
	  .file = ".cursor/hooks.json", .mode = 0600, .events = cursor_events,
	  .project_var = "PWD",
	  .per_second = 1, .key = "version", .value = "1",
	  .group = agent_flat_group,
	  .not_covered = "versions without preToolUse; Tab completions" },
	{ .name = "windsurf", .title = "Windsurf", .form = AGENT_JSON,
	  .file = ".windsurf/hooks.json", .mode = 0600,
	  .events = windsurf_events, .per_second = 1, .by_exit = true,
	  .group = agent_shown_group,
	  .not_covered = "a hook that is ended by its own time limit" },
	{ .name = "copilot", .title = "Copilot CLI", .form = AGENT_JSON,
	  .file = ".github/hooks/sandbox.json", .mode = 0600,
	  .events = copilot_events, .per_second = 1, .key = "version",
	  .value = "1", .group = agent_bash_group,
	  .not_covered = "write_bash into a shell that runs already" },
	{ .name = "cline", .title = "Cline", .form = AGENT_FILES,
	  .file = ".clinerules/hooks/", .mode = 0700, .events = cline_events,
	  .per_second = 1, .text = agent_script_text,
	  .left_to_do = "switch hooks on in Cline's settings",
	  .not_covered = "hooks that are switched off in Cline's settings" },
	{ .name = "opencode", .title = "opencode", .form = AGENT_FILE,
	  .file = ".opencode/plugin/sandbox.js", .mode = 0600,
	  .events = opencode_events, .per_second = 1,
	  .text = agent_plugin_text, .program = "opencode",
	  .measured = "1.18.33", .update = "opencode upgrade",
	  .not_covered = "a plugin file that is changed or removed" },
	{ .name = "mcp-claude", .title = "Claude Code (MCP)",
	  .form = AGENT_JSON, .file = ".mcp.json", .mode = 0644,
	  .events = no_events, .mcp_key = "mcpServers", .mcp_of = "claude",
	  .entry = mcp_entry, .measured = "2.1.332" },
	{ .name = "mcp-codex", .title = "Codex (MCP)", .form = AGENT_TOML,
	  .file = ".codex/config.toml", .mode = 0600, .events = no_events,
	  .mcp_key = "mcp_servers", .mcp_of = "codex", .entry = mcp_entry },
	{ .name = "mcp-gemini", .title = "Gemini CLI (MCP)",
	  .form = AGENT_JSONC, .file = ".gemini/settings.json", .mode = 0600,
	  .events = no_events, .mcp_key = "mcpServers", .mcp_of = "gemini",
	  .entry = mcp_entry },
	{ .name = "mcp-cursor", .title = "Cursor (MCP)", .form = AGENT_JSONC,
	  .file = ".cursor/mcp.json", .mode = 0600, .events = no_events,
	  .mcp_key = "mcpServers", .mcp_of = "cursor", .entry = mcp_entry },
	{ .name = "mcp-windsurf", .title = "Windsurf (MCP)",
	  .form = AGENT_JSONC, .file = ".codeium/windsurf/mcp_config.json",
	  .in_home = true, .mode = 0600, .events = no_events,
	  .mcp_key = "mcpServers", .mcp_of = "windsurf", .entry = mcp_entry },
	{ .name = "mcp-opencode", .title = "opencode (MCP)",
	  .form = AGENT_JSONC, .file = "opencode.json", .mode = 0644,
	  .events = no_events, .mcp_key = "mcp", .mcp_of = "opencode",
	  .entry = mcp_entry_local },
	{ .name = "claude-desktop", .title = "Claude Desktop (MCP only)",
	  .form = AGENT_JSON, .in_home = true, .mode = 0600,
	  .home_var = "XDG_CONFIG_HOME", .home_dir = ".config",
	  .file = "Claude/claude_desktop_config.json",
	  .events = no_events, .mcp_key = "mcpServers", .entry = mcp_entry },
	{ .name = "vscode", .title = "VS Code (MCP only)",
	  .form = AGENT_JSONC, .file = ".vscode/mcp.json", .mode = 0600,
	  .events = no_events, .mcp_key = "servers",
	  .entry = mcp_entry_typed },
	{ .name = "zed", .title = "Zed (MCP only)", .form = AGENT_JSONC,
	  .file = ".zed/settings.json", .mode = 0600, .events = no_events,
	  .mcp_key = "context_servers", .entry = mcp_entry_custom },
	{ .name = NULL }
};

const struct agent *
agent_find(const char *name)
{
	for (const struct agent *a = agents; a->name != NULL; a++)
		if (str_eq(a->name, name))
			return a;
	return NULL;
}

char *
agent_home(const struct agent *a, const char *user_home)
{
	const char *var = a->home_var == NULL ? NULL : getenv(a->home_var);

	if (var != NULL && var[0] == '/')
		return xstrdup(var);
	if (user_home == NULL || user_home[0] != '/')
		return NULL;
	return a->home_dir == NULL ? xstrdup(user_home) :
	    xasprintf("%s/%s", user_home, a->home_dir);
}

void
agent_shell_word(const char *word, struct str *ret)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		str_add(ret, word);
		return;
	}
	str_addc(ret, '\'');
	for (; *word != '\0'; word++)
		if (*word == '\'')
			str_add(ret, "'\\''");
		else
			str_addc(ret, *word);
	str_addc(ret, '\'');
}

void
agent_line(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	auto_free char *program = xasprintf("%s/%s", place->libexec,
	    r->program);
	const char *const words[] = { program, "--client", a->name,
	    "--event", r->event, "--root", place->root, "--state",
	    place->state };
	size_t n = ARRAY_LEN(words) - (place->root == NULL ? 4 : 0);

	str_add(ret, "SANDBOX_CLIENT=$PPID");
	for (size_t i = 0; i < n; i++) {
		str_addc(ret, ' ');
		/* The word stays open for the folder the shell is in. */
		if (i == 0 && place->libexec == NULL)
			str_addf(ret, "\"$d/%s\"", r->program);
		else
			agent_shell_word(words[i], ret);
	}
	if (place->root == NULL)
		str_addf(ret, " --from \"$%s\"", a->project_var);
}

/*
 * In a committed file: found where installations go.  Where there is none,
 * nobody is locked out, and the start of a session says so.
 */
static void
shared_command(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	str_addf(ret, "for d in /usr/local/libexec/sandbox "
	    "/usr/libexec/sandbox \"$HOME/.local/libexec/sandbox\"; "
	    "do [ -x \"$d/%s\" ] || continue; ", r->program);
	agent_line(a, r, place, ret);
	str_add(ret, r->block ? " && exit 0; [ $? -eq 2 ] || echo sandbox: "
	    "the hook did not end well, nothing was executed >&2; exit 2; "
	    "done" :
	    "; exit $?; done");
	if (str_eq(r->event, "SessionStart"))
		str_add(ret, "; echo '{\"systemMessage\":\"sandbox is not "
		    "installed here: what this agent does is not gated. The "
		    "project asks for it; see its README.\"}'");
	str_add(ret, "; exit 0");
}

void
agent_command(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	if (place->libexec == NULL) {
		shared_command(a, r, place, ret);
		return;
	}
	agent_line(a, r, place, ret);
	if (r->block && a->by_exit)
		str_add(ret, " || { [ $? -eq 2 ] || echo sandbox: the hook did "
		    "not end well, nothing was executed >&2; exit 2; }");
	else if (r->block)
		/* No $? and no braces: fish has neither. */
		str_add(ret, " || /bin/sh -c 'echo sandbox: the hook did not "
		    "end well, nothing was executed >&2; exit 2'");
}

bool
agent_command_ours(const struct agent *a, const char *text)
{
	for (const struct registration *r = a->events; r->event != NULL; r++) {
		auto_free char *mark = xasprintf("/%s --client %s --event %s ",
		    r->program, a->name, r->event);
		auto_free char *quoted = xasprintf("/%s' --client %s --event "
		    "%s ", r->program, a->name, r->event);
		auto_free char *shared = xasprintf("/%s\" --client %s --event "
		    "%s ", r->program, a->name, r->event);

		if (strstr(text, mark) != NULL || strstr(text, quoted) !=
		    NULL || strstr(text, shared) != NULL)
			return true;
	}
	return false;
}

bool
agent_file_ours(const struct agent *a, const char *text)
{
	auto_free char *mark = xasprintf("Written by `sandbox init --%s`;",
	    a->name);
	const char *at = strstr(text, mark);

	/* In the first lines, not quoted somewhere. */
	return at != NULL && at - text < 32;
}

bool
agent_group_ours(const struct agent *a, const cJSON *group)
{
	const cJSON *list = json_get(group, "hooks");
	const cJSON *entry = list == NULL ? group :
	    cJSON_GetArrayItem(list, 0);
	const char *command = json_str(entry, "command");

	if (a->events == registration_claude && registration_ours(group))
		return true;
	if (list != NULL && cJSON_GetArraySize(list) != 1)
		return false;
	if (command == NULL)
		command = json_str(entry, "bash");
	return command != NULL && agent_command_ours(a, command);
}
