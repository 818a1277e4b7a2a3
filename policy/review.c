/* policy/review.c - which rules were tried, and which never can be. */
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "policy/facts.h"
#include "policy/match.h"
#include "policy/review.h"
#include "common/banned.h"

static const struct fact *
fact_of(const struct judgement *j, size_t i)
{
	return &j->facts->list[i];
}

void
review_tried(const struct policy *p, const struct judgement *j,
    struct str *ret)
{
	for (size_t i = 0; i < j->n_effects; i++) {
		const struct fact *fact = fact_of(j, i);
		bool found = false;

		str_addf(ret, "effect %zu, %s: ", i + 1,
		    effect_name(fact->effect.kind));
		if (fact->hard) {
			str_add(ret, "self-protection, no rule is asked: "
			    "deny\n");
			continue;
		}
		for (size_t k = p->n_rules; k-- > 0 && !found;) {
			const char *miss = match_miss(j->facts,
			    &p->rules[k].match, fact);

			found = miss == NULL;
			if (found)
				str_addf(ret, "rule '%s' matches: %s\n",
				    p->rules[k].id,
				    action_name(p->rules[k].action));
			else
				str_addf(ret, "rule '%s' not (%s), ",
				    p->rules[k].id, miss);
		}
		if (!found)
			str_addf(ret, "trigger %s: %s\n",
			    trigger_name(fact->trigger),
			    action_name(p->trigger[fact->trigger]));
	}
}

static bool
known(const struct command *c)
{
	for (size_t i = 0; i < c->n_args; i++)
		if (c->args[i] == NULL)
			return false;
	return strchr(c->program, '\001') == NULL;
}

/* The fact that decided: the gravest one a rule could answer. */
static const struct fact *
decider(const struct policy *p, const struct judgement *j)
{
	const struct fact *worst = NULL;

	for (size_t i = 0; i < j->n_effects; i++) {
		const struct fact *f = fact_of(j, i);

		if (f->hard)
			return NULL;
		if (worst == NULL || p->trigger[f->trigger] <
		    p->trigger[worst->trigger])
			worst = f;
	}
	return worst;
}

bool
review_rule(const struct policy *p, const struct judgement *j,
    struct str *ret)
{
	const struct fact *f = decider(p, j);
	auto_json cJSON *rule = NULL;
	cJSON *match, *args;

	if (f == NULL || f->cmd == NULL || !known(f->cmd) ||
	    strcmp(j->verdict.rule, "exfiltration") == 0 ||
	    j->verdict.action != ACTION_ESCALATE)
		return false;
	rule = json_object();
	match = json_object();
	args = json_array();
	json_add_str(rule, "id", "choose-a-name");
	json_add_str(match, "program", f->cmd->program);
	for (size_t i = 0; i < f->cmd->n_args; i++)
		json_push_str(args, f->cmd->args[i]);
	json_add(match, "args", args);
	json_add(rule, "match", match);
	json_add_str(rule, "verdict", "allow");
	json_print(rule, ret);
	return true;
}

static bool
same(const char *a, const char *b)
{
	return a == NULL || (b != NULL && strcmp(a, b) == 0);
}

/* Does `wide` match whatever `narrow` matches? */
static bool
covers(const struct rule_match *wide, const struct rule_match *narrow)
{
	if (!same(wide->tool, narrow->tool) ||
	    !same(wide->agent, narrow->agent) ||
	    !same(wide->program, narrow->program) ||
	    !same(wide->path, narrow->path) || !same(wide->net, narrow->net))
		return false;
	if (wide->effect != -1 && wide->effect != narrow->effect)
		return false;
	/* One about commands and one about their effects meet elsewhere. */
	if ((wide->effect == -1 && wide->path == NULL && wide->net == NULL) !=
	    (narrow->effect == -1 && narrow->path == NULL &&
	    narrow->net == NULL) && wide->program != NULL)
		return false;
	if (!wide->has_args)
		return true;
	if (!narrow->has_args || wide->n_args != narrow->n_args)
		return false;
	for (size_t i = 0; i < wide->n_args; i++)
		if (strcmp(wide->args[i], "*") != 0 &&
		    strcmp(wide->args[i], narrow->args[i]) != 0)
			return false;
	return true;
}

/* What two parts of one rule can never both hold; NULL: nothing. */
static const char *
contradiction(const struct rule_match *m)
{
	static const char *const shells[] = { "Bash", "shell", "exec_command",
	    "run_shell_command", "local_shell", "PowerShell" };
	bool shell = m->tool == NULL;

	for (size_t i = 0; i < ARRAY_LEN(shells); i++)
		shell = shell || strcmp(m->tool, shells[i]) == 0;
	if (m->program != NULL && !shell)
		return "a program is only seen in a shell's tool";
	if (m->net != NULL && m->effect != -1 && m->effect != EFFECT_NET)
		return "a host is only seen with the effect \"net\"";
	if (m->path != NULL && m->net != NULL)
		return "no effect has both a path and a host";
	if (m->path != NULL && (m->effect == EFFECT_NET ||
	    m->effect == EFFECT_PRIVILEGE || m->effect == EFFECT_UNKNOWN))
		return "that effect has no path";
	if (m->effect == EFFECT_CONNECTOR)
		return "self-protection asks no rule";
	return NULL;
}

size_t
review_rules(const struct policy *p, struct str *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct rule *r = &p->rules[i];
		const char *why = contradiction(&r->match);

		if (why != NULL) {
			str_addf(ret, "rule '%s' never matches: %s\n", r->id,
			    why);
			n++;
			continue;
		}
		for (size_t k = i + 1; k < p->n_rules; k++) {
			if (!covers(&p->rules[k].match, &r->match))
				continue;
			str_addf(ret, "rule '%s' never decides: '%s' behind "
			    "it matches all that it does\n", r->id,
			    p->rules[k].id);
			n++;
			break;
		}
	}
	return n;
}
