/* cmd/try.c - what another policy would have said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "cmd/try.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define LINE_KEPT	1024	/* of a command, in the log */

struct past {
	char	*tool, *line, *decision;
};

struct calls {
	struct past	*ring;
	size_t		 max, n;	/* n counts all */
};

static void
past_clear(struct past *p)
{
	free(p->tool);
	free(p->line);
	free(p->decision);
	*p = (struct past){ 0 };
}

/* One record per call: what was allowed at once, or decided. */
static bool
is_decision(const cJSON *record)
{
	static const char *const kinds[] = {
		"allow", "observe", "contain", "guardrail.decision"
	};
	const char *kind = json_str(record, "kind");
	const char *decision = json_str(record, "decision");

	if (kind == NULL || decision == NULL ||
	    json_str(record, "tool") == NULL ||
	    json_str(record, "summary") == NULL)
		return false;
	/* An approved question is told twice; its decision comes first. */
	if (str_eq(kind, "allow") && str_eq(decision, "escalate"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eq(kind, kinds[i]))
			return true;
	return false;
}

static int
keep(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct calls *c = arg;
	const struct call call = { .tool = json_str(record, "tool") };
	struct past *slot;

	(void)line;
	(void)len;
	if (!is_decision(record) || call_kind(&call) != CALL_SHELL)
		return 0;
	slot = &c->ring[c->n++ % c->max];
	past_clear(slot);
	slot->tool = xstrdup(call.tool);
	slot->line = xstrdup(json_str(record, "summary"));
	slot->decision = xstrdup(json_str(record, "decision"));
	return 0;
}

struct counts {
	size_t	all, other, cut, asked_before, asked_after;
};

static bool
asks(const char *decision)
{
	return str_eq(decision, "escalate") || str_eq(decision, "deny");
}

static void
judge_past(const struct policy *p, const char *cwd, const struct past *past,
    struct judgement *j, struct counts *n)
{
	auto_json cJSON *input = json_object();
	struct call call = { .client = "claude", .tool = "Bash",
	    .input = input, .cwd = cwd };
	auto_free char *shown = visible_line(past->line);
	const char *now;

	if (strlen(past->line) >= LINE_KEPT) {
		n->cut++;
		return;
	}
	json_add_str(input, "command", past->line);
	policy_decide(p, &world_real, &call, j);
	now = action_name(j->verdict.action);
	n->all++;
	n->asked_before += asks(past->decision);
	n->asked_after += asks(now);
	if (str_eq(now, past->decision))
		return;
	n->other++;
	printf("%-8s -> %-8s  %s  (%s)\n", past->decision, now, shown,
	    j->verdict.rule);
}

int
try_policy(const struct home *home, const struct policy_place *place,
    const struct try_policy *what, struct err *e)
{
	struct calls calls = { .max = (size_t)what->count,
	    .ring = xcalloc((size_t)what->count, sizeof(*calls.ring)) };
	struct policy *p = NULL;
	struct judgement *j = judgement_new();
	struct counts n = { 0 };
	size_t kept;
	int rc = policy_parse(what->text->s, what->text->len, what->name,
	    place, &p, e);

	if (rc == 0)
		rc = audit_walk(home->priv, keep, &calls, e);
	kept = calls.n < calls.max ? calls.n : calls.max;
	for (size_t i = calls.n - kept; rc == 0 && i < calls.n; i++)
		judge_past(p, home->root_path, &calls.ring[i % calls.max], j,
		    &n);
	if (rc == 0)
		printf("%zu calls, %zu otherwise; asked or denied: %zu, with "
		    "this policy %zu; %zu too long to tell\n", n.all, n.other,
		    n.asked_before, n.asked_after, n.cut);
	for (size_t i = 0; i < calls.max; i++)
		past_clear(&calls.ring[i]);
	free(calls.ring);
	judgement_free(j);
	policy_free(p);
	return rc == -1 ? -1 : n.other > 0 ? ERR_NEGATIVE : 0;
}
