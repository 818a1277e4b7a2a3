/*
 * policy/decide.c - from facts to one verdict.
 *
 * Pure: what has to be asked of the file system goes through struct world, the
 * memory is the judgement's own.  The gravest of all facts decides; a fact the
 * rules do not speak about falls to its trigger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/decide.h"
#include "policy/explain.h"
#include "policy/facts.h"
#include "policy/hosts.h"
#include "policy/input.h"
#include "policy/match.h"
#include "policy/recall.h"
#include "common/banned.h"

#define ARENA_SIZE	((size_t)16 << 20)

struct judgement *
judgement_new(void)
{
	struct judgement *j = xcalloc(1, sizeof(*j));
	struct facts *f = xcalloc(1, sizeof(*f));

	f->arena = xcalloc(1, sizeof(*f->arena));
	f->list = xcalloc(JUDGEMENT_EFFECTS, sizeof(*f->list));
	f->host = xcalloc(1, HOST_MAX);
	f->recall = xcalloc(1, sizeof(*f->recall));
	arena_init(f->arena, ARENA_SIZE);
	j->facts = f;
	return j;
}

void
judgement_free(struct judgement *j)
{
	if (j == NULL)
		return;
	arena_clear(j->facts->arena);
	free(j->facts->arena);
	free(j->facts->list);
	free(j->facts->host);
	free(j->facts->recall);
	free(j->facts);
	free(j);
}

/* What a fact would be answered with, and which rule says so. */
struct answer {
	enum action		 action;
	enum tier		 tier;
	const char		*rule, *why;
};

static struct answer
answer_rule(const struct rule *r, enum tier tier)
{
	return (struct answer){ r->action,
	    r->tier == -1 ? tier : (enum tier)r->tier, r->id, r->why };
}

/* Contain without a jail is a question. */
static enum action
possible(const struct facts *f, enum action a)
{
	return a == ACTION_CONTAIN && !f->policy->contain ? ACTION_ESCALATE :
	    a;
}

/* What the trigger says; a question may have been answered before. */
static enum action
answer_trigger(const struct facts *f, const struct fact *fact)
{
	enum action a = possible(f, f->policy->trigger[fact->trigger]);

	return a == ACTION_ESCALATE ? recall_lift(f, fact) : a;
}

static struct answer
answer_fact(const struct facts *f, const struct fact *fact)
{
	const struct rule *r;

	if (fact->hard)
		return (struct answer){ ACTION_DENY, TIER_CRITICAL,
		    "self-protection", NULL };
	r = match_fact(f, fact);
	if (r != NULL)
		return answer_rule(r, fact->tier);
	return (struct answer){ answer_trigger(f, fact), fact->tier,
	    trigger_name(fact->trigger), NULL };
}

bool
decide_asks(const struct facts *f, const struct fact *fact)
{
	return !fact->hard && match_fact(f, fact) == NULL &&
	    possible(f, f->policy->trigger[fact->trigger]) == ACTION_ESCALATE;
}

static bool
graver(const struct answer *a, const struct verdict *v)
{
	return a->action < v->action ||
	    (a->action == v->action && a->tier < v->tier);
}

static void
take(const struct facts *f, const struct fact *fact, struct answer a,
    struct verdict *v)
{
	a.action = possible(f, a.action);
	if (!graver(&a, v))
		return;
	v->action = a.action;
	v->tier = a.tier;
	snprintf(v->rule, sizeof(v->rule), "%s", a.rule);
	explain_fact(f, fact, a.why, v);
}

/*
 * A secret, or something from elsewhere, and a way out in one call: each alone
 * may be fine, together they carry it away.
 */
static void
combine(const struct facts *f, struct verdict *v)
{
	bool secret = false, outside = false, out = false, unknown = false;

	for (size_t i = 0; i < f->n; i++) {
		enum effect_kind k = f->list[i].effect.kind;

		secret = secret || k == EFFECT_SECRET;
		outside = outside || (k == EFFECT_READ &&
		    f->list[i].trigger == TRIGGER_READ_OUTSIDE);
		out = out || k == EFFECT_NET;
		unknown = unknown || k == EFFECT_UNKNOWN;
	}
	if ((!secret || (!out && !unknown)) && (!outside || !out))
		return;
	if (v->action == ACTION_DENY)
		return;
	v->action = ACTION_ESCALATE;
	v->tier = TIER_CRITICAL;
	snprintf(v->rule, sizeof(v->rule), "exfiltration");
	explain_text("the call reads a secret or a file from outside the "
	    "project and has a way to send it out", v);
}

void
decide_weigh(const struct facts *f, struct verdict *v)
{
	*v = (struct verdict){ .action = ACTION_ALLOW, .tier = TIER_LOW,
	    .rule = "harmless", .why = "nothing it does needs a decision" };
	for (const struct command *c = f->commands; c != NULL; c = c->next) {
		const struct rule *r = match_command(f, c);
		struct fact whole = {
			.effect = { .kind = EFFECT_EXEC, .target = c->program,
			    .span_at = c->span.at, .span_len = c->span.len },
			.tier = TIER_LOW, .cmd = c
		};

		if (r != NULL)
			take(f, &whole, answer_rule(r, TIER_LOW), v);
	}
	for (size_t i = 0; i < f->n; i++)
		take(f, &f->list[i], answer_fact(f, &f->list[i]), v);
	combine(f, v);
	if (f->recall->n_used > 0 && v->action > ACTION_ESCALATE)
		recall_name(f->recall, v);
}

/* Whatever did not fit could have been anything. */
static void
add_cut(struct facts *f)
{
	if (f->n == JUDGEMENT_EFFECTS && !f->list[f->n - 1].hard)
		f->n--;
	facts_unknown(f, NULL, (struct span){ 0, 0 },
	    "it does more than can be judged at once");
}

void
policy_decide(const struct policy *p, const struct world *w,
    const struct call *c, struct judgement *j)
{
	struct facts *f = j->facts;

	arena_reset(f->arena);
	*f = (struct facts){ .arena = f->arena, .list = f->list,
	    .host = f->host, .recall = f->recall, .policy = p, .world = w,
	    .own = *c };
	f->call = &f->own;
	*f->recall = (struct recall){ .memory = p->memory };
	input_add(f);
	j->effects_cut = f->cut || f->arena->full;
	if (j->effects_cut)
		add_cut(f);
	decide_weigh(f, &j->verdict);
	for (j->n_effects = 0; j->n_effects < f->n; j->n_effects++)
		j->effects[j->n_effects] = f->list[j->n_effects].effect;
}
