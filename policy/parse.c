/* policy/parse.c - policy.json: strict, with line and column. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/names.h"
#include "policy/parse.h"
#include "policy/value.h"
#include "common/banned.h"

#define POLICY_MAX	(1 << 20)
#define WORDS_MAX	256
#define WORD_MAX	512

int
parse_bad(struct parse *ps, const char *at, const char *fmt, ...)
{
	unsigned line = 1, col = 1;
	char text[240];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_locate(ps->text, ps->len, at, &line, &col);
	return err_set(ps->err, ERR_FORMAT, "%s:%u:%u: %s", ps->name, line,
	    col, text);
}

int
parse_object(struct parse *ps, const char *at, const cJSON *obj,
    const struct parse_key *keys, void *into)
{
	const cJSON *field;

	if (!cJSON_IsObject(obj))
		return parse_bad(ps, at, "must be an object");
	cJSON_ArrayForEach(field, obj) {
		const struct parse_key *k = keys;
		char sub[160];

		if (strlen(field->string) > 60 ||
		    strpbrk(field->string, "/~") != NULL)
			return parse_bad(ps, at, "unknown key '%.60s'",
			    field->string);
		snprintf(sub, sizeof(sub), "%.96s/%s", at, field->string);
		while (k->name != NULL && !str_eq(k->name, field->string))
			k++;
		if (k->name == NULL)
			return parse_bad(ps, sub, "unknown key '%s'",
			    field->string);
		if (k->take(ps, sub, field, (char *)into + k->offset) == -1)
			return -1;
	}
	return 0;
}

int
parse_text(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	char **slot = into;

	if (!cJSON_IsString(v) || v->valuestring[0] == '\0' ||
	    strlen(v->valuestring) > WORD_MAX)
		return parse_bad(ps, at, "must be a text of 1 to %d bytes",
		    WORD_MAX);
	*slot = xstrdup(v->valuestring);
	return 0;
}

int
parse_words(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	struct words *w = into;
	const cJSON *item;

	if (!cJSON_IsArray(v) || cJSON_GetArraySize(v) > WORDS_MAX)
		return parse_bad(ps, at, "must be a list of at most %d texts",
		    WORDS_MAX);
	w->words = xcalloc((size_t)cJSON_GetArraySize(v) + 1,
	    sizeof(*w->words));
	cJSON_ArrayForEach(item, v) {
		if (parse_text(ps, at, item, &w->words[w->n]) == -1)
			return -1;
		w->n++;
	}
	return 0;
}

int
parse_action(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	enum action *slot = into;
	int a = cJSON_IsString(v) ? action_parse(v->valuestring) : -1;

	if (a == -1)
		return parse_bad(ps, at, "must be one of \"deny\", "
		    "\"escalate\", \"contain\", \"observe\", \"allow\"");
	*slot = (enum action)a;
	return 0;
}

/* Below the project unless absolute; "**" crosses directories. */
static int
parse_globs(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	struct words *w = into;

	if (parse_words(ps, at, v, w) == -1)
		return -1;
	for (size_t i = 0; i < w->n; i++) {
		char *old = w->words[i];

		w->words[i] = old[0] == '/' ? xstrdup(old) :
		    xasprintf("%s/%s", ps->policy->place.root, old);
		value_from_glob(w->words[i]);
		free(old);
	}
	return 0;
}

/* A word out of two; true for the second. */
static int
take_choice(struct parse *ps, const char *at, const cJSON *v,
    const char *const choice[2])
{
	for (int i = 0; i < 2; i++)
		if (cJSON_IsString(v) && str_eq(v->valuestring, choice[i]))
			return i;
	return parse_bad(ps, at, "must be \"%s\" or \"%s\"", choice[0],
	    choice[1]);
}

static int
take_version(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	(void)into;
	if (!cJSON_IsNumber(v) || v->valuedouble != 1)
		return parse_bad(ps, at, "must be 1");
	return 0;
}

static int
take_mode(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const char *const choice[2] = { "enforce", "observe" };
	int i = take_choice(ps, at, v, choice);

	(void)into;
	if (i == -1)
		return -1;
	ps->policy->mode = i == 1 ? MODE_OBSERVE : MODE_ENFORCE;
	return 0;
}

static int
take_contain(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const char *const choice[2] = { "off", "auto" };
	int i = take_choice(ps, at, v, choice);

	(void)into;
	if (i == -1)
		return -1;
	ps->policy->contain = i == 1 && ps->policy->place.jail;
	return 0;
}

/* Read before everything else, because all other keys change it. */
static int
take_preset(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	(void)into;
	if (!cJSON_IsString(v) || preset_find(v->valuestring) == NULL)
		return parse_bad(ps, at,
		    "must be \"strict\", \"default\" or \"relaxed\"");
	return 0;
}

static int
take_bool(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	bool *slot = into;

	if (!cJSON_IsBool(v))
		return parse_bad(ps, at, "must be true or false");
	*slot = cJSON_IsTrue(v);
	return 0;
}

static int
take_triggers(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	struct parse_key keys[TRIGGER_COUNT + 1] = { 0 };

	for (int i = 0; i < TRIGGER_COUNT; i++)
		keys[i] = (struct parse_key){ trigger_name((enum trigger)i),
		    parse_action, (size_t)i * sizeof(enum action) };
	return parse_object(ps, at, v, keys, into);
}

/* Whole hosts: what is fetched there runs, and nobody is asked. */
static int
parse_hosts(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	const struct words *w = into;

	if (parse_words(ps, at, v, into) == -1)
		return -1;
	for (size_t i = 0; i < w->n; i++)
		if (strchr(w->words[i], '*') != NULL)
			return parse_bad(ps, at, "a registry is one host; "
			    "\"%.80s\" is many", w->words[i]);
	return 0;
}

static int
take_network(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const struct parse_key keys[] = {
		{ "allow", parse_words, offsetof(struct policy, net_allow) },
		{ "deny", parse_words, offsetof(struct policy, net_deny) },
		{ "registries", parse_hosts,
		  offsetof(struct policy, net_registries) },
		{ NULL, NULL, 0 }
	};

	return parse_object(ps, at, v, keys, into);
}

static int
take_paths(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	static const struct parse_key keys[] = {
		{ "secret", parse_globs, offsetof(struct policy, secret) },
		{ "protect", parse_globs, offsetof(struct policy, protect) },
		{ NULL, NULL, 0 }
	};

	return parse_object(ps, at, v, keys, into);
}

static int
take_limit(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	const char *name = strrchr(at, '/') + 1;
	const struct limit *l = limits;
	int *slot = into;

	while (!str_eq(l->name, name))
		l++;
	if (!cJSON_IsNumber(v) || v->valuedouble < l->least ||
	    v->valuedouble > l->most ||
	    v->valuedouble != (double)(int)v->valuedouble)
		return parse_bad(ps, at,
		    "must be a whole number from %d to %d", l->least, l->most);
	*slot = (int)v->valuedouble;
	return 0;
}

static int
take_limits(struct parse *ps, const char *at, const cJSON *v, void *into)
{
	const struct policy_limits *l = into;
	struct parse_key keys[32] = { 0 };

	for (size_t i = 0; i < limits_count; i++)
		keys[i] = (struct parse_key){ limits[i].name, take_limit,
		    limits[i].offset };
	if (parse_object(ps, at, v, keys, into) == -1)
		return -1;
	if (l->wait_s >= l->request_ttl_s)
		return parse_bad(ps, at, "wait_s (%d) must be less than "
		    "request_ttl_s (%d)", l->wait_s, l->request_ttl_s);
	if (l->wait_alone_s > l->wait_s)
		return parse_bad(ps, at, "wait_alone_s (%d) must not be more "
		    "than wait_s (%d)", l->wait_alone_s, l->wait_s);
	return 0;
}

static const struct parse_key policy_keys[] = {
	{ "version", take_version, 0 },
	{ "mode", take_mode, 0 },
	{ "preset", take_preset, 0 },
	{ "auto_allow", take_bool, offsetof(struct policy, auto_allow) },
	{ "contain", take_contain, 0 },
	{ "triggers", take_triggers, offsetof(struct policy, trigger) },
	{ "rules", parse_rules, 0 },
	{ "network", take_network, 0 },
	{ "paths", take_paths, 0 },
	{ "limits", take_limits, offsetof(struct policy, limits) },
	{ NULL, NULL, 0 }
};

static int
policy_read(struct parse *ps, const cJSON *root)
{
	if (parse_object(ps, "", root, policy_keys, ps->policy) == -1)
		return -1;
	if (json_get(root, "version") == NULL)
		return parse_bad(ps, "", "the key 'version' is missing");
	digest_of(ps->text, ps->len, NULL, &ps->policy->digest);
	return parse_run_examples(ps, json_get(root, "rules"));
}

int
policy_parse(const char *text, size_t len, const char *name,
    const struct policy_place *place, struct policy **ret, struct err *e)
{
	struct parse ps = { text, len, name, NULL, e };
	const struct preset *preset;
	auto_json cJSON *root = NULL;
	const char *word;

	if (len > POLICY_MAX)
		return err_set(e, ERR_FORMAT, "%s: larger than %d bytes", name,
		    POLICY_MAX);
	if (json_parse_commented(text, len, JSON_DEPTH, &root, e) == -1)
		return err_add(e, "%s", name);
	word = cJSON_IsObject(root) ? json_str(root, "preset") : NULL;
	preset = word != NULL ? preset_find(word) : NULL;
	ps.policy = policy_new(place,
	    preset != NULL ? preset : preset_find("default"));
	/* Without a word about it, a jail that is there is used. */
	ps.policy->contain = place->jail;
	if (policy_read(&ps, root) == -1) {
		policy_free(ps.policy);
		return -1;
	}
	*ret = ps.policy;
	return 0;
}
