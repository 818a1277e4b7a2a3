/* policy/parse_rules.c - the rules of policy.json and their examples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/names.h"
#include "policy/parse.h"
#include "policy/value.h"
#include "common/banned.h"

#define RULES_MAX	256

static int
take_id(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	struct rule *r = into;

	if (!cJSON_IsString(v) || v->valuestring[0] == '\0' ||
	    strlen(v->valuestring) >= sizeof(r->id) ||
	    v->valuestring[strspn(v->valuestring, set)] != '\0')
		return parse_bad(ps, at, "must be 1 to %zu of a-z 0-9 - _",
		    sizeof(r->id) - 1);
	memcpy(r->id, v->valuestring, strlen(v->valuestring) + 1);
	return 0;
}

static int
take_tier(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	int *slot = into;
	int t = cJSON_IsString(v) ? tier_parse(v->valuestring) : -1;

	if (t == -1)
		return parse_bad(ps, at, "must be one of \"critical\", "
		    "\"high\", \"medium\", \"low\"");
	*slot = t;
	return 0;
}

static int
take_effect(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	int *slot = into;
	int k = cJSON_IsString(v) ? effect_parse(v->valuestring) : -1;

	if (k == -1)
		return parse_bad(ps, at, "is no effect");
	*slot = k;
	return 0;
}

static int
take_args(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	struct rule_match *m = into;
	struct words w = { 0 };
	int r = parse_words(ps, at, v, &w);

	m->args = w.words;
	m->n_args = w.n;
	m->has_args = true;
	return r;
}

/* A glob; one without a leading slash is meant below the project. */
static int
take_path(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	auto_free char *text = NULL;
	char **slot = into;

	if (parse_text(ps, at, v, &text) == -1)
		return -1;
	*slot = text[0] == '/' ? xstrdup(text) :
	    xasprintf("%s/%s", ps->policy->place.root, text);
	value_from_glob(*slot);
	return 0;
}

static int
take_match(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const struct parse_key keys[] = {
		{ "tool", parse_text, offsetof(struct rule_match, tool) },
		{ "agent", parse_text, offsetof(struct rule_match, agent) },
		{ "program", parse_text,
		    offsetof(struct rule_match, program) },
		{ "args", take_args, 0 },
		{ "effect", take_effect,
		    offsetof(struct rule_match, effect) },
		{ "path", take_path, offsetof(struct rule_match, path) },
		{ "net", parse_text, offsetof(struct rule_match, net) },
		{ NULL, NULL, 0 }
	};
	struct rule_match *m = into;

	if (parse_object(ps, at, v, keys, m) == -1)
		return -1;
	if (cJSON_GetArraySize(v) == 0)
		return parse_bad(ps, at, "must not be empty: it would match "
		    "everything");
	if (m->has_args && m->program == NULL)
		return parse_bad(ps, at, "args need a program");
	return 0;
}

/* Run later, when the whole policy is there. */
static int
take_examples(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const char *const names[] = { "match", "not" };
	const cJSON *field, *item;

	(void)into;
	if (!cJSON_IsObject(v))
		return parse_bad(ps, at, "must be an object");
	cJSON_ArrayForEach(field, v) {
		if (!str_eq(field->string, names[0]) &&
		    !str_eq(field->string, names[1]))
			return parse_bad(ps, at, "unknown key '%.60s'",
			    field->string);
		if (!cJSON_IsArray(field))
			return parse_bad(ps, at, "'%s' must be a list of "
			    "commands", field->string);
		cJSON_ArrayForEach(item, field)
			if (!cJSON_IsString(item))
				return parse_bad(ps, at, "'%s' must be a list "
				    "of commands", field->string);
	}
	return 0;
}

static const struct parse_key rule_keys[] = {
	{ "id", take_id, 0 },
	{ "match", take_match, offsetof(struct rule, match) },
	{ "verdict", parse_action, offsetof(struct rule, action) },
	{ "tier", take_tier, offsetof(struct rule, tier) },
	{ "why", parse_text, offsetof(struct rule, why) },
	{ "examples", take_examples, 0 },
	{ NULL, NULL, 0 }
};

static int
take_rule(struct parse *ps, const char *at, const cJSON *v, struct rule *r)
{
	static const char *const needed[] = { "id", "match", "verdict" };
	const struct policy *p = ps->policy;

	r->tier = -1;
	r->match.effect = -1;
	if (parse_object(ps, at, v, rule_keys, r) == -1)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (json_get(v, needed[i]) == NULL)
			return parse_bad(ps, at, "the key '%s' is missing",
			    needed[i]);
	for (size_t i = 0; i + 1 < p->n_rules; i++)
		if (str_eq(p->rules[i].id, r->id))
			return parse_bad(ps, at, "the id '%s' is used twice",
			    r->id);
	return 0;
}

int
parse_rules(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	struct policy *p = ps->policy;
	const cJSON *item;
	int i = 0;

	(void)into;
	if (!cJSON_IsArray(v) || cJSON_GetArraySize(v) > RULES_MAX)
		return parse_bad(ps, at, "must be a list of at most %d rules",
		    RULES_MAX);
	p->rules = xcalloc((size_t)cJSON_GetArraySize(v) + 1,
	    sizeof(*p->rules));
	cJSON_ArrayForEach(item, v) {
		char sub[64];

		snprintf(sub, sizeof(sub), "%.40s/%d", at, i);
		p->n_rules++;
		if (take_rule(ps, sub, item, &p->rules[i++]) == -1)
			return -1;
	}
	return 0;
}

static bool
example_hits(const struct policy *p, const char *command, const char *id,
    struct judgement *j)
{
	auto_json cJSON *input = json_object();
	struct call c = { .tool = "Bash", .input = input,
	    .cwd = p->place.root };

	json_add_str(input, "command", command);
	policy_decide(p, &world_plain, &c, j);
	return str_eq(j->verdict.rule, id);
}

static int
run_examples(struct parse *ps, int i, const cJSON *rule, struct judgement *j)
{
	static const char *const names[] = { "not", "match" };
	const cJSON *examples = json_get(rule, "examples"), *item;
	const char *id = ps->policy->rules[i].id;
	char at[64];

	for (int want = 0; want < 2; want++) {
		int k = 0;

		cJSON_ArrayForEach(item, json_get(examples, names[want])) {
			snprintf(at, sizeof(at), "/rules/%d/examples/%s/%d",
			    i, names[want], k++);
			if (example_hits(ps->policy, item->valuestring, id, j)
			    == (want == 1))
				continue;
			return parse_bad(ps, at, "the rule '%s' %s \"%.80s\" "
			    "(decided by '%s')", id, want == 1 ?
			    "does not decide" : "decides", item->valuestring,
			    j->verdict.rule);
		}
	}
	return 0;
}

int
parse_run_examples(struct parse *ps, const cJSON *rules)
{
	struct judgement *j = NULL;
	const cJSON *item;
	int i = 0, r = 0;

	/* A hook reads the policy for every call; most have no example. */
	cJSON_ArrayForEach(item, rules) {
		if (r == 0 && json_get(item, "examples") != NULL) {
			if (j == NULL)
				j = judgement_new();
			r = run_examples(ps, i, item, j);
		}
		i++;
	}
	judgement_free(j);
	return r;
}
