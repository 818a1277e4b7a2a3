/* policy/simple.c - one simple command: which program is it? */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/ours.h"
#include "policy/program.h"
#include "policy/value.h"
#include "common/banned.h"

#define WRAPS_MAX	16
#define BODY_BYTES	256	/* of a function: the price of one command */

void
run_unknown(struct run *r, const char *why)
{
	facts_unknown(r->w->f, r->cmd, r->span, why);
}

void
run_effect(struct run *r, enum effect_kind kind, const char *target)
{
	facts_effect(r->w->f, kind, target, r->cmd, r->span);
}

/* In zsh `rm =ls` is about /bin/ls, and `rm $=x` about the words of x. */
static bool
reads_otherwise(const char *v)
{
	if (v[0] == '=' && v[1] != '\0')
		return true;
	for (v = strchr(v, '$'); v != NULL; v = strchr(v + 1, '$'))
		if (v[1] != '\0' && strchr("=~^+", v[1]) != NULL)
			return true;
	return false;
}

void
run_path(struct run *r, enum path_use use, const struct arg *a)
{
	const struct site site = { &r->st->cwds, r->cmd, a->span };

	if (r->deep != NULL && use >= PATH_KEEP &&
	    strstr(a->val, r->deep) != NULL)
		run_unknown(r, "it changes files wherever they are found");
	if (a->many >= ARG_SPLIT && use >= PATH_KEEP)
		run_unknown(r, "it changes what names without quotes become");
	if (str_starts(a->val, "/inet"))	/* gawk connects there */
		run_effect(r, EFFECT_NET, a->val);
	if (use != PATH_LIST && reads_otherwise(a->val))
		run_unknown(r, "a name that shells read differently");
	paths_add(r->w->f, use, a->val, &site);
}

void
run_code(struct run *r, enum effect_kind kind, const struct arg *file)
{
	const char *path = NULL;

	if (!value_constant(file->val) || file->many) {
		run_effect(r, kind, "a file");
		return;
	}
	for (size_t i = 0; i < r->st->cwds.n; i++) {
		path = paths_lead(r->w->f, r->st->cwds.dir[i], file->val);
		run_effect(r, kind, path != NULL ? path : file->val);
	}
	if (path == NULL || r->st->cwds.unknown)
		run_effect(r, kind, file->val);
}

/* Directories whose programs are the ones the tables speak about. */
static const char *
trusted_name(const char *path)
{
	static const char *const dirs[] = {
		"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/",
		"/usr/sbin/"
	};

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (str_starts(path, dirs[i]) &&
		    strchr(path + strlen(dirs[i]), '/') == NULL)
			return path + strlen(dirs[i]);
	return NULL;
}

/* Programs of ours that no agent starts, wherever they lie. */
static bool
is_ours(const char *name)
{
	static const char *const names[] = {
		"pretooluse", "posttooluse", "sessionstart", "configchange",
		"sandbox-gate", "sandbox-runner"
	};
	const char *base = strrchr(name, '/');

	base = base != NULL ? base + 1 : name;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(base, names[i]) == 0)
			return true;
	return strcasecmp(base, "sandbox") == 0 && strchr(name, '/') != NULL &&
	    trusted_name(name) == NULL;
}

/* What a body sees: all that its caller does, and the words of the call. */
static void
body_state(struct run *r, struct state *in)
{
	static const char any[] = { VALUE_ANY, '\0' };
	static const char *const names[] = {
		"1", "2", "3", "4", "5", "6", "7", "8", "9"
	};
	const struct sh_assign *a = r->node != NULL ? r->node->assigns : NULL;
	struct sets *outer = r->w->sets;
	bool many = r->node == NULL;

	*in = *r->st;
	r->w->sets = NULL;
	for (; a != NULL; a = a->next)
		state_set(r->w, in, a->name, any);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct arg *word = i + 1 < r->argc ? &r->argv[i + 1] :
		    NULL;

		many = many || (word != NULL && word->many);
		state_set(r->w, in, names[i], many ? any : word == NULL ? "" :
		    word->val);
	}
	r->w->sets = outer;
}

/*
 * Its body runs here, in these directories; what it sets may be the case, and
 * what it defines stays.  A long body counts for more than its commands.
 */
static void
run_body(struct run *r, const struct name *f)
{
	struct sets sets = { .n = 0 };
	struct walk w = *r->w;
	struct state in;

	if (w.texts >= WALK_TEXTS) {
		run_unknown(r, "functions that call functions");
		return;
	}
	body_state(r, &in);
	w.texts++;
	w.fixed = w.body = true;
	w.span = r->span;
	w.sets = &sets;
	w.f->n_nodes += f->span.len / BODY_BYTES;
	walk_node(&w, f->body, &in);
	walk_uncalled(&w, r->w->functions, &in);
	r->w->functions = w.functions;
	r->w->feed = w.feed;
	r->w->pieces = w.pieces;
	if (sets.moved)
		run_unknown(r, "a function that changes the directory");
	state_widen(r->w, r->st, &sets);
	state_note(r->w->sets, &sets);
}

/*
 * A function of the line?  Every one of that name is judged: which it is, a
 * branch may have decided.  True when it is one for certain; a wrapper starts
 * programs only.
 */
static bool
run_function(struct run *r, const char *name)
{
	bool certain = false;

	for (struct name *f = r->w->functions; f != NULL && r->wraps == 0;
	    f = f->next) {
		if (!str_eq(f->name, name))
			continue;
		f->called = true;
		run_body(r, f);
		certain = certain || f->certain;
	}
	return certain;
}

static void
run_path_program(struct run *r, const char *path)
{
	static const char any[] = { VALUE_ANY, '\0' };
	struct arg a = r->argv[0];

	/* A file of the project, or from who knows where. */
	run_code(r, path[0] == '/' && !str_starts(path,
	    r->w->f->policy->place.root) ? EFFECT_EXEC : EFFECT_CODE, &a);
	run_path(r, PATH_READ, &a);
	for (size_t i = 1; i < r->argc; i++)
		if (r->argv[i].val[0] != any[0] &&
		    strcasestr(r->argv[i].val, ".sandbox") != NULL)
			run_path(r, PATH_READ, &r->argv[i]);
}

/*
 * `x --version`: of every program whose table does not say that it does more.
 * Short spellings often mean something else (`pytest -v`, `sh -V`): the table
 * must have them.
 */
static bool
only_tells(const struct cmd_program *p, const char *option)
{
	static const char *const names[] = { "--version", "--help" };
	static const char *const others[] = { "-V", "-version", "-v",
		"--info" };
	const struct cmd_option *o = program_option(p, option);

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(option, names[i]))
			return o == NULL || o->role == ROLE_DATA;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (str_eq(option, others[i]))
			return o != NULL && o->role == ROLE_DATA &&
			    (i < 2 || p->n_does > 0 ||
			    p->special == SPECIAL_interpreter);
	return false;
}

/* What a trap sets, it may set between any two commands. */
static void
run_trap(struct run *r)
{
	struct sets sets = { .n = 0 };
	struct walk w = *r->w;
	struct run in = *r;

	in.w = &w;
	w.sets = &sets;
	w.feed = NULL;		/* by then it may be another */
	program_apply(&in, commands_find("trap"), 1);
	r->w->functions = w.functions;
	r->w->pieces = w.pieces;
	if (sets.n > 0 || sets.all) {
		state_note(r->w->later, &sets);
		state_widen(r->w, r->st, &sets);
		state_note(r->w->sets, &sets);
	}
}

/* Neither a function nor a file: by what the table says of its name. */
static void
run_named(struct run *r, const char *name)
{
	const struct cmd_program *p;

	if (ours_behind(r, name))
		run_effect(r, EFFECT_CONNECTOR, "sandbox approve");
	p = strchr(name, ' ') == NULL ? commands_find(name) : NULL;
	if (p == NULL) {
		run_unknown(r, "nothing is known about this program");
		/* Its words may still name what is ours. */
		for (size_t i = 1; i < r->argc; i++)
			if (strcasestr(r->argv[i].val, ".sandbox") != NULL)
				run_path(r, PATH_LIST, &r->argv[i]);
		return;
	}
	if (r->argc == 2 && only_tells(p, r->argv[1].val))
		return;
	/* Parts of such a name would be the names of copies. */
	for (size_t i = 1; p->special == SPECIAL_copy && i < r->argc; i++)
		if (r->argv[i].many >= ARG_SPLIT)
			run_unknown(r, "it copies what names without quotes "
			    "become");
	program_apply(r, p, 1);
	if (str_eq(name, "read"))
		names_read(r);
}

void
run_program(struct run *r)
{
	const char *name = r->argv[0].val;
	struct state own;
	struct run in;

	if (!value_constant(name) || r->argv[0].many || name[0] == '\0') {
		if (ours_first(r))
			run_effect(r, EFFECT_CONNECTOR, "sandbox approve");
		run_unknown(r, "which program runs is not known before");
		return;
	}
	if (is_ours(name)) {
		run_effect(r, EFFECT_CONNECTOR, name);
		return;
	}
	if (run_function(r, name))
		return;
	if (r->w->sets != NULL && (str_eq(name, "break") ||
	    str_eq(name, "continue") || str_eq(name, "return")))
		r->w->sets->jumps = true;
	if (str_eq(name, "trap")) {
		run_trap(r);
		return;
	}
	if (strchr(name, '/') != NULL) {
		const char *base = trusted_name(name);

		if (base == NULL) {
			run_path_program(r, name);
			return;
		}
		name = base;
		/* `/usr/bin/cd` is over with its own process. */
		own = *r->st;
		in = *r;
		in.st = &own;
		in.wraps++;
		r = &in;
	}
	run_named(r, name);
}

/* Others start a program: what it sets, or where it goes, ends with it. */
static bool
in_this_shell(const struct run *r, size_t from)
{
	return from > 0 && (str_eq(r->argv[0].val, "command") ||
	    str_eq(r->argv[0].val, "builtin"));
}

void
run_wrapped(struct run *r, size_t from)
{
	struct state own = *r->st;
	struct run in = *r;
	struct command *c;

	if (++in.wraps > WRAPS_MAX) {
		run_unknown(r, "a wrapper in a wrapper in a wrapper");
		return;
	}
	in.argv = r->argv + from;
	in.argc = r->argc - from;
	in.node = NULL;
	if (!in_this_shell(r, from))
		in.st = &own;
	if (in.argc == 0)
		return;
	/* Rules speak about the inner command. */
	c = arena_get(r->w->f->arena, sizeof(*c));
	if (c == NULL)
		return;
	c->program = in.argv[0].val;
	c->args = r->cmd != NULL && r->cmd->n_args >= from ?
	    r->cmd->args + from : NULL;
	c->n_args = c->args != NULL ? r->cmd->n_args - from : 0;
	c->span = r->span;
	c->at = r->cmd != NULL ? r->cmd->at : NULL;
	in.cmd = c;
	run_program(&in);
}
