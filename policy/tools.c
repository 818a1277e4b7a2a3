/* policy/tools.c - tool names, all agents' spellings. */
#include <string.h>

#include "common/mem.h"
#include "policy/tools.h"
#include "common/banned.h"

#define PATHS	"file_path filePath path absolute_path"
#define WRITES	PATHS " content contents file_text"
#define EDITS	PATHS " old_string new_string oldString newString replace_all" \
		" replaceAll expected_replacements edits"
#define DIRS	"path dir_path directory"

/*
 * Claude Code first, then Codex, Gemini, Cursor, Windsurf, Copilot, opencode.
 * Tools whose effect has no single subject (apply_patch, write_stdin,
 * read_many_files, save_memory, code_search) are left out on purpose: unknown
 * means asked.
 */
static const struct tool tools[] = {
	{ "Bash", CALL_SHELL, "command", "command" },
	{ "Write", CALL_WRITE, PATHS, WRITES },
	{ "Edit", CALL_EDIT, PATHS, EDITS },
	{ "MultiEdit", CALL_EDIT, PATHS, EDITS },
	{ "NotebookEdit", CALL_NOTEBOOK, "notebook_path", NULL },
	{ "Read", CALL_READ, PATHS, NULL },
	{ "NotebookRead", CALL_READ, "notebook_path", NULL },
	{ "Glob", CALL_LIST, DIRS, NULL },
	{ "Grep", CALL_SEARCH, DIRS, NULL },
	{ "LS", CALL_LIST, DIRS, NULL },
	{ "WebFetch", CALL_FETCH, "url", "url prompt" },
	{ "WebSearch", CALL_WEBSEARCH, "query", NULL },
	{ "Agent", CALL_DELEGATE, "description", NULL },
	{ "Task", CALL_DELEGATE, "description", NULL },
	{ "TodoWrite", CALL_HARMLESS, NULL, NULL },
	{ "TodoRead", CALL_HARMLESS, NULL, NULL },
	{ "ToolSearch", CALL_HARMLESS, NULL, NULL },
	{ "AskUserQuestion", CALL_HARMLESS, NULL, NULL },
	{ "EnterPlanMode", CALL_HARMLESS, NULL, NULL },
	{ "ExitPlanMode", CALL_HARMLESS, NULL, NULL },
	{ "BashOutput", CALL_HARMLESS, NULL, NULL },
	{ "KillShell", CALL_HARMLESS, NULL, NULL },
	{ "KillBash", CALL_HARMLESS, NULL, NULL },
	{ "TaskOutput", CALL_HARMLESS, NULL, NULL },
	{ "TaskStop", CALL_HARMLESS, NULL, NULL },
	{ "TaskCreate", CALL_HARMLESS, NULL, NULL },
	{ "TaskUpdate", CALL_HARMLESS, NULL, NULL },
	{ "TaskGet", CALL_HARMLESS, NULL, NULL },
	{ "TaskList", CALL_HARMLESS, NULL, NULL },
	{ "StructuredOutput", CALL_HARMLESS, NULL, NULL },
	{ "SubagentHandback", CALL_HARMLESS, NULL, NULL },
	{ "ReportFindings", CALL_HARMLESS, NULL, NULL },
	{ "SetGoal", CALL_HARMLESS, NULL, NULL },
	{ "ListAgents", CALL_HARMLESS, NULL, NULL },
	{ "CronList", CALL_HARMLESS, NULL, NULL },
	{ "ListMcpResourcesTool", CALL_HARMLESS, NULL, NULL },
	{ "WaitForMcpServers", CALL_HARMLESS, NULL, NULL },
	{ "ScheduleWakeup", CALL_HARMLESS, NULL, NULL },
	{ "EndConversation", CALL_HARMLESS, NULL, NULL },
	{ "Skill", CALL_DELEGATE, "skill command", NULL },
	{ "exec_command", CALL_SHELL, "cmd", "cmd workdir" },
	{ "shell", CALL_SHELL, "command", "command workdir" },
	{ "local_shell", CALL_SHELL, "command", "command workdir" },
	{ "update_plan", CALL_HARMLESS, NULL, NULL },
	{ "view_image", CALL_READ, "path", NULL },
	{ "run_shell_command", CALL_SHELL, "command", "command directory" },
	{ "write_file", CALL_WRITE, PATHS, WRITES },
	{ "replace", CALL_EDIT, PATHS, EDITS },
	{ "read_file", CALL_READ, PATHS " target_file", NULL },
	{ "list_directory", CALL_LIST, DIRS, NULL },
	{ "list_dir", CALL_LIST, DIRS, NULL },
	{ "search_file_content", CALL_SEARCH, DIRS, NULL },
	{ "grep_search", CALL_SEARCH, DIRS, NULL },
	{ "google_web_search", CALL_WEBSEARCH, "query", NULL },
	{ "write_todos", CALL_HARMLESS, NULL, NULL },
	{ "update_topic", CALL_HARMLESS, NULL, NULL },
	{ "ask_user", CALL_HARMLESS, NULL, NULL },
	{ "complete_task", CALL_HARMLESS, NULL, NULL },
	{ "get_internal_docs", CALL_HARMLESS, NULL, NULL },
	{ "list_mcp_resources", CALL_HARMLESS, NULL, NULL },
	{ "activate_skill", CALL_DELEGATE, "name", NULL },
	{ "enter_plan_mode", CALL_HARMLESS, NULL, NULL },
	{ "exit_plan_mode", CALL_HARMLESS, NULL, NULL },
	{ "list_background_processes", CALL_HARMLESS, NULL, NULL },
	{ "read_background_output", CALL_HARMLESS, NULL, NULL },
	{ "invoke_agent", CALL_DELEGATE, "prompt", NULL },
	{ "get_goal", CALL_HARMLESS, NULL, NULL },
	{ "create_goal", CALL_HARMLESS, NULL, NULL },
	{ "update_goal", CALL_HARMLESS, NULL, NULL },
	{ "request_user_input", CALL_HARMLESS, NULL, NULL },
	{ "ReadLints", CALL_HARMLESS, NULL, NULL },
	{ "Shell", CALL_SHELL, "command", "command working_directory" },
	{ "run_terminal_cmd", CALL_SHELL, "command", "command" },
	{ "run_command", CALL_SHELL, "command command_line", NULL },
	{ "execute_command", CALL_SHELL, "command", NULL },
	{ "bash", CALL_SHELL, "command", "command workdir" },
	{ "create", CALL_WRITE, PATHS, WRITES },
	{ "view", CALL_READ, PATHS, NULL },
	{ "write", CALL_WRITE, PATHS, WRITES },
	{ "edit", CALL_EDIT, PATHS, NULL },
	{ "read", CALL_READ, PATHS, NULL },
	{ "list", CALL_LIST, DIRS, NULL },
	{ "glob", CALL_LIST, DIRS, NULL },
	{ "grep", CALL_SEARCH, DIRS, NULL },
	{ "webfetch", CALL_FETCH, "url", NULL },
	{ "websearch", CALL_WEBSEARCH, "query", NULL },
	{ "task", CALL_DELEGATE, "description", NULL },
	{ "todowrite", CALL_HARMLESS, NULL, NULL },
	{ "todoread", CALL_HARMLESS, NULL, NULL },
	{ "question", CALL_HARMLESS, NULL, NULL },
	{ "skill", CALL_DELEGATE, "name", NULL },
	{ "write_code", CALL_EDIT, PATHS, NULL },
	{ "read_code", CALL_READ, PATHS, NULL },
	{ "write_to_file", CALL_WRITE, PATHS, NULL },
	{ "replace_in_file", CALL_EDIT, PATHS, NULL },
	{ "list_files", CALL_LIST, DIRS, NULL },
	{ "search_files", CALL_SEARCH, DIRS, NULL },
	{ "list_code_definition_names", CALL_SEARCH, DIRS, NULL },
	{ "ask_followup_question", CALL_HARMLESS, NULL, NULL },
	{ "plan_mode_respond", CALL_HARMLESS, NULL, NULL },
	{ "attempt_completion", CALL_HARMLESS, NULL, NULL },
	{ "report_intent", CALL_HARMLESS, NULL, NULL },
	{ "read_bash", CALL_HARMLESS, NULL, NULL },
	{ "stop_bash", CALL_HARMLESS, NULL, NULL },
	/* Our own MCP server's: a human is asked, our side does it. */
	{ "path_read", CALL_READ, "file_path", "file_path" },
	{ "path_write", CALL_WRITE, "file_path", "file_path content" },
	{ "fetch_url", CALL_FETCH, "url", "url" },
	/* `sandbox run`: a host that no rule of the jail knows. */
	{ "jail_host", CALL_FETCH, "url", "url" },
};

const struct tool *
tool_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_eq(tools[i].name, name))
			return &tools[i];
	return NULL;
}

bool
tool_calm(const char *field)
{
	static const char names[] =
	    /* what people read */
	    "description explanation justification reason title "
	    "toolSummary toolAction "
	    /* how long, and who waits for it where */
	    "timeout timeout_ms timeoutMs yield_time_ms max_output_tokens "
	    "run_in_background is_background background async detach mode "
	    "sessionId session_id delay_ms initial_wait block_until_ms "
	    "wait_for_previous notify_on_output login tty pty "
	    /* the client's own walls, which it asks its human about */
	    "sandbox_permissions with_escalated_permissions prefix_rule "
	    "required_permissions requires_approval require_user_approval "
	    "dangerouslyDisableSandbox";

	return tool_listed(names, field);
}

bool
tool_is_shell(const char *path)
{
	static const char *const dirs[] = { "", "/bin/", "/usr/bin/",
		"/usr/local/bin/" };

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (str_starts(path, dirs[i]) &&
		    tool_listed("bash sh zsh", path + strlen(dirs[i])))
			return true;
	return false;
}

bool
tool_listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list != '\0'; list += strspn(list, " ")) {
		size_t len = strcspn(list, " ");

		if (len == n && memcmp(list, word, n) == 0)
			return true;
		list += len;
	}
	return false;
}
