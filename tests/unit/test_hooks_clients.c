/* What each client says, and what its dialect makes of it: tests/dialects. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "hooks/dialect.h"
#include "tests/unit/unit.h"

#define ROOT	"/root/of/it"

static const char *const clients[] = { "codex", "gemini", "opencode", "cursor",
	"windsurf", "copilot", "cline" };

static const char *const kinds[] = { "none", "before", "after", "start", "end",
	"prompt", "config" };

typedef void line_fn(const struct dialect *, const cJSON *line, int number);

static void
each_line(const char *client, line_fn *fn)
{
	const char *src = getenv("SRC");
	auto_free char *path = xasprintf("%s/tests/dialects/%s.jsonl",
	    src == NULL ? "." : src, client);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_str struct str text = { 0 };
	struct err e = { 0 };
	char *save = NULL;
	int n = 0;

	str_init(&text, 1 << 20);
	ck_assert_msg(fd != -1, "%s", path);
	ck_assert_int_eq(io_read_all(fd, 1 << 20, &text, &e), 0);
	for (char *l = strtok_r(text.s, "\n", &save); l != NULL;
	    l = strtok_r(NULL, "\n", &save)) {
		auto_json cJSON *v = NULL;

		n++;
		ck_assert_msg(json_parse(l, strlen(l), 32, &v, &e) == 0,
		    "%s:%d %s", client, n, e.text);
		fn(dialect_find(client), v, n);
	}
	ck_assert_int_gt(n, 0);
}

static void
check_text(const cJSON *want, const char *name, const char *got, int n)
{
	const char *text = json_str(want, name);

	if (text != NULL)
		ck_assert_msg(str_eq(got, text), "line %d: %s is '%s', not "
		    "'%s'", n, name, got, text);
}

static void
check_line(const struct dialect *d, const cJSON *line, int n)
{
	const cJSON *want = json_get(line, "want");
	const cJSON *input = json_get(want, "input");
	const char *refused = json_str(want, "refused");
	auto_hook_input struct hook_input in = { 0 };
	struct err e = { 0 };
	int rc = d->read(json_str(line, "event"), ROOT,
	    json_get(line, "input"), &in, &e);

	if (refused != NULL) {
		ck_assert_msg(rc == -1 && strstr(e.text, refused) != NULL,
		    "line %d of %s: %s", n, d->name, rc == -1 ? e.text :
		    "taken");
		return;
	}
	ck_assert_msg(rc == 0, "line %d of %s: %s", n, d->name, e.text);
	ck_assert_str_eq(in.call.client, d->name);
	ck_assert_ptr_nonnull(in.call.session);
	check_text(want, "kind", kinds[in.kind], n);
	check_text(want, "tool", in.call.tool, n);
	check_text(want, "cwd", in.call.cwd, n);
	check_text(want, "session", in.call.session, n);
	check_text(want, "id", in.tool_use_id, n);
	check_text(want, "reason", in.reason, n);
	check_text(want, "source", in.source, n);
	if (input != NULL)
		ck_assert_msg(cJSON_Compare(input, in.call.input, true),
		    "line %d: %s", n, cJSON_PrintUnformatted(in.call.input));
}

START_TEST(understands_its_client)
{
	each_line(clients[_i], check_line);
}
END_TEST

/* Remove one member anywhere; what remains is read or refused, never half. */
static void
without_each_member(const struct dialect *d, const cJSON *line, int n)
{
	const cJSON *input = json_get(line, "input"), *member;

	(void)n;
	cJSON_ArrayForEach(member, input) {
		auto_json cJSON *less = cJSON_Duplicate(input, true);
		auto_hook_input struct hook_input in = { 0 };
		struct err e = { 0 };

		cJSON_DeleteItemFromObjectCaseSensitive(less, member->string);
		if (d->read(json_str(line, "event"), NULL, less, &in, &e) == -1)
			ck_assert_int_ne(e.text[0], '\0');
		else
			ck_assert(in.call.cwd != NULL && in.call.cwd[0] == '/' &&
			    in.call.session != NULL);
	}
}

START_TEST(survives_what_is_missing)
{
	each_line(clients[_i], without_each_member);
}
END_TEST

/* --- answers --- */

static const struct {
	const char	*client, *event;
	int		 status;
	const char	*refuse, *allow, *quiet;
} words[] = {
	{ "codex", "PreToolUse", 0, "{\"hookSpecificOutput\":{\"hookEventName\":"
	  "\"PreToolUse\",\"permissionDecision\":\"deny\","
	  "\"permissionDecisionReason\":\"n\\no\"}}", "", "" },
	{ "codex", "UserPromptSubmit", 0,
	  "{\"decision\":\"block\",\"reason\":\"n\\no\"}", "", "" },
	{ "gemini", "BeforeTool", 0,
	  "{\"decision\":\"deny\",\"reason\":\"n\\no\"}",
	  "{\"decision\":\"allow\"}", "" },
	{ "gemini", "AfterTool", 0, "{\"systemMessage\":\"n\\no\"}", "", "" },
	{ "opencode", "tool.execute.before", 0,
	  "{\"decision\":\"deny\",\"reason\":\"n\\no\"}",
	  "{\"decision\":\"allow\"}", "{\"decision\":\"none\"}" },
	{ "cursor", "preToolUse", 0, "{\"permission\":\"deny\",\"user_message\":"
	  "\"sandbox did not let this call run\",\"agent_message\":"
	  "\"n\\no\"}", "{\"permission\":\"allow\"}", "{}" },
	{ "cursor", "beforeSubmitPrompt", 0,
	  "{\"continue\":false,\"user_message\":\"n\\no\"}",
	  "{\"continue\":true}", "{\"continue\":true}" },
	{ "windsurf", "pre_run_command", 2, "", "", "" },
	{ "windsurf", "pre_mcp_tool_use", 2, "", "", "" },
	{ "copilot", "preToolUse", 0, "{\"permissionDecision\":\"deny\","
	  "\"permissionDecisionReason\":\"n\\no\"}", "", "" },
	{ "cline", "PreToolUse", 0,
	  "{\"cancel\":true,\"errorMessage\":\"n\\no\"}",
	  "{\"cancel\":false}", "{\"cancel\":false}" },
	{ "claude", "ConfigChange", 2, "", "", "" },
	{ "codex", "Unheard", 2, "", "", "" },
};

START_TEST(says_exactly_what_its_client_honours)
{
	const struct dialect *d = dialect_find(words[_i].client);
	const char *event = words[_i].event;
	struct reply r;

	reply_init(&r);
	dialect_refuse(d, event, "n\no", &r);
	dialect_finish(d, event, &r);
	ck_assert_int_eq(r.status, words[_i].status);
	ck_assert_str_eq(r.out.s, words[_i].refuse);
	ck_assert_str_eq(r.err.s, words[_i].status == 2 ? "n\no\n" : "");
	reply_clear(&r);
	reply_init(&r);
	dialect_allow(d, event, &r);
	dialect_finish(d, event, &r);
	ck_assert_str_eq(r.out.s, words[_i].allow);
	reply_clear(&r);
	reply_init(&r);
	dialect_finish(d, event, &r);
	ck_assert_str_eq(r.out.s, words[_i].quiet);
	reply_clear(&r);
}
END_TEST

/* Every template of every client makes one JSON object, whatever the text. */
START_TEST(every_word_is_json)
{
	static const char *const texts[] = { "", "@", "\"}", "\\", "\n\x1b",
	    "\xff", "\xe2\x80\xae" };
	const struct dialect *d = dialect_find(_i == 7 ? "claude" :
	    clients[_i]);
	struct err e = { 0 };

	for (const struct dialect_event *ev = d->events; ev->name != NULL; ev++)
		for (size_t i = 0; i < ARRAY_LEN(texts) * 4; i++) {
			auto_json cJSON *v = NULL;
			const char *text = texts[i / 4];
			struct reply r;

			reply_init(&r);
			if (i % 4 == 0)
				dialect_refuse(d, ev->name, text, &r);
			else if (i % 4 == 1)
				dialect_allow(d, ev->name, &r);
			else if (i % 4 == 2)
				dialect_tell(d, ev->name, text, &r);
			dialect_finish(d, ev->name, &r);
			ck_assert_msg(r.out.len == 0 || json_parse(r.out.s,
			    r.out.len, 8, &v, &e) == 0, "%s %s: %s", d->name,
			    ev->name, r.out.s);
			/* A call is never refused without a word. */
			if (i % 4 == 0 && ev->kind == HOOK_BEFORE)
				ck_assert(r.out.len + r.err.len > 0);
			reply_clear(&r);
		}
}
END_TEST

UNIT_MAIN("hooks/clients",
	tcase_add_loop_test(tc, understands_its_client, 0,
	    (int)ARRAY_LEN(clients));
	tcase_add_loop_test(tc, survives_what_is_missing, 0,
	    (int)ARRAY_LEN(clients));
	tcase_add_loop_test(tc, says_exactly_what_its_client_honours, 0,
	    (int)ARRAY_LEN(words));
	tcase_add_loop_test(tc, every_word_is_json, 0, 8);
)
