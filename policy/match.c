/* policy/match.c - rules look at structure, never at the text of a line. */
#include <string.h>

#include "common/str.h"
#include "policy/hosts.h"
#include "policy/match.h"
#include "policy/value.h"
#include "common/banned.h"

static bool
args_match(const struct rule_match *m, const struct command *c)
{
	for (size_t i = 0; i < m->n_args; i++) {
		if (str_eq(m->args[i], "...") && i == m->n_args - 1) {
			for (; i < c->n_args; i++)
				if (c->args[i] == NULL)
					return false;
			return true;
		}
		if (i >= c->n_args || c->args[i] == NULL)
			return false;
		if (!str_eq(m->args[i], "*") &&
		    !str_eq(m->args[i], c->args[i]))
			return false;
	}
	return c->n_args == m->n_args;
}

static bool
call_matches(const struct rule_match *m, const struct call *call)
{
	return (m->tool == NULL || str_eq(m->tool, call->tool)) &&
	    (m->agent == NULL || str_eq(m->agent, call->client));
}

static bool
command_matches(const struct rule_match *m, const struct command *c)
{
	if (m->program == NULL && !m->has_args)
		return true;
	return c != NULL && str_eq(m->program, c->program) &&
	    (!m->has_args || args_match(m, c));
}

static bool
effect_matches(const struct rule_match *m, const struct effect *e)
{
	if (m->effect != -1 && m->effect != (int)e->kind)
		return false;
	if (m->path != NULL && (e->target[0] != '/' ||
	    e->certainty != CERTAIN_YES || !value_meets(m->path, e->target)))
		return false;
	return m->net == NULL || (e->kind == EFFECT_NET &&
	    host_matches(m->net, e->target));
}

const char *
match_miss(const struct facts *f, const struct rule_match *m,
    const struct fact *fact)
{
	struct rule_match bare = { .program = m->program, .effect = -1 };

	if (!call_matches(m, f->call))
		return "another tool or agent";
	if (!command_matches(&bare, fact->cmd))
		return "another program";
	if (!command_matches(m, fact->cmd))
		return "other words";
	return effect_matches(m, &fact->effect) ? NULL : "another effect";
}

const struct rule *
match_fact(const struct facts *f, const struct fact *fact)
{
	const struct policy *p = f->policy;

	for (size_t i = p->n_rules; i-- > 0;) {
		if (match_miss(f, &p->rules[i].match, fact) == NULL)
			return &p->rules[i];
	}
	return NULL;
}

const struct rule *
match_command(const struct facts *f, const struct command *c)
{
	const struct policy *p = f->policy;

	for (size_t i = p->n_rules; i-- > 0;) {
		const struct rule_match *m = &p->rules[i].match;

		if (m->program != NULL && m->effect == -1 &&
		    m->path == NULL && m->net == NULL &&
		    call_matches(m, f->call) && command_matches(m, c))
			return &p->rules[i];
	}
	return NULL;
}
