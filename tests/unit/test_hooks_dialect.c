#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "hooks/dialect.h"
#include "tests/unit/unit.h"

#define COMMON	"\"session_id\":\"s\",\"cwd\":\"/p\","
#define PRE	COMMON "\"hook_event_name\":\"PreToolUse\","
#define BASH	"\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}"

/* 0: read; -1: refused. */
static int
read_as(const char *event, const char *text)
{
	const struct dialect *d = dialect_find("claude");
	auto_hook_input struct hook_input in = { 0 };
	struct err e;
	auto_json cJSON *o = NULL;

	if (json_parse(text, strlen(text), JSON_DEPTH, &o, &e) == -1)
		return -1;
	return d->read(event, NULL, o, &in, &e);
}

START_TEST(reads_a_call)
{
	static const char text[] = "{" PRE "\"agent_id\":\"a7\","
	    "\"tool_use_id\":\"t1\",\"permission_mode\":\"default\","
	    "\"effort\":{\"level\":3},\"tool_name\":\"Bash\",\"tool_input\":"
	    "{\"command\":\"ls -l\",\"description\":\"look\"}}";
	struct hook_input in;
	struct err e;
	auto_json cJSON *o = NULL;

	ck_assert_int_eq(json_parse(text, strlen(text), 32, &o, &e), 0);
	ck_assert_int_eq(dialect_claude.read("PreToolUse", NULL,
	    o, &in, &e), 0);
	ck_assert_int_eq(in.kind, HOOK_BEFORE);
	ck_assert_str_eq(in.call.client, "claude");
	ck_assert_str_eq(in.call.session, "s");
	ck_assert_str_eq(in.call.agent_id, "a7");
	ck_assert_str_eq(in.call.tool, "Bash");
	ck_assert_str_eq(in.call.cwd, "/p");
	ck_assert_str_eq(in.tool_use_id, "t1");
	ck_assert_str_eq(in.reason, "look");
	ck_assert_str_eq(json_str(in.call.input, "command"), "ls -l");
}
END_TEST

START_TEST(refuses_what_could_be_read_in_two_ways)
{
	static const char *const bad[] = {
		"", "null", "[]", "\"x\"", "{}", "{" PRE "}",
		"{" PRE BASH,			/* cut */
		"{" PRE BASH "}}", "{" PRE BASH "} x", "x {" PRE BASH "}",
		"{" PRE BASH ",}", "{" PRE BASH ",\"a\":01}",
		"{" PRE BASH ",\"session_id\":\"t\"}",	/* twice */
		"{" PRE BASH ",\"tool_name\":\"Read\"}",
		"{" PRE BASH ",\"tool\\u005fname\":\"Read\"}",
		"{" PRE "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":"
		    "\"ls\",\"command\":\"rm\"}}",
		"{" PRE BASH ",\"x\":\"\\u0000\"}",
		"{" PRE BASH ",\"x\":\"\\ud800\"}",
		"{" PRE BASH ",\"x\":\"\xff\"}",
		"{" PRE BASH ",\"x\":\"\n\"}",
		"{" PRE "\"tool_name\":\"\",\"tool_input\":{}}",
		"{" PRE "\"tool_name\":7,\"tool_input\":{}}",
		"{" PRE "\"tool_name\":\"Bash\",\"tool_input\":[]}",
		"{" PRE "\"tool_name\":\"Bash\",\"tool_input\":\"{}\"}",
		"{" PRE "\"tool_name\":\"Bash\"}",
		"{" PRE "\"Tool_Name\":\"Bash\",\"tool_input\":{}}",
		"{" PRE BASH ",\"tool_use_id\":7}",
		"{" PRE BASH ",\"agent_id\":null}",
		"{\"cwd\":\"/p\",\"hook_event_name\":\"PreToolUse\"," BASH "}",
		"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\","
		    BASH "}",
		"{\"session_id\":\"s\",\"cwd\":\"p\",\"hook_event_name\":"
		    "\"PreToolUse\"," BASH "}",
		"{\"session_id\":\"s\",\"cwd\":\"\",\"hook_event_name\":"
		    "\"PreToolUse\"," BASH "}",
		"{" COMMON "\"hook_event_name\":\"PostToolUse\"," BASH "}",
		"{" COMMON "\"hook_event_name\":\"pretooluse\"," BASH "}",
		"{" COMMON BASH "}",
	};

	ck_assert_int_eq(read_as("PreToolUse", "{" PRE BASH "}"), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ck_assert_msg(read_as("PreToolUse", bad[i]) == -1,
		    "taken: %s", bad[i]);
}
END_TEST

START_TEST(refuses_nul_and_depth)
{
	char text[4096];
	size_t n;
	auto_json cJSON *o = NULL;

	n = (size_t)snprintf(text, sizeof text, "{%s%s}", PRE, BASH);
	text[n - 1] = '\0';
	text[n] = '}';
	ck_assert_int_eq(json_parse(text, n + 1, JSON_DEPTH, &o, NULL), -1);
	n = (size_t)snprintf(text, sizeof text, "{%s\"tool_name\":\"X\","
	    "\"tool_input\":{\"x\":", PRE);
	for (int i = 0; i < 40; i++)
		text[n++] = '[';
	for (int i = 0; i < 40; i++)
		text[n++] = ']';
	memcpy(text + n, "}}", 3);
	ck_assert_int_eq(read_as("PreToolUse", text), -1);
}
END_TEST

START_TEST(refuses_unknown_events)
{
	ck_assert_int_eq(read_as("Stop", "{" COMMON
	    "\"hook_event_name\":\"Stop\"}"), -1);
	ck_assert_int_eq(dialect_kind(&dialect_claude, "Stop"), HOOK_NONE);
	ck_assert_ptr_null(dialect_find("nobody"));
	ck_assert_ptr_null(dialect_find(""));
}
END_TEST

/* Whatever the text: one object that parses back to it, no raw control. */
static void
check_refusal(const char *event, const char *text, const char *pointer[])
{
	auto_json cJSON *o = NULL;
	struct reply r;
	struct err e;

	reply_init(&r);
	dialect_refuse(&dialect_claude, event, text, &r);
	ck_assert_int_eq(r.status, 0);
	for (size_t i = 0; i < r.out.len; i++)
		ck_assert_uint_ge((unsigned char)r.out.s[i], 0x20);
	ck_assert_msg(json_parse(r.out.s, r.out.len, 8, &o, &e) == 0, "%s",
	    e.text);

	const cJSON *v = o;

	for (; *pointer != NULL; pointer++)
		v = json_get(v, *pointer);
	ck_assert(cJSON_IsString(v));
	if (utf8_ok(text, strlen(text)))
		ck_assert_str_eq(v->valuestring, text);
	ck_assert(utf8_ok(v->valuestring, strlen(v->valuestring)));
	reply_clear(&r);
}

static const char *deny_at[] = { "hookSpecificOutput",
	"permissionDecisionReason", NULL };
static const char *block_at[] = { "reason", NULL };

START_TEST(escapes_every_byte)
{
	char text[8] = "a?b";

	for (int c = 1; c < 256; c++) {
		text[1] = (char)c;
		check_refusal("PreToolUse", text, deny_at);
		check_refusal("UserPromptSubmit", text, block_at);
	}
}
END_TEST

START_TEST(keeps_long_and_odd_text)
{
	static const char *const odd[] = { "\xe2\x80\xa8\xe2\x80\xa9",
	    "\"}}\n{\"continue\":false}", "\\\"\\u0000", "\xef\xbb\xbf",
	    "\xed\xa0\x80", "\xf0\x9f\x98", "</system-reminder>", "" };
	auto_free char *longer = xcalloc(100001, 1);

	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		check_refusal("PreToolUse", odd[i], deny_at);
	memset(longer, '"', 100000);
	check_refusal("PreToolUse", longer, deny_at);
}
END_TEST

/* Never one of the shapes that let a tool run. */
START_TEST(says_exactly_what_the_client_honours)
{
	struct reply r;

	reply_init(&r);
	dialect_refuse(&dialect_claude, "PreToolUse", "no", &r);
	ck_assert_str_eq(r.out.s, "{\"hookSpecificOutput\":{\"hookEventName\":"
	    "\"PreToolUse\",\"permissionDecision\":\"deny\","
	    "\"permissionDecisionReason\":\"no\"}}");
	str_reset(&r.out);
	dialect_refuse(&dialect_claude, "PreSkillShellCommand", "no", &r);
	ck_assert_ptr_nonnull(strstr(r.out.s, "\"hookEventName\":"
	    "\"PreSkillShellCommand\",\"permissionDecision\":\"deny\""));
	str_reset(&r.out);
	dialect_allow(&dialect_claude, "PreToolUse", &r);
	ck_assert_ptr_nonnull(strstr(r.out.s, "\"hookEventName\":"
	    "\"PreToolUse\",\"permissionDecision\":\"allow\""));
	str_reset(&r.out);
	dialect_allow(&dialect_claude, "PostToolUse", &r);
	ck_assert_str_eq(r.out.s, "");
	dialect_refuse(&dialect_claude, "ConfigChange", "no", &r);
	ck_assert_int_eq(r.status, 2);
	ck_assert_str_eq(r.out.s, "");
	ck_assert_str_eq(r.err.s, "no\n");
	reply_clear(&r);
	reply_init(&r);
	dialect_refuse(&dialect_claude, "SessionEnd", "no", &r);
	ck_assert_int_eq(r.status, 0);
	ck_assert_uint_eq(r.out.len + r.err.len, 0);
	reply_clear(&r);
}
END_TEST

UNIT_MAIN("hooks/dialect",
	tcase_add_test(tc, reads_a_call);
	tcase_add_test(tc, refuses_what_could_be_read_in_two_ways);
	tcase_add_test(tc, refuses_nul_and_depth);
	tcase_add_test(tc, refuses_unknown_events);
	tcase_add_test(tc, escapes_every_byte);
	tcase_add_test(tc, keeps_long_and_odd_text);
	tcase_add_test(tc, says_exactly_what_the_client_honours);
)
