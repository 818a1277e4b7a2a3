/*
 * The fuzz target of the MCP server over messages of every kind and small
 * changes of them.  Always the same changes: a failure can be repeated.
 */
#include "common/mem.h"
#include "tests/unit/mutate.h"
#include "tests/unit/unit.h"

#include "tests/fuzz/mcp.c"

#define META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char *const seeds[] = {
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
	("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"initialize\","
	"\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
	"\"clientInfo\":{\"name\":\"claude-code\",\"version\":\"1\"}}}\n"),
	("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server/discover\","
	"\"params\":{" META "}}\n"),
	("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
	"\"name\":\"run_privileged\",\"arguments\":{\"command\":\"ls\","
	"\"reason\":\"r\"}," META "}}\n"),
	("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{"
	"\"name\":\"check_request\",\"arguments\":{\"request_id\":"
	"\"0123456789abcdef-0123456789ab-1\",\"wait_seconds\":3}}}\n"),
	("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	"\"params\":{\"requestId\":4}}\n"
	"{\"jsonrpc\":\"2.0\",\"id\":9007199254740991,\"method\":\"ping\"}\n"),
	"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n\n{}\n",
};

static const char marks[] = "{}[]\",:\\/u0123456789-+.eE\n\r \t\x80\xff"
    "nulltruefalse\0";

START_TEST(messages)
{
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++)
		for (int k = 0; k < 3000; k++) {
			size_t len = strlen(seeds[i]);
			auto_free uint8_t *copy = xcalloc(1, len + MUTATE_ROOM);

			memcpy(copy, seeds[i], len);
			LLVMFuzzerTestOneInput(copy, k == 0 ? len :
			    mutate(copy, len, marks, sizeof marks - 1));
		}
}
END_TEST

UNIT_MAIN("hooks: fuzz target",
    tcase_add_test(tc, messages);
)
