/* Every example in policy/commands/ holds, and every program has one. */
#include "policy/commands/table.h"
#include "tests/unit/policy_unit.h"

static bool
as_said(enum action got, const char *want)
{
	if (strcmp(want, "ask") == 0)
		return got == ACTION_ESCALATE;
	if (strcmp(want, "allow") == 0)
		return got == ACTION_ALLOW || got == ACTION_OBSERVE;
	return strcmp(action_name(got), want) == 0;
}

START_TEST(examples_hold)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (const char *p = commands_examples; *p != '\0';) {
		const char *verdict = p + strlen(p) + 1;
		const char *line = verdict + strlen(verdict) + 1;
		enum action got = bench_shell(&b, line);

		ck_assert_msg(as_said(got, verdict),
		    "%s: '%s' is %s, not %s (%s)", p, line,
		    action_name(got), verdict, b.j->verdict.why);
		p = line + strlen(line) + 1;
	}
	bench_close(&b);
}
END_TEST

/* The block a name belongs to is known by its options and roles. */
static bool
has_example(const struct cmd_program *p)
{
	for (const char *e = commands_examples; *e != '\0';) {
		const struct cmd_program *q = commands_find(e);

		ck_assert_ptr_nonnull(q);
		if (q == p || (q->options == p->options &&
		    q->does == p->does && q->special == p->special &&
		    q->style == p->style))
			return true;
		for (int i = 0; i < 3; i++)
			e += strlen(e) + 1;
	}
	return false;
}

START_TEST(every_program_has_one)
{
	for (size_t i = 0; i < commands_count; i++)
		ck_assert_msg(has_example(&commands_programs[i]),
		    "'%s' has no example", commands_name(&commands_programs[i]));
}
END_TEST

START_TEST(the_table_is_sorted)
{
	for (size_t i = 1; i < commands_count; i++)
		ck_assert_int_lt(strcmp(commands_name(&commands_programs[i - 1]),
		    commands_name(&commands_programs[i])), 0);
	ck_assert_ptr_nonnull(commands_find("git stash list"));
	ck_assert_ptr_null(commands_find("nothing of the kind"));
	ck_assert_ptr_null(commands_find(""));
}
END_TEST

/* A name in a directory of the project is not the program of that name. */
START_TEST(only_real_programs_have_tables)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_action(&b, "/usr/bin/ls -la", ACTION_ALLOW);
	ck_action(&b, "./ls", ACTION_ESCALATE);
	ck_action(&b, "bin/ls", ACTION_ESCALATE);
	ck_action(&b, "/tmp/ls", ACTION_ESCALATE);
	ck_action(&b, "/usr/bin/../../tmp/ls", ACTION_ESCALATE);
	ck_action(&b, "nosuchprogram", ACTION_ESCALATE);
	ck_action(&b, "'git status'", ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy/commands",
    tcase_add_test(tc, examples_hold);
    tcase_add_test(tc, every_program_has_one);
    tcase_add_test(tc, the_table_is_sorted);
    tcase_add_test(tc, only_real_programs_have_tables);
)
