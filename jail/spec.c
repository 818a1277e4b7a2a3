#include "jail/spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/glob.h"
#include "jail/proxy/rules.h"

#include "common/banned.h"

#define ENTRIES_MAX	1000
#define TEXT_MAX	4095

struct reader {
	const char		*text;
	size_t			 len;
	const struct spec_place	*place;
	struct spec		*spec;
};

/* One key below its section; `take` reads its value. */
struct key {
	const char	*section;	/* "": the top */
	const char	*name;
	int		(*take)(const struct reader *, const struct key *,
			    const cJSON *, const char *at, struct err *);
	enum spec_list	 list;
};

/* "line 3, column 9: '/network/x' what". */
static int
wrong(const struct reader *r, const char *at, const char *what, struct err *e)
{
	auto_free char *shown = visible_line(at);
	unsigned line = 1, col = 1;

	json_locate(r->text, r->len, at, &line, &col);
	return err_set(e, ERR_FORMAT, "line %u, column %u: '%.120s' %s", line,
	    col, shown, what);
}

static int
take_list(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	struct list *to = &r->spec->list[k->list];
	const cJSON *item;
	size_t i = 0;

	if (!cJSON_IsArray(v))
		return wrong(r, at, "must be a list of strings", e);
	cJSON_ArrayForEach(item, v) {
		auto_free char *here = xasprintf("%s/%zu", at, i++);

		if (!cJSON_IsString(item) || *item->valuestring == '\0' ||
		    strlen(item->valuestring) > TEXT_MAX)
			return wrong(r, here, "must be a string that is not "
			    "empty", e);
		if (i > ENTRIES_MAX)
			return wrong(r, here, "is one entry too many", e);
		list_add(to, xstrdup(item->valuestring));
	}
	r->spec->given[k->list] = true;
	return 0;
}

/* A trailing two-star component means the directory as a whole. */
static void
strip_all_below(char *path)
{
	size_t n = strlen(path);

	while (n > 3 && strcmp(path + n - 3, "/**") == 0)
		path[n -= 3] = '\0';
}

/* What a shell reads in another way than we do: taken as it stands it would
 * deny nothing, and nobody would see. */
static const char *
text_fault(const char *text)
{
	if (text[0] == '$' || strstr(text, "${") != NULL)
		return "has a variable, and none is replaced here: write it "
		    "out (or './$x' for a file of that name)";
	if (text[0] == '~' && text[1] != '\0' && text[1] != '/')
		return "begins with somebody's home, and only '~' and '~/' are "
		    "known: write it out (or './~x')";
	for (const char *p = text; (p = strchr(p, '{')) != NULL; p++) {
		const char *end = strchr(p, '}');

		if (end != NULL && memchr(p, ',', (size_t)(end - p)) != NULL)
			return "has alternatives in braces, and there are "
			    "none here: write an entry for each";
	}
	return NULL;
}

/* What is wrong with using this text as a path, or NULL. */
static const char *
path_fault(const struct key *k, const char *text, const char *path)
{
	bool only_plain = k->list == SPEC_ALLOW_WRITE ||
	    k->list == SPEC_ALLOW_SOCKETS;

	if (text_fault(text) != NULL)
		return text_fault(text);
	if (!glob_is(text))
		return glob_is(path) ? "lies below a directory that has a "
		    "pattern's character in its name" : NULL;
	return only_plain && glob_is(path) ? "must be a plain path: patterns "
	    "can only deny, or allow reading" : NULL;
}

/* As a pattern: the directories around it mean themselves. */
static char *
pattern_of(const struct reader *r, const char *text)
{
	auto_free char *cwd = glob_quote(r->place->cwd);
	auto_free char *home = glob_quote(r->place->home);
	char *path = path_normal(text, cwd, home);

	strip_all_below(path);
	return path;
}

static char *
path_of(const struct reader *r, const char *text)
{
	auto_free char *path = path_normal(text, r->place->cwd,
	    r->place->home);
	auto_free char *pattern = NULL;

	if (!glob_is(text))
		return mem_steal(&path);
	strip_all_below(path);
	pattern = pattern_of(r, text);
	return glob_is(pattern) ? mem_steal(&pattern) : mem_steal(&path);
}

/* "[ab].key" is a file's name and may be a set: a denial means both. */
static void
add_set(const struct reader *r, const struct key *k, const char *text)
{
	bool denies = k->list == SPEC_DENY_READ || k->list == SPEC_DENY_WRITE;
	const char *open = strchr(text, '[');
	auto_free char *pattern = NULL;

	if (!denies || glob_is(text) || open == NULL ||
	    strchr(open, ']') == NULL)
		return;
	pattern = pattern_of(r, text);
	list_add(&r->spec->list[k->list], xasprintf("/%s", pattern));
}

static int
take_paths(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	struct list *l = &r->spec->list[k->list];
	size_t n;

	if (take_list(r, k, v, at, e) == -1)
		return -1;
	n = l->n;
	for (size_t i = 0; i < n; i++) {
		auto_free char *here = xasprintf("%s/%zu", at, i);
		auto_free char *whole = l->v[i];
		const char *text = whole, *fault;

		while (text[0] == '/' && text[1] == '/')
			text++;
		l->v[i] = path_of(r, text);
		fault = path_fault(k, text, l->v[i]);
		if (fault != NULL)
			return wrong(r, here, fault, e);
		add_set(r, k, text);
	}
	return 0;
}

/* Hosts as the proxy will read them. */
static int
take_domains(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	const struct list *l = &r->spec->list[k->list];

	if (take_list(r, k, v, at, e) == -1)
		return -1;
	for (size_t i = 0; i < l->n; i++) {
		auto_free char *here = xasprintf("%s/%zu", at, i);
		struct rule rule;
		struct err why;

		if (rule_parse(l->v[i], &rule, &why) == -1)
			return wrong(r, here, why.text, e);
		if (k->list == SPEC_DENY_ADDRESSES && rule.kind != RULE_NET)
			return wrong(r, here, "is no address or network", e);
	}
	return 0;
}

static int
take_env_vars(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	static const struct json_field fields[] = {
		{ "name", JSON_STRING, true, 256 },
		{ "mode", JSON_STRING, true, 16 },
	};
	const cJSON *item;
	struct err why;
	size_t i = 0;

	if (!cJSON_IsArray(v))
		return wrong(r, at, "must be a list of objects", e);
	cJSON_ArrayForEach(item, v) {
		auto_free char *here = xasprintf("%s/%zu", at, i++);

		if (json_check(item, fields, ARRAY_LEN(fields), true, &why) ==
		    -1)
			return wrong(r, here, why.text, e);
		if (!str_eq(json_str(item, "mode"), "deny"))
			return wrong(r, here, "has a mode that is not in this "
			    "version: only \"deny\" is", e);
		list_add(&r->spec->list[k->list],
		    xstrdup(json_str(item, "name")));
	}
	r->spec->given[k->list] = true;
	return 0;
}

static int
take_number(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	bool memory = strcmp(k->name, "memory") == 0;

	if (!cJSON_IsNumber(v) || v->valuedouble < (memory ? 0 : 1) ||
	    v->valuedouble > 9e15 ||
	    v->valuedouble != (double)(int64_t)v->valuedouble)
		return wrong(r, at, "must be a whole number, not negative", e);
	*(memory ? &r->spec->memory : &r->spec->processes) =
	    (int64_t)v->valuedouble;
	return 0;
}

static int
take_bool(const struct reader *r, const struct key *k, const cJSON *v,
    const char *at, struct err *e)
{
	if (!cJSON_IsBool(v))
		return wrong(r, at, "must be true or false", e);
	if (strcmp(k->name, "allowGitConfig") == 0)
		r->spec->git_config = cJSON_IsTrue(v);
	else if (strcmp(k->name, "transparentHttp") == 0)
		r->spec->plain_http = cJSON_IsTrue(v);
	else if (strcmp(k->name, "ask") == 0)
		r->spec->ask = cJSON_IsTrue(v);
	else if (strcmp(k->name, "allowNestedUserNamespaces") == 0)
		r->spec->nested = cJSON_IsTrue(v);
	/* allowLocalBinding: a jail's loopback is its own, binding is free. */
	return 0;
}

#define NONE	SPEC_LISTS
static const struct key keys[] = {
	{ "filesystem", "denyRead", take_paths, SPEC_DENY_READ },
	{ "filesystem", "allowRead", take_paths, SPEC_ALLOW_READ },
	{ "filesystem", "allowWrite", take_paths, SPEC_ALLOW_WRITE },
	{ "filesystem", "denyWrite", take_paths, SPEC_DENY_WRITE },
	{ "filesystem", "allowGitConfig", take_bool, NONE },
	{ "network", "allowUnixSockets", take_paths, SPEC_ALLOW_SOCKETS },
	{ "network", "allowedDomains", take_domains, SPEC_ALLOW_DOMAINS },
	{ "network", "deniedDomains", take_domains, SPEC_DENY_DOMAINS },
	{ "network", "deniedResolvedAddresses", take_domains,
	  SPEC_DENY_ADDRESSES },
	{ "network", "allowLocalBinding", take_bool, NONE },
	{ "network", "transparentHttp", take_bool, NONE },
	{ "network", "ask", take_bool, NONE },
	{ "credentials", "envVars", take_env_vars, SPEC_ENV_DENY },
	{ "environment", "pass", take_list, SPEC_ENV_PASS },
	{ "limits", "processes", take_number, NONE },
	{ "limits", "memory", take_number, NONE },
	{ "", "allowNestedUserNamespaces", take_bool, NONE },
};

static const struct key *
key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(keys[i].section, section) == 0 &&
		    strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

static bool
is_section(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (*name != '\0' && strcmp(keys[i].section, name) == 0)
			return true;
	return false;
}

/* A key as one part of a JSON pointer. */
static char *
pointer_to(const char *above, const char *key)
{
	struct str s;

	str_init(&s, strlen(above) + 2 * strlen(key) + 2);
	str_addf(&s, "%s/", above);
	for (; *key != '\0'; key++) {
		if (*key == '~' || *key == '/')
			str_add(&s, *key == '~' ? "~0" : "~1");
		else
			str_addc(&s, *key);
	}
	return str_take(&s);
}

static int
read_section(const struct reader *r, const char *section, const cJSON *obj,
    struct err *e)
{
	auto_free char *above = *section == '\0' ? xstrdup("") :
	    xasprintf("/%s", section);
	const cJSON *v;

	if (!cJSON_IsObject(obj))
		return wrong(r, above, "must be an object", e);
	cJSON_ArrayForEach(v, obj) {
		auto_free char *at = pointer_to(above, v->string);
		const struct key *k = key_find(section, v->string);
		int rc = 0;

		if (k != NULL)
			rc = k->take(r, k, v, at, e);
		else if (*section == '\0' && is_section(v->string))
			rc = read_section(r, v->string, v, e);
		else
			rc = wrong(r, at, "is an unknown key", e);
		if (rc == -1)
			return -1;
	}
	return 0;
}

void
spec_init(struct spec *s)
{
	*s = (struct spec){ .processes = SPEC_PROCESSES };
}

void
spec_clear(struct spec *s)
{
	for (size_t i = 0; i < SPEC_LISTS; i++)
		list_clear(&s->list[i]);
}

int
spec_parse(const char *text, size_t len, const struct spec_place *place,
    struct spec *ret, struct err *e)
{
	struct reader r = { .text = text, .len = len, .place = place,
	    .spec = ret };
	auto_json cJSON *root = NULL;

	if (json_parse_commented(text, len, JSON_DEPTH, &root, e) == -1)
		return -1;
	if (read_section(&r, "", root, e) == -1) {
		spec_clear(ret);
		spec_init(ret);
		return -1;
	}
	return 0;
}
