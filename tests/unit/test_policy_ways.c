/*
 * Every way on that a refusal names is open.  The corpora bring out the texts;
 * one that has no row here fails, so that a new text needs its test.
 */
#include <stdio.h>

#include "common/mem.h"
#include "tests/unit/policy_unit.h"

struct way {
	const char	*text;		/* how `next` begins */
	/* What it tells the agent to do, and the gravest answer to that. */
	struct {
		const char	*tool, *field, *value;
		enum action	 at_least;
	} then[4];
	bool		 seen;
};

static struct way ways[] = {
	/* The human does it; what is said about looking is open. */
	{ "No retry can help. Leave this alone", {
	    { "Read", "file_path", "/p/.sandbox/out/1a-2b.txt", ACTION_ALLOW },
	    { "Bash", "command", "sandbox status", ACTION_ALLOW } }, false },
	{ "No retry can help. Write the file inside", {
	    { "Write", "file_path", "/p/hosts", ACTION_ALLOW },
	    { "Write", "file_path", "/p/new/dir/authorized", ACTION_ALLOW },
	    { "mcp__sandbox__request_path_access", "path", "/q/hosts",
		ACTION_ALLOW } }, false },
	{ "No retry can help. Tell the human", {{ 0 }}, false },
	/* Waiting is sandbox's own; the parts are judged below. */
	{ "A human decides. Wait for the answer, or split", {
	    { "Bash", "command", "sandbox pending", ACTION_ALLOW },
	    { "Bash", "command", "sandbox show 1a2b", ACTION_ALLOW } },
	    false },
};

static const struct way *
way_of(const char *next)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (str_starts(next, ways[i].text)) {
			ways[i].seen = true;
			return &ways[i];
		}
	return NULL;
}

static void
check_next(const struct bench *b, const char *about)
{
	const struct verdict *v = &b->j->verdict;

	if (v->action > ACTION_ESCALATE)
		ck_assert_msg(v->next[0] == '\0', "%s: %s", about, v->next);
	else
		ck_assert_msg(way_of(v->next) != NULL, "no row for '%s' (%s)",
		    v->next, about);
}

static void
corpus(struct bench *b)
{
	const char *src = getenv("SRC");
	auto_free char *path = xasprintf("%s/tests/policy/commands.jsonl",
	    src != NULL ? src : ".");
	auto_free char *line = NULL;
	size_t room = 0;
	FILE *f = fopen(path, "re");

	ck_assert_msg(f != NULL, "no %s", path);
	while (getline(&line, &room, f) > 0) {
		auto_json cJSON *o = cJSON_Parse(line);
		const char *command = json_str(o, "command");

		if (command == NULL)
			continue;
		bench_shell(b, command);
		check_next(b, command);
	}
	fclose(f);
}

START_TEST(every_way_on_is_open)
{
	struct bench b;

	bench_open(&b, "{\"version\":1,\"rules\":[{\"id\":\"no\",\"match\":"
	    "{\"program\":\"gh\"},\"verdict\":\"deny\"}]}");
	corpus(&b);
	bench_call(&b, "Write", "file_path", "/q/a");
	check_next(&b, "Write outside");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		ck_assert_msg(ways[i].seen, "nobody says '%s'", ways[i].text);
		for (size_t k = 0; ways[i].then[k].tool != NULL; k++)
			ck_assert_msg(bench_call(&b, ways[i].then[k].tool,
			    ways[i].then[k].field, ways[i].then[k].value) >=
			    ways[i].then[k].at_least, "'%s' suggests what is "
			    "%s: %s", ways[i].text,
			    action_name(b.j->verdict.action),
			    ways[i].then[k].value);
	}
	bench_close(&b);
}
END_TEST

/* "Split the command": the other parts then run at once. */
START_TEST(the_parts_of_a_question)
{
	static const char *const parts[][3] = {
		{ "git status && git push", "git status", "git push" },
		{ "mkdir -p a; cp b /srv/x", "mkdir -p a", "cp b /srv/x" },
		{ "ls | tee /srv/list", "ls", "tee /srv/list" },
		{ "cat a; rm -r src; ls", "cat a; ls", "rm -r src" },
		{ "grep x a > /srv/y", "grep x a", "cp z /srv/y" },
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		ck_action(&b, parts[i][0], ACTION_ESCALATE);
		ck_assert_msg(bench_shell(&b, parts[i][1]) >= ACTION_OBSERVE,
		    "asked: %s", parts[i][1]);
		ck_action(&b, parts[i][2], ACTION_ESCALATE);
	}
	bench_close(&b);
}
END_TEST

/* What the hooks' own texts name: docs and answers, doctor, the same call. */
START_TEST(what_hooks_point_at)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_action(&b, "sandbox doctor", ACTION_ALLOW);
	ck_action(&b, "cat .sandbox/out/0123-4.txt", ACTION_ALLOW);
	ck_action(&b, "tail -50 .sandbox/out/0123-4.txt", ACTION_ALLOW);
	ck_assert_int_eq(bench_call(&b, "Read", "file_path",
	    ".sandbox/out/0123-4.txt"), ACTION_ALLOW);
	/* These are for the human, and the texts say so. */
	ck_action(&b, "sandbox watch /p", ACTION_DENY);
	ck_action(&b, "sandbox init", ACTION_DENY);
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy: ways on",
    tcase_add_test(tc, every_way_on_is_open);
    tcase_add_test(tc, the_parts_of_a_question);
    tcase_add_test(tc, what_hooks_point_at);
)
