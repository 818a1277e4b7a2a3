/* policy/facts.c - the bounded list of what was found. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/facts.h"
#include "common/banned.h"

/* The question an effect without a place raises, and how grave it is. */
static const struct {
	enum trigger	trigger;
	enum tier	tier;
} usual[] = {
	[EFFECT_UNKNOWN] = { TRIGGER_UNKNOWN_COMMAND, TIER_MEDIUM },
	[EFFECT_READ] = { TRIGGER_READ_OUTSIDE, TIER_LOW },
	[EFFECT_WRITE] = { TRIGGER_SHELL_OUTSIDE, TIER_HIGH },
	[EFFECT_DELETE] = { TRIGGER_SHELL_DELETE, TIER_HIGH },
	[EFFECT_NET] = { TRIGGER_NETWORK, TIER_MEDIUM },
	[EFFECT_EXEC] = { TRIGGER_SYSTEM, TIER_HIGH },
	[EFFECT_CODE] = { TRIGGER_PROJECT_CODE, TIER_MEDIUM },
	[EFFECT_PRIVILEGE] = { TRIGGER_SYSTEM, TIER_HIGH },
	[EFFECT_PERSIST] = { TRIGGER_PERSIST, TIER_HIGH },
	[EFFECT_SECRET] = { TRIGGER_SECRET_READ, TIER_HIGH },
	[EFFECT_PROCESS] = { TRIGGER_PROCESS, TIER_MEDIUM },
	[EFFECT_DEVICE] = { TRIGGER_SYSTEM, TIER_CRITICAL },
	[EFFECT_HISTORY] = { TRIGGER_GIT_HISTORY, TIER_HIGH },
	[EFFECT_CONNECTOR] = { TRIGGER_PERSIST, TIER_CRITICAL },
};

static bool
same(const struct fact *a, const struct fact *b)
{
	return a->effect.kind == b->effect.kind && a->trigger == b->trigger &&
	    a->hard == b->hard && a->cmd == b->cmd &&
	    a->effect.whole == b->effect.whole &&
	    str_eq(a->effect.named, b->effect.named) &&
	    strcmp(a->effect.target, b->effect.target) == 0;
}

void
facts_add(struct facts *f, const struct fact *new)
{
	/* A repetition comes right behind; older ones are not searched. */
	size_t from = f->n > 8 ? f->n - 8 : 0;

	for (size_t i = from; i < f->n; i++)
		if (same(&f->list[i], new))
			return;
	if (f->n == JUDGEMENT_EFFECTS) {
		f->cut = true;
		if (new->hard)
			f->list[f->n - 1] = *new;
		return;
	}
	f->list[f->n++] = *new;
}

void
facts_effect(struct facts *f, enum effect_kind kind, const char *target,
    const struct command *cmd, struct span span)
{
	struct fact new = {
		.effect = { .kind = kind, .certainty = CERTAIN_YES,
		    .target = target, .span_at = span.at,
		    .span_len = span.len },
		.trigger = usual[kind].trigger, .tier = usual[kind].tier,
		.hard = kind == EFFECT_CONNECTOR, .cmd = cmd
	};

	facts_add(f, &new);
}

void
facts_unknown(struct facts *f, const struct command *cmd, struct span span,
    const char *why)
{
	struct fact new = {
		.effect = { .kind = EFFECT_UNKNOWN, .target = "",
		    .span_at = span.at, .span_len = span.len },
		.trigger = TRIGGER_UNKNOWN_COMMAND, .tier = TIER_MEDIUM,
		.cmd = cmd, .why = why
	};

	facts_add(f, &new);
}
