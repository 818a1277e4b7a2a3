/* policy/roles.c - what a word means in its role. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/glob.h"
#include "policy/little.h"
#include "policy/places.h"
#include "policy/program.h"
#include "policy/protect.h"
#include "policy/tools.h"
#include "policy/value.h"
#include "common/banned.h"

/* What a role means for a path, or as an effect without one. */
static const struct {
	int	path;		/* enum path_use, -1: none */
	int	effect;		/* enum effect_kind, -1: none */
} meaning[] = {
	[ROLE_DATA] = { -1, -1 },
	[ROLE_LIST] = { PATH_LIST, -1 },
	[ROLE_READ] = { PATH_READ, -1 },
	[ROLE_TREE] = { PATH_TREE, -1 },
	[ROLE_KEEP] = { PATH_KEEP, -1 },
	[ROLE_STAGE] = { PATH_STAGE, -1 },
	[ROLE_ALIAS] = { PATH_ALIAS, -1 },
	[ROLE_WRITE] = { PATH_WRITE, -1 },
	[ROLE_DELETE] = { PATH_DELETE, -1 },
	[ROLE_WIPE] = { PATH_WIPE, -1 },
	[ROLE_ASK] = { -1, EFFECT_UNKNOWN },
	[ROLE_CODE] = { -1, EFFECT_CODE },
	[ROLE_EXEC] = { -1, EFFECT_EXEC },
	[ROLE_NET] = { -1, EFFECT_NET },
	[ROLE_SECRET] = { -1, EFFECT_SECRET },
	[ROLE_PRIVILEGE] = { -1, EFFECT_PRIVILEGE },
	[ROLE_PROCESS] = { -1, EFFECT_PROCESS },
	[ROLE_PERSIST] = { -1, EFFECT_PERSIST },
	[ROLE_HISTORY] = { -1, EFFECT_HISTORY },
	[ROLE_DEVICE] = { -1, EFFECT_DEVICE },
	[ROLE_SETS] = { -1, -1 },
	[ROLE_SCRIPT] = { -1, -1 },
	[ROLE_LATER] = { -1, -1 },
	[ROLE_SED] = { -1, -1 },
	[ROLE_AWK] = { -1, -1 },
	[ROLE_JQ] = { -1, -1 },
	[ROLE_INLINE] = { -1, EFFECT_EXEC },
	[ROLE_MODE] = { -1, -1 },
	[ROLE_SUFFIX] = { -1, -1 },
	[ROLE_CLOCK] = { -1, -1 },
	[ROLE_WORD] = { -1, -1 },
	[ROLE_LOCAL] = { -1, -1 },
	[ROLE_SWITCH] = { -1, -1 },
	[ROLE_BODY] = { -1, -1 },
	[ROLE_SENT] = { -1, -1 },
	[ROLE_NAMED] = { -1, -1 },
	[ROLE_COOKIE] = { -1, -1 },
	[ROLE_METHOD] = { -1, -1 },
	[ROLE_CARRY] = { -1, -1 },
	[ROLE_SQL] = { -1, -1 },
	[ROLE_REMOTE] = { -1, -1 },
	[ROLE_ENDPOINT] = { -1, -1 },
	[ROLE_REV] = { PATH_READ, -1 },
	[ROLE_GLOB] = { -1, -1 },
	[ROLE_COMMAND] = { -1, -1 },
};

#define MORE	"a small program that can do more than read"

/* Roles whose words are read: when they are harmless, what they are else. */
static const struct little {
	bool		(*safe)(const char *);
	const char	*why;
} little[ROLE_COMMAND + 1] = {
	[ROLE_SED] = { sed_safe, MORE },
	[ROLE_AWK] = { awk_safe, MORE },
	[ROLE_JQ] = { jq_safe, MORE },
	[ROLE_SQL] = { sql_safe, MORE },
	[ROLE_MODE] = { mode_safe, "a mode that may set an id" },
	[ROLE_SUFFIX] = { suffix_safe,
	    "a suffix that may make another file's name" },
};

/* Does it take NAME=VALUE?  For others that is a name, and none. */
static bool
declares(const struct run *r)
{
	return tool_listed("export readonly local declare typeset",
	    r->argv[0].val);
}

static bool
has_option(const struct run *r, const char *letters)
{
	for (size_t i = 1; i < r->argc && r->argv[i].val[0] == '-'; i++)
		if (strpbrk(r->argv[i].val, letters) != NULL)
			return true;
	return false;
}

/*
 * `declare b='($(id))'` runs it where b is an array, or becomes one.  bash has
 * some of its own; no other comes from the environment.
 */
static bool
list_code(struct run *r, const char *name, const char *value)
{
	bool list = has_option(r, "aA") ||
	    tool_listed("mapfile readarray", r->argv[0].val);

	r->w->f->lists = r->w->f->lists || list;
	if (!declares(r) || value_number(value))
		return false;
	if (value[0] == '(')
		return true;
	return !value_constant((const char[]){ value[0], '\0' }) &&
	    (r->w->f->lists || str_starts(name, "BASH_") || tool_listed(
	    "PIPESTATUS DIRSTACK COMP_WORDS", name));
}

/*
 * -a reads the value as a list, -A may fail, -g speaks about another variable;
 * `local` means nothing outside a function.
 */
static void
role_sets(struct run *r, const struct arg *a)
{
	size_t n = strcspn(a->val, "=");
	char *name = arena_text(r->w->f->arena, a->val, n);
	const char *what = r->argv[0].val;

	if (name == NULL || a->many || !shell_is_name(name, n) ||
	    (a->val[n] == '=' && !declares(r))) {
		run_unknown(r, "the name of a variable that may be code");
		return;
	}
	if (list_code(r, name, a->val[n] == '=' ? a->val + n + 1 : ""))
		run_unknown(r, "a list that may be code");
	if (state_grave(name)) {
		state_warn(r->w, name, a->span);
		return;
	}
	state_set(r->w, r->st, name, a->val[n] != '=' ||
	    has_option(r, "aAg") || (str_eq(what, "local") && !r->w->body) ?
	    "\001" : a->val + n + 1);
	if (declares(r) && (str_eq(what, "readonly") || has_option(r, "r")))
		state_fix(r->w, name);
}

/* A program in a language that is understood well enough to be harmless. */
static void
role_little(struct run *r, const struct arg *a, const struct little *l)
{
	if (protect_named(r->w->f->policy, a->val))
		run_effect(r, EFFECT_CONNECTOR, a->val);
	else if (a->many || !value_constant(a->val) || !l->safe(a->val))
		run_unknown(r, l->why);
	/* `yq f.yml` takes a name for a file, if there is one. */
	if (l->safe == jq_safe && str_ends(r->argv[0].val, "yq"))
		run_path(r, PATH_READ, a);
}

static void
role_glob(struct run *r, const struct arg *a)
{
	for (size_t i = 0; value_constant(a->val) && i < r->st->cwds.n; i++)
		if (glob_secret(r->w->f->policy, r->st->cwds.dir[i], a->val))
			run_effect(r, EFFECT_SECRET, a->val);
}

/*
 * REV:PATH shows the path's content as well, and so do -L FROM,TO:PATH and
 * -L :NAME:PATH.  A path may be a pattern.
 */
static void
role_rev(struct run *r, const struct arg *a)
{
	const char *first = strchr(a->val, ':'), *last = strrchr(a->val, ':');
	struct arg path = *a;

	if (strpbrk(a->val, "*?[") != NULL)
		role_glob(r, a);
	if (first == NULL)
		return;
	path.val = first + 1;
	run_path(r, PATH_READ, &path);
	path.val = last + 1;
	if (last != first)
		run_path(r, PATH_READ, &path);
}

/* Is every directory this may run in part of the project, or a scratch one? */
static bool
at_home(const struct run *r)
{
	const struct policy_place *at = &r->w->f->policy->place;

	for (size_t i = 0; i < r->st->cwds.n; i++) {
		const char *dir = paths_join(r->w->f->arena, "/",
		    r->st->cwds.dir[i]);

		if (dir == NULL || !value_constant(dir))
			return false;
		if (!place_under(dir, at->root) && !place_is_temp(at, dir))
			return false;
	}
	return !r->st->cwds.unknown;
}

/* git in its own repository; its hooks are code of the project. */
static void
role_local(struct run *r, enum trigger trigger)
{
	const struct world *world = r->w->f->world;
	struct fact new = {
		.effect = { .kind = EFFECT_HISTORY, .certainty = CERTAIN_YES,
		    .kept = true, .target = r->argv[0].val,
		    .span_at = r->span.at, .span_len = r->span.len },
		.trigger = at_home(r) ? trigger : TRIGGER_GIT_HISTORY,
		.tier = TIER_LOW, .cmd = r->cmd
	};

	facts_add(r->w->f, &new);
	for (size_t i = 0; i < r->st->cwds.n; i++)
		if (world->git_hooks(world->arg, r->st->cwds.dir[i]) != 0)
			run_effect(r, EFFECT_CODE, "hooks of the repository");
}

/* `git checkout x` takes back x's changes where x is a file, or some. */
static bool
is_ref(struct run *r, const struct arg *a)
{
	const struct world *world = r->w->f->world;

	if (a == NULL)
		return true;
	if (a->many || !value_constant(a->val) || a->val[0] == '.' ||
	    strpbrk(a->val, ":*?[") != NULL || r->st->cwds.unknown)
		return false;
	for (size_t i = 0; i < r->st->cwds.n; i++) {
		const char *path = paths_join(r->w->f->arena,
		    r->st->cwds.dir[i], a->val);

		if (path == NULL || world->exists(world->arg, path))
			return false;
	}
	return true;
}

static void
role_clock(struct run *r, const struct arg *a)
{
	if (a->many || a->val[0] != '+')
		run_effect(r, EFFECT_PRIVILEGE, r->argv[0].val);
}

/* Code of an interpreter: nobody reads it, but it must not name us. */
static void
role_inline(struct run *r, const struct arg *a)
{
	if (protect_named(r->w->f->policy, a->val))
		run_effect(r, EFFECT_CONNECTOR, a->val);
	else
		run_effect(r, EFFECT_EXEC, r->argv[0].val);
}

static void
role_script(struct run *r, enum role role, const struct arg *a)
{
	struct state own = { .cwds = r->st->cwds };
	struct walk w = *r->w;

	w.body = false;
	if (role == ROLE_LATER) {
		state_forget(&own);
		own.cwds.unknown = true;
		w.maybe++;
	} else {
		w.functions = NULL;	/* another shell */
		w.maybe = 0;
	}
	if (!value_constant(a->val) || a->many)
		run_unknown(r, "shell text that is not known before it runs");
	else
		walk_text(&w, a->val, a->span, &own);
	if (role == ROLE_LATER)
		r->w->functions = w.functions;
}

void
program_role(struct run *r, enum role role, const struct arg *a)
{
	static const char nowhere[] = { VALUE_ANY, '\0' };
	static const char hash[] = { VALUE_ONE, VALUE_STAR, '\0' };

	if (a != NULL && meaning[role].path == -1 && role != ROLE_DATA &&
	    protect_word(a->val)) {
		run_effect(r, EFFECT_CONNECTOR, a->val);
		return;
	}
	if (role == ROLE_REV && a != NULL) {
		if (!a->many && str_eq(a->val, hash))
			return;		/* a revision, and no path */
		role_rev(r, a);
	}
	if (a != NULL && role_sends(r, role, a))
		return;
	if (role == ROLE_LOCAL)
		role_local(r, TRIGGER_GIT_LOCAL);
	else if (role == ROLE_SWITCH)
		role_local(r, is_ref(r, a) ? TRIGGER_GIT_TREE :
		    TRIGGER_GIT_HISTORY);
	else if (role == ROLE_GLOB && a != NULL)
		role_glob(r, a);
	else if (role == ROLE_CLOCK && a != NULL)
		role_clock(r, a);
	else if (role == ROLE_SETS && a != NULL)
		role_sets(r, a);
	else if ((role == ROLE_SCRIPT || role == ROLE_LATER) && a != NULL)
		role_script(r, role, a);
	else if (role == ROLE_INLINE && a != NULL)
		role_inline(r, a);
	else if (little[role].safe != NULL && a != NULL)
		role_little(r, a, &little[role]);
	else if (meaning[role].path != -1) {
		struct arg all = { nowhere, true, r->span, false };

		run_path(r, (enum path_use)meaning[role].path,
		    a != NULL ? a : &all);
	} else if (meaning[role].effect == EFFECT_UNKNOWN) {
		run_unknown(r, "this option or word can do more than read");
	} else if (meaning[role].effect != -1) {
		run_effect(r, (enum effect_kind)meaning[role].effect,
		    a != NULL && value_constant(a->val) ? a->val :
		    r->argv[0].val);
	}
}
