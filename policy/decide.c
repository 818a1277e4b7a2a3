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
#include "policy/glob.h"
#include "policy/hosts.h"
#include "policy/line.h"
#include "policy/match.h"
#include "policy/paths.h"
#include "policy/recall.h"
#include "policy/value.h"
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

static void
add_file(struct facts *f, enum path_use use, const char *path)
{
	const struct cwds cwds = { { f->call->cwd }, 1, false };
	const struct site site = { &cwds, NULL, { 0, 0 } };

	if (path == NULL)
		facts_unknown(f, NULL, site.span, "it names no single path");
	else if (!value_constant(path))
		facts_unknown(f, NULL, site.span,
		    "the path holds control characters");
	else
		paths_add(f, use, path, &site);
}

static void
add_fetch(struct facts *f, const char *url)
{
	const struct span all = { 0, 0 };

	if (url == NULL || !host_of_url(url, f->host))
		facts_effect(f, EFFECT_NET, "an address that cannot be read",
		    NULL, all);
	else if (!host_allowed(f->policy, f->host))
		facts_effect(f, EFFECT_NET, f->host, NULL, all);
}

/* The tools of `sandbox mcp`: they judge for themselves. */
static bool
is_our_own(const char *tool)
{
	static const char *const own[] = { "run_privileged",
		"request_path_access", "fetch_url", "check_request",
		"sandbox_status" };

	if (!str_starts(tool, "mcp__sandbox__"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (str_eq(tool + strlen("mcp__sandbox__"), own[i]))
			return true;
	return false;
}

static void
add_unknown_tool(struct facts *f)
{
	struct fact new = {
		.effect = { .kind = EFFECT_UNKNOWN, .target = "" },
		.trigger = TRIGGER_UNKNOWN_TOOL, .tier = TIER_MEDIUM,
		.why = "nothing is known about what this tool does"
	};

	facts_add(f, &new);
}

static const char *const dir_names[] = { "path", "dir_path", "directory" };

/* The call's directories; false: none is named. */
static bool
add_dirs(struct facts *f, enum path_use use, const char **ret_last)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(dir_names); i++) {
		const cJSON *j = json_get(f->call->input, dir_names[i]);

		if (j == NULL || cJSON_IsNull(j))
			continue;
		any = true;
		if (cJSON_IsString(j))
			*ret_last = j->valuestring;
		add_file(f, use, cJSON_GetStringValue(j));
	}
	return any;
}

static void
add_list(struct facts *f)
{
	/* A pattern may name the place as well: Glob "../x**.c". */
	static const char *const patterns[] = { "pattern", "glob" };
	const char *dir, *text;

	add_dirs(f, PATH_LIST, &dir);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		if ((text = json_str(f->call->input, patterns[i])) != NULL &&
		    strchr(text, '/') != NULL)
			add_file(f, PATH_LIST, text);
}

/* It shows lines of everything below, as grep -r does. */
static void
add_search(struct facts *f)
{
	static const char *const globs[] = { "glob", "include",
		"include_pattern", "file_pattern" };
	const struct span all = { 0, 0 };
	const char *text, *dir = ".";
	const cJSON *field;

	if (!add_dirs(f, PATH_TREE, &dir))
		add_file(f, PATH_TREE, dir);
	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if ((text = json_str(f->call->input, globs[i])) != NULL &&
		    glob_secret(f->policy, dir, text))
			facts_effect(f, EFFECT_SECRET, text, NULL, all);
	cJSON_ArrayForEach(field, f->call->input)
		if (cJSON_IsArray(field) || cJSON_IsObject(field))
			facts_unknown(f, NULL, all, "it names files in a way "
			    "that is not known");
}

/* Some shells are told where to run; the event's directory is then not it. */
static void
add_shell(struct facts *f, const char *line)
{
	static const char *const names[] = { "workdir", "directory",
		"dir_path", "cwd" };
	const struct span all = { 0, 0 };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const cJSON *j = json_get(f->call->input, names[i]);
		const char *dir = cJSON_GetStringValue(j);

		if (j == NULL || cJSON_IsNull(j))
			continue;
		if (dir != NULL && value_constant(dir))
			dir = paths_join(f->arena, f->own.cwd, dir);
		if (dir == NULL || !value_constant(dir))
			facts_unknown(f, NULL, all, "it runs in a place that "
			    "is not known");
		else
			f->own.cwd = dir;
	}
	if (line == NULL)
		facts_unknown(f, NULL, all, "it names no single command line");
	else
		line_add(f, line);
}

static void
add_facts(struct facts *f)
{
	const char *about = call_subject(f->call);

	switch (call_kind(f->call)) {
	case CALL_SHELL:
		add_shell(f, about);
		break;
	case CALL_WRITE:
	case CALL_EDIT:
	case CALL_NOTEBOOK:
		/* Asked for by name, as a command that writes there would be. */
		add_file(f, str_eq(f->call->tool, "path_write") ?
		    PATH_WRITE : PATH_TOOL, about);
		break;
	case CALL_READ:
		add_file(f, PATH_READ, about);
		break;
	case CALL_LIST:
		add_list(f);
		break;
	case CALL_SEARCH:
		add_search(f);
		break;
	case CALL_FETCH:
		add_fetch(f, about);
		break;
	case CALL_WEBSEARCH:
		facts_effect(f, EFFECT_NET, "a web search", NULL,
		    (struct span){ 0, 0 });
		break;
	case CALL_DELEGATE:
	case CALL_HARMLESS:
		break;
	case CALL_MCP:
		if (!is_our_own(f->call->tool))
			add_unknown_tool(f);
		break;
	case CALL_UNKNOWN:
	default:
		add_unknown_tool(f);
	}
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
	add_facts(f);
	j->effects_cut = f->cut || f->arena->full;
	if (j->effects_cut)
		add_cut(f);
	decide_weigh(f, &j->verdict);
	for (j->n_effects = 0; j->n_effects < f->n; j->n_effects++)
		j->effects[j->n_effects] = f->list[j->n_effects].effect;
}
