/*
 * The fuzz target of the MCP server over messages of every kind and small
 * changes of them.  Always the same changes: a failure can be repeated.
 */
#include "common/mem.h"
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

static uint32_t state;

static uint32_t
random_next(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

/* Drop, double or overwrite a few bytes. */
static size_t
change(uint8_t *text, size_t len)
{
	static const char marks[] = "{}[]\",:\\/u0123456789-+.eE\n\r \t\x80\xff"
	    "nulltruefalse\0";

	for (uint32_t i = random_next(4) + 1; i > 0 && len > 1; i--) {
		size_t at = random_next((uint32_t)len);

		switch (random_next(3)) {
		case 0:
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
			break;
		case 1:
			memmove(text + at + 1, text + at, len - at);
			len++;
			break;
		default:
			text[at] = (uint8_t)marks[random_next(
			    sizeof marks - 1)];
		}
	}
	return len;
}

START_TEST(messages)
{
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++)
		for (int k = 0; k < 3000; k++) {
			size_t len = strlen(seeds[i]);
			auto_free uint8_t *copy = xcalloc(1, len + 16);

			memcpy(copy, seeds[i], len);
			LLVMFuzzerTestOneInput(copy, k == 0 ? len :
			    change(copy, len));
		}
}
END_TEST

UNIT_MAIN("hooks: fuzz target",
    tcase_add_test(tc, messages);
)
