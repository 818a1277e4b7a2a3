/*
 * The fuzz target for dialects over what clients send, and over small changes
 * of it: every event of every dialect.  Always the same changes.
 */
#include <stdio.h>

#include "common/mem.h"
#include "tests/unit/mutate.h"
#include "tests/unit/unit.h"

#define LLVMFuzzerTestOneInput	fuzz_dialect
int	fuzz_dialect(const uint8_t *, size_t);
#include "tests/fuzz/dialect.c"

static const char *const seeds[] = {
	"{\"session_id\":\"s\",\"cwd\":\"/p\",\"hook_event_name\":"
	"\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_use_id\":\"t\","
	"\"tool_input\":{\"command\":\"ls \\\"a b\\\"\"}}",
	"{\"hook_event_name\":\"beforeShellExecution\",\"conversation_id\":"
	"\"c\",\"workspace_roots\":[\"/p\"],\"command\":\"ls\",\"cwd\":\"/p\"}",
	"{\"sessionId\":\"s\",\"timestamp\":1,\"cwd\":\"/p\",\"toolName\":"
	"\"bash\",\"toolArgs\":\"{\\\"command\\\":\\\"ls\\\"}\"}",
	"{\"hookName\":\"PreToolUse\",\"taskId\":\"t\",\"workspaceRoots\":"
	"[\"/p\"],\"preToolUse\":{\"toolName\":\"execute_command\","
	"\"parameters\":{\"command\":\"ls\"}}}",
	"{\"agent_action_name\":\"pre_run_command\",\"trajectory_id\":\"t\","
	"\"tool_info\":{\"command_line\":\"ls\",\"cwd\":\"/p\"}}",
	"{\"tool\":\"bash\",\"sessionID\":\"s\",\"callID\":\"c\",\"args\":"
	"{\"command\":\"ls\"},\"cwd\":\"/p\"}",
	"{\"session_id\":\"s\",\"cwd\":\"/p\",\"hook_event_name\":"
	"\"BeforeTool\",\"tool_name\":\"run_shell_command\",\"tool_input\":"
	"{\"command\":\"ls\",\"directory\":\"a\"}}",
};

static const char marks[] = "\"\\{}[]:, \n\t0a/\x01\xff";

START_TEST(whatever_is_sent)
{
	for (size_t s = 0; s < ARRAY_LEN(seeds); s++) {
		for (int i = 0; i < 4000; i++) {
			size_t len = strlen(seeds[s]) + 1;
			auto_free uint8_t *copy = xcalloc(1, len + MUTATE_ROOM);

			copy[0] = (uint8_t)i;
			memcpy(copy + 1, seeds[s], len - 1);
			fuzz_dialect(copy, i < 256 ? len : mutate(copy, len, marks,
			    sizeof marks - 1));
		}
	}
}
END_TEST

UNIT_MAIN("hooks: fuzz target",
    tcase_add_test(tc, whatever_is_sent);
)
