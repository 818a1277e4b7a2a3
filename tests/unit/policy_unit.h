/*
 * tests/unit/policy_unit.h - one policy, one judgement, many questions.
 *
 *	struct bench b;
 *	bench_open(&b, "{...}");	the project is /p, the home /home/u
 *	bench_shell(&b, "ls")		an action; b.j->verdict has the rest
 *	bench_close(&b);
 *	ck_lines(list, n, ACTION_DENY, ACTION_ESCALATE)
 */
#ifndef TESTS_POLICY_UNIT_H
#define TESTS_POLICY_UNIT_H

#include <string.h>

#include "common/digest.h"
#include "common/json.h"
#include "policy/policy.h"
#include "tests/unit/unit.h"

struct bench {
	struct policy_place	 place;
	struct policy		*policy;
	struct judgement	*j;
	const struct world	*world;
	const char		*cwd;
	cJSON			*input;		/* of the last call */
};

static inline void
bench_open(struct bench *b, const char *text)
{
	struct err e = { 0 };

	ck_assert_int_eq(digest_setup(&e), 0);
	*b = (struct bench){ .place = { .project = "t", .root = "/p",
	    .home = "/home/u", .state = "/home/u/.local/state/sandbox/k",
	    .libexec = "/usr/local/libexec/sandbox" },
	    .world = &world_plain, .cwd = "/p" };
	ck_assert_msg(policy_parse(text, strlen(text), "policy.json",
	    &b->place, &b->policy, &e) == 0, "%s", e.text);
	b->j = judgement_new();
}

static inline void
bench_close(struct bench *b)
{
	judgement_free(b->j);
	policy_free(b->policy);
	json_free(b->input);
}

static inline enum action
bench_call(struct bench *b, const char *tool, const char *field,
    const char *value)
{
	struct call c = { .tool = tool, .cwd = b->cwd };

	json_free(b->input);
	c.input = b->input = json_object();
	if (field != NULL)
		json_add_str(b->input, field, value);
	policy_decide(b->policy, b->world, &c, b->j);
	return b->j->verdict.action;
}

static inline enum action
bench_shell(struct bench *b, const char *command)
{
	return bench_call(b, "Bash", "command", command);
}

/* Every line of a list, in the default preset. */
static inline void
ck_lines(const char *const *list, size_t n, enum action least,
    enum action most)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < n; i++) {
		enum action a = bench_shell(&b, list[i]);

		ck_assert_msg(a >= least && a <= most, "'%s' is %s (%s: %s)",
		    list[i], action_name(a), b.j->verdict.rule,
		    b.j->verdict.why);
	}
	bench_close(&b);
}

#define ck_action(b, command, want)					\
	ck_assert_msg(bench_shell((b), (command)) == (want),		\
	    "'%s' is %s (%s: %s)", (command),				\
	    action_name((b)->j->verdict.action), (b)->j->verdict.rule,	\
	    (b)->j->verdict.why)

#endif
