/* Calls: their kind, subject, one line, key; hosts in URLs; bulk judging. */
#include <stdio.h>
#include <unistd.h>

#include "common/mem.h"
#include "policy/hosts.h"
#include "policy/judge.h"
#include "policy/tools.h"
#include "tests/unit/policy_unit.h"

static struct call
call_of(const char *tool, const char *json, cJSON **ret)
{
	ck_assert_int_eq(json_parse(json, strlen(json), JSON_DEPTH, ret,
	    NULL), 0);
	return (struct call){ .tool = tool, .input = *ret, .cwd = "/p" };
}

static void
subject_is(const char *tool, const char *json, const char *want)
{
	cJSON *tree = NULL;
	struct call c = call_of(tool, json, &tree);
	const char *got = call_subject(&c);

	if (want == NULL)
		ck_assert_msg(got == NULL, "%s %s: %s", tool, json, got);
	else
		ck_assert_str_eq(got, want);
	json_free(tree);
}

START_TEST(subjects)
{
	subject_is("Bash", "{\"command\":\"ls\"}", "ls");
	subject_is("Bash", "{\"command\":null}", NULL);
	subject_is("Bash", "{\"command\":5}", NULL);
	subject_is("Bash", "{}", NULL);
	subject_is("Write", "{\"file_path\":\"/a\"}", "/a");
	subject_is("Write", "{\"file_path\":\"/a\",\"path\":\"/b\"}", NULL);
	subject_is("shell", "{\"command\":[\"bash\",\"-lc\",\"ls\"]}", "ls");
	subject_is("shell", "{\"command\":[\"bash\",\"-x\",\"ls\"]}", NULL);
	subject_is("shell", "{\"command\":[\"ksh\",\"-c\",\"ls\"]}", NULL);
	subject_is("shell", "{\"command\":[\"bash\",\"-c\",1]}", NULL);
	subject_is("shell", "{\"command\":[\"rm\",\"-rf\"]}", NULL);
	subject_is("Write", "{\"file_path\":[\"a\",\"b\",\"c\"]}", NULL);
	subject_is("exec_command", "{\"cmd\":\"ls\"}", "ls");
	subject_is("WebFetch", "{\"url\":\"https://x\"}", "https://x");
	subject_is("TodoWrite", "{\"todos\":[]}", NULL);
	subject_is("NoSuchTool", "{\"command\":\"ls\"}", NULL);
}
END_TEST

START_TEST(kinds)
{
	static const struct {
		const char	*tool;
		enum call_kind	 kind;
	} want[] = {
		{ "Bash", CALL_SHELL }, { "bash", CALL_SHELL },
		{ "BASH", CALL_UNKNOWN }, { "Write", CALL_WRITE },
		{ "MultiEdit", CALL_EDIT }, { "NotebookEdit", CALL_NOTEBOOK },
		{ "Read", CALL_READ }, { "Grep", CALL_SEARCH },
		{ "WebFetch", CALL_FETCH }, { "WebSearch", CALL_WEBSEARCH },
		{ "Task", CALL_DELEGATE }, { "TodoWrite", CALL_HARMLESS },
		{ "mcp__a__b", CALL_MCP }, { "mcp_a", CALL_UNKNOWN },
		{ "", CALL_UNKNOWN }, { "run_shell_command", CALL_SHELL },
		{ "write_stdin", CALL_UNKNOWN }, { "PowerShell", CALL_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct call c = { .tool = want[i].tool };

		ck_assert_int_eq(call_kind(&c), want[i].kind);
	}
	ck_assert(tool_listed("a bc d", "bc"));
	ck_assert(!tool_listed("a bc d", "b"));
	ck_assert(!tool_listed("abc", "c"));
}
END_TEST

START_TEST(summaries)
{
	struct str s;
	cJSON *tree = NULL;
	struct call c = call_of("Write",
	    "{\"file_path\":\"/etc/hosts\",\"content\":\"0123456789ab\"}",
	    &tree);
	char big[600];

	str_init(&s, 1000);
	call_summary(&c, &s);
	ck_assert_str_eq(s.s, "Write /etc/hosts (12 bytes)");
	str_reset(&s);
	c = (struct call){ .tool = "mcp__x__y", .input = tree };
	call_summary(&c, &s);
	ck_assert_str_eq(s.s, "mcp__x__y");
	json_free(tree);
	/* cut at a character: 67 * 3 bytes would be 201 */
	memset(big, 0, sizeof(big));
	for (size_t i = 0; i < 100; i++)
		memcpy(big + 3 * i, "\xe5\xae\x8c", 3);
	tree = json_object();
	json_add_str(tree, "command", big);
	c = (struct call){ .tool = "Bash", .input = tree };
	str_reset(&s);
	call_summary(&c, &s);
	ck_assert_uint_eq(s.len, 198);
	json_free(tree);
	str_clear(&s);
}
END_TEST

static void
key_hex(const char *tool, const char *json, char *ret)
{
	cJSON *tree = NULL;
	struct call c = call_of(tool, json, &tree);
	struct digest d;

	c.client = "claude";
	c.session = "s";
	call_key(&c, &d);
	digest_hex(&d, ret);
	json_free(tree);
}

START_TEST(keys_have_their_bytes)
{
	/* docs/POLICY.md: name NUL length NUL bytes, fixed ones first */
	static const char bytes[] = "client\0" "6\0" "claude" "session\0"
	    "1\0" "s" "agent_id\0" "0\0" "tool\0" "4\0" "Bash" "command\0"
	    "2\0" "ls";
	char a[DIGEST_HEX + 1], b[DIGEST_HEX + 1];
	struct digest d;

	ck_assert_int_eq(digest_setup(NULL), 0);
	digest_of(bytes, sizeof(bytes) - 1, "sandbox-call-v1", &d);
	digest_hex(&d, a);
	key_hex("Bash", "{\"command\":\"ls\",\"description\":\"x\"}", b);
	ck_assert_str_eq(a, b);
	key_hex("Bash", "{\"timeout\":5,\"command\":\"ls\"}", b);
	ck_assert_str_eq(a, b);
	key_hex("Bash", "{\"command\":\"ls \"}", b);
	ck_assert_str_ne(a, b);
	/* an unknown tool: every field, in any order */
	key_hex("x", "{\"b\":1,\"a\":\"z\"}", a);
	key_hex("x", "{\"a\":\"z\",\"b\":1}", b);
	ck_assert_str_eq(a, b);
	key_hex("x", "{\"a\":\"z\",\"b\":2}", b);
	ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(hook_input_is_strict)
{
	static const char *const bad[] = {
		"null", "[]", "{}", "{\"tool_name\":\"Bash\"}",
		"{\"tool_name\":\"\",\"tool_input\":{},\"cwd\":\"/\"}",
		"{\"tool_name\":1,\"tool_input\":{},\"cwd\":\"/\"}",
		"{\"tool_name\":\"X\",\"tool_input\":[],\"cwd\":\"/\"}",
		"{\"tool_name\":\"X\",\"tool_input\":{}}",
		"{\"tool_name\":\"X\",\"tool_input\":{},\"cwd\":\"a\"}",
		"{\"cwd\":\"/\",\"tool_name\":\"Bash\",\"tool_input\":{}}",
		"{\"Tool_Name\":\"X\",\"tool_input\":{},\"cwd\":\"/\"}",
		"{\"cwd\":\"/\",\"tool_name\":\"shell\",\"tool_input\":"
		    "{\"command\":[]}}",
		"{\"cwd\":\"/\",\"tool_name\":\"shell\",\"tool_input\":"
		    "{\"command\":[\"ls\",1]}}",
	};
	const char *words = "{\"cwd\":\"/\",\"tool_name\":\"shell\","
	    "\"tool_input\":{\"command\":[\"ls\",\"-l\"]}}";
	const char *good = "{\"tool_name\":\"Bash\",\"tool_input\":"
	    "{\"command\":\"ls\"},\"cwd\":\"/p\",\"session_id\":\"s\"}";
	struct call c = { 0 };
	cJSON *tree = NULL;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_int_eq(json_parse(bad[i], strlen(bad[i]), 8, &tree,
		    NULL), 0);
		ck_assert_msg(call_from_hook(tree, &c, NULL) == -1, "%s",
		    bad[i]);
		json_free(tree);
	}
	ck_assert_int_eq(json_parse(good, strlen(good), 8, &tree, NULL), 0);
	ck_assert_int_eq(call_from_hook(tree, &c, NULL), 0);
	ck_assert_str_eq(c.session, "s");
	ck_assert_ptr_null(c.client);
	json_free(tree);
	ck_assert_int_eq(json_parse(words, strlen(words), 8, &tree, NULL), 0);
	ck_assert_int_eq(call_from_hook(tree, &c, NULL), 0);
	json_free(tree);
}
END_TEST

START_TEST(hosts_are_strict)
{
	static const char *const bad[] = {
		"javascript:alert(1)", "ftp://a.example/", "file:///etc",
		"http://127.0.0.2/", "http://2130706433/", "http://0x7f.1/",
		"http://[::1", "http://[::1]x/", "https://xn--a.example/", "https://a.example./",
		"https://a@b.example/", "https://a.example:443@b.example",
		"https://a.example%2eb/", "https://a.example\\b", "https:///x",
		"https://-a.example", "https://a..example", "https://a.example:x",
		"https://a.example:123456", "https://\xd1\x96.example", "http://",
		"https://a b.example", "https://a.example\t", "a.example",
	};
	static const char *const good[] = {
		"https://a.example", "HTTP://A.Example:443/x?y#z",
		"https://a.example?u=b", "https://a.example#b.example",
	};
	char host[HOST_MAX];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ck_assert_msg(!host_of_url(bad[i], host), "%s", bad[i]);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		ck_assert_msg(host_of_url(good[i], host), "%s", good[i]);
		ck_assert_str_eq(host, "a.example");
	}
	/* this machine, in its usual spelling: a policy may name it */
	ck_assert(host_of_url("http://127.0.0.1:8080/x", host));
	ck_assert_str_eq(host, "127.0.0.1");
	ck_assert(host_of_url("http://[::1]:80/", host));
	ck_assert_str_eq(host, "[::1]");
	ck_assert(host_of_operand("localhost:3000/x", host));
	ck_assert_str_eq(host, "localhost");
	ck_assert(!host_of_operand("ftp://localhost/", host));
	ck_assert(!host_of_operand("u@localhost", host));
	ck_assert(host_matches("*.a.example", "x.a.example"));
	ck_assert(!host_matches("*.a.example", "a.example"));
	ck_assert(!host_matches("*.a.example", "xa.example"));
	ck_assert(host_matches("a.example", "A.example"));
}
END_TEST

static const char *
judged(struct judge *j, const char *line, struct str *out)
{
	str_reset(out);
	judge_line(j, line, strlen(line), out);
	return out->s;
}

START_TEST(lines_are_judged)
{
	struct judge_args args = { .root = "/usr", .home = "/var" };
	struct judge *j = NULL;
	struct str out;
	struct err e = { 0 };

	ck_assert_int_eq(digest_setup(NULL), 0);
	str_init(&out, 1 << 16);
	ck_assert_int_eq(judge_open(&args, &j, NULL), 0);
#define SAYS(line, want) ck_assert_ptr_nonnull(strstr(judged(j, line, &out), want))
	SAYS("{\"id\":7,\"command\":\"ls\",\"cwd\":\"/usr\"}",
	    "{\"id\":7,\"decision\":\"allow\"");
	SAYS("{\"id\":\"x\",\"command\":\"rm -rf x\",\"cwd\":\"/usr\"}",
	    "{\"id\":\"x\",\"decision\":\"escalate\"");
	SAYS("{\"id\":1,\"tool\":\"Read\",\"input\":{\"file_path\":\"/usr/x\"}"
	    ",\"cwd\":\"/usr\"}", "\"allow\"");
	SAYS("{\"id\":1,\"tool\":\"Read\",\"cwd\":\"/usr\"}", "\"deny\"");
	SAYS("{\"id\":1,\"command\":\"ls\"}", "\"deny\"");
	SAYS("{\"id\":1,\"command\":\"ls\",\"cwd\":\"x\"}", "\"deny\"");
	SAYS("{\"id\":1,\"command\":\"ls\\u0000\",\"cwd\":\"/usr\"}",
	    "{\"id\":1,\"decision\":\"deny\"");
	SAYS("hello", "{\"id\":null,\"decision\":\"deny\"");
	SAYS("{\"id\":1,\"raw_b64\":\"%%\"}", "\"deny\"");
	SAYS("{\"id\":1,\"raw_b64\":\"\"}", "\"deny\"");
	SAYS("{\"id\":1,\"raw_b64\":\"eyJjd2QiOiIvdXNyIiwidG9vbF9uYW1lIjoiQmF"
	    "zaCIsInRvb2xfaW5wdXQiOnsiY29tbWFuZCI6ImxzIn19\"}", "\"allow\"");
	judge_close(j);
	args.root = "/no/such/place";
	ck_assert_int_eq(judge_open(&args, &j, &e), -1);
	args.root = "/usr";
	args.text = "{}";
	args.len = 2;
	ck_assert_int_eq(judge_open(&args, &j, &e), -1);
	str_clear(&out);
}
END_TEST

UNIT_MAIN("policy calls",
    tcase_add_test(tc, subjects);
    tcase_add_test(tc, kinds);
    tcase_add_test(tc, summaries);
    tcase_add_test(tc, keys_have_their_bytes);
    tcase_add_test(tc, hook_input_is_strict);
    tcase_add_test(tc, hosts_are_strict);
    tcase_add_test(tc, lines_are_judged);
)
