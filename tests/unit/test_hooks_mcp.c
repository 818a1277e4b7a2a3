/* Lines and messages, apart from any project. */
#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "hooks/mcp/frame.h"
#include "hooks/mcp/mcp.h"
#include "hooks/mcp/rpc.h"
#include "tests/unit/unit.h"

struct heard {
	struct str	text;
	int		too_long;
};

static void
hear(void *arg, const char *line, size_t len)
{
	struct heard *h = arg;

	if (line == NULL) {
		h->too_long++;
		return;
	}
	str_addf(&h->text, "[%.*s]", (int)len, line);
}

static void
fed(const char *in, size_t step, const char *want)
{
	struct heard h = { .too_long = 0 };
	struct frames f;
	size_t len = strlen(in);

	frames_init(&f);
	str_init(&h.text, 4096);
	for (size_t i = 0; i < len; i += step)
		frames_feed(&f, in + i, len - i < step ? len - i : step, hear,
		    &h);
	ck_assert_str_eq(h.text.s, want);
	ck_assert_int_eq(h.too_long, 0);
	str_clear(&h.text);
	frames_clear(&f);
}

START_TEST(lines_in_any_pieces)
{
	for (size_t step = 1; step < 12; step++) {
		fed("a\nbc\n", step, "[a][bc]");
		fed("\n\n a \n \t\r\nrest", step, "[ a ]");
		fed("x\r\n", step, "[x\r]");
		fed("", step, "");
	}
}
END_TEST

START_TEST(a_line_that_is_too_long_is_told_once)
{
	struct heard h = { .too_long = 0 };
	struct frames f;
	char *big = xcalloc(1, FRAME_LINE + 100);

	memset(big, 'x', FRAME_LINE + 99);
	frames_init(&f);
	str_init(&h.text, 4096);
	for (int i = 0; i < 3; i++)
		frames_feed(&f, big, FRAME_LINE + 99, hear, &h);
	ck_assert_int_eq(h.too_long, 0);
	ck_assert_uint_lt(f.line.cap, 65536);
	frames_feed(&f, "y\nok\n", 5, hear, &h);
	ck_assert_int_eq(h.too_long, 1);
	ck_assert_str_eq(h.text.s, "[ok]");
	/* One that just fits. */
	frames_feed(&f, big, FRAME_LINE - 1, hear, &h);
	frames_feed(&f, "\n", 1, hear, &h);
	ck_assert_int_eq(h.too_long, 1);
	ck_assert_uint_lt(f.line.cap, 65536);
	str_clear(&h.text);
	frames_clear(&f);
	free(big);
}
END_TEST

START_TEST(what_is_written_is_gone)
{
	struct frames f;
	const char *p;

	frames_init(&f);
	ck_assert_uint_eq(frames_left(&f, &p), 0);
	str_add(&f.out, "abcdef");
	ck_assert_uint_eq(frames_left(&f, &p), 6);
	frames_sent(&f, 4);
	ck_assert_uint_eq(frames_left(&f, &p), 2);
	ck_assert_str_eq(p, "ef");
	frames_sent(&f, 2);
	ck_assert_uint_eq(frames_left(&f, &p), 0);
	ck_assert_uint_eq(f.out.len, 0);
	frames_clear(&f);
}
END_TEST

static void
says(struct mcp *m, const char *line, const char *want)
{
	str_reset(&m->f.out);
	mcp_line(m, line, strlen(line));
	if (strstr(m->f.out.s, want) == NULL)
		ck_abort_msg("%s\n  gave %s\n  without %s", line, m->f.out.s,
		    want);
}

START_TEST(names_of_clients)
{
	static const struct mcp_args args = { .dir = "/", .base = "/nowhere" };
	char name[MCP_NAME_MAX + 1];
	struct rpc r = { .kind = RPC_CALL };
	struct mcp m;

	mcp_init(&m, &args);
	ck_assert_str_eq(mcp_client(&m, &r, name), "mcp");
	says(&m, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	    "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":"
	    "{},\"clientInfo\":{\"name\":\"claude-code\",\"version\":\"1\"}}}",
	    "\"serverInfo\"");
	ck_assert_str_eq(mcp_client(&m, &r, name), "claude");
	ck_assert_int_eq(mcp_patience_s(name), 1500);
	says(&m, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	    "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":"
	    "{},\"clientInfo\":{\"name\":\"a\\u001b[2J b\",\"version\":"
	    "\"1\"}}}", "\"serverInfo\"");
	ck_assert_str_eq(mcp_client(&m, &r, name), "mcp");
	ck_assert_int_eq(mcp_patience_s(name), 45);
	mcp_end(&m);
}
END_TEST

START_TEST(nothing_is_opened_before_a_call)
{
	static const struct mcp_args args = { .dir = "/", .base = "/nowhere" };
	struct mcp m;

	mcp_init(&m, &args);
	says(&m, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	    "run_privileged");
	ck_assert_ptr_null(m.place);
	ck_assert_int_eq(mcp_wait_ms(&m), -1);
	mcp_look(&m);
	says(&m, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"run_privileged\",\"arguments\":{"
	    "\"command\":\"ls\",\"reason\":\"r\"}}}", "\"isError\":true");
	ck_assert_ptr_null(m.place);
	mcp_end(&m);
}
END_TEST

UNIT_MAIN("hooks/mcp",
    tcase_add_test(tc, lines_in_any_pieces);
    tcase_add_test(tc, a_line_that_is_too_long_is_told_once);
    tcase_add_test(tc, what_is_written_is_gone);
    tcase_add_test(tc, names_of_clients);
    tcase_add_test(tc, nothing_is_opened_before_a_call);
)
