/* policy/special.c - shell builtins and wrappers no table can describe. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/ours.h"
#include "policy/program.h"
#include "policy/protect.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

static const char anything[] = { VALUE_ANY, '\0' };

static void
special_cd(struct run *r, const struct cmd_program *p, size_t from)
{
	const char *home = state_var(r->w, r->st, "HOME");
	const struct arg *a = NULL;

	for (size_t i = from; i < r->argc; i++) {
		if (str_eq(r->argv[i].val, "-L") ||
		    str_eq(r->argv[i].val, "-P") ||
		    str_eq(r->argv[i].val, "--"))
			continue;
		if (a != NULL)
			run_unknown(r, "a cd with too many words");
		a = &r->argv[i];
	}
	if (a != NULL && !str_eq(a->val, "-"))
		run_path(r, PATH_LIST, a);
	if (str_eq(commands_name(p), "popd") || (a == NULL &&
	    !str_eq(commands_name(p), "cd")))
		state_cd(r->w, r->st, anything);
	else
		/* +1, -0: another one of the stack */
		state_cd(r->w, r->st, a == NULL ? home : a->many ||
		    strchr("+-", a->val[0]) != NULL ? anything : a->val);
}

static void
special_eval(struct run *r, const struct cmd_program *p, size_t from)
{
	auto_str struct str s = { 0 };
	const char *text;

	(void)p;
	str_init(&s, SHELL_MAX);
	for (size_t i = from; i < r->argc; i++) {
		if (!value_constant(r->argv[i].val) || r->argv[i].many) {
			run_unknown(r, "shell text that is not known before "
			    "it runs");
			return;
		}
		if (i > from)
			str_addc(&s, ' ');
		str_add(&s, r->argv[i].val);
	}
	text = arena_text(r->w->f->arena, s.s, s.len);
	r->w->maybe += r->wraps > 0;	/* `nice eval` finds none */
	if (text == NULL || s.full)
		run_unknown(r, "shell text that is too long");
	else
		walk_text(r->w, text, r->span, r->st);
	r->w->maybe -= r->wraps > 0;
}

static void
special_source(struct run *r, const struct cmd_program *p, size_t from)
{
	(void)p;
	if (from < r->argc) {
		run_path(r, PATH_READ, &r->argv[from]);
		run_code(r, EFFECT_CODE, &r->argv[from]);
	}
	state_lose(r->w, r->st);
	r->w->feed = NULL;	/* it may read what it likes */
	state_cd(r->w, r->st, anything);
}

/* $1, $2, ...: what `set -- a b` made of them. */
static void
set_positional(struct run *r, size_t from)
{
	static const char *const names[] = {
		"1", "2", "3", "4", "5", "6", "7", "8", "9"
	};
	bool many = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct arg *a = from + i < r->argc ?
		    &r->argv[from + i] : NULL;

		many = many || (a != NULL && a->many);
		state_set(r->w, r->st, names[i], a == NULL || many ? anything :
		    a->val);
	}
}

/* Options that only make a script stricter or louder. */
static void
special_set(struct run *r, const struct cmd_program *p, size_t from)
{
	static const char *const names[] = {
		"pipefail", "errexit", "nounset", "xtrace", "noglob",
		"noclobber", "verbose", "errtrace"
	};

	if (from == r->argc && str_eq(commands_name(p), "set"))
		run_effect(r, EFFECT_SECRET, "all variables");
	if (str_eq(commands_name(p), "shift")) {
		set_positional(r, r->argc);
		return;
	}
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;
		bool known = false;

		if ((v[0] != '-' && v[0] != '+') || str_eq(v, "--")) {
			set_positional(r, i + (str_eq(v, "--") ? 1 : 0));
			return;
		}
		if (v[1] == '\0' || v[1 + strspn(v + 1, "euxvfCEo")] != '\0') {
			run_unknown(r, "an option of the shell");
			return;
		}
		if (v[strlen(v) - 1] != 'o' || i + 1 == r->argc)
			continue;
		i++;
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			known = known || str_eq(names[k], r->argv[i].val);
		if (!known)
			run_unknown(r, "an option of the shell");
	}
}

static void
special_env(struct run *r, const struct cmd_program *p, size_t from)
{
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);

	for (size_t i = 0; i < n; i++) {
		const char *v = words[i]->val;
		size_t len = strcspn(v, "=");
		char *name = arena_text(r->w->f->arena, v, len);

		if (v[len] != '=' || name == NULL) {
			run_wrapped(r, (size_t)(words[i] - r->argv));
			return;
		}
		if (!value_number(v + len + 1))
			r->w->given = true;
		if (!value_constant(name) || state_grave(name))
			run_unknown(r, "it sets a variable that programs obey");
		if (words[i]->many && words[i]->text)
			run_unknown(r, "a value that may be a program, too");
	}
	run_effect(r, EFFECT_SECRET, "the environment");
}

/* The text a command reads from its own here-document, if it is a constant. */
static const char *
stdin_text(struct run *r)
{
	const struct sh_redir *d = r->node == NULL ? NULL : r->node->redirs;
	const char *text = NULL;

	for (; d != NULL; d = d->next) {
		if (d->kind == SH_HEREDOC)
			text = d->body == NULL ? "" : d->body->next == NULL &&
			    d->body->kind == SH_TEXT ? d->body->text : NULL;
		else if (d->kind == SH_HERESTRING)
			text = d->word->text;
	}
	return text;
}

/* Where `-c` stands in a shell's options; 0: nowhere, -1: strange options. */
static int
shell_options(const struct run *r, size_t from, size_t *ret_next)
{
	int c = 0;

	for (; from < r->argc; from++) {
		const char *v = r->argv[from].val;

		if (v[0] != '-' || v[1] == '\0' || str_eq(v, "--"))
			break;
		if (str_eq(v, "--norc") || str_eq(v, "--noprofile") ||
		    str_eq(v, "--posix") || str_eq(v, "--login"))
			continue;
		if (v[1 + strspn(v + 1, "clexuv")] != '\0')
			return -1;
		if (strchr(v, 'c') != NULL)
			c = 1;
	}
	*ret_next = from;
	return c;
}

static void
special_shell(struct run *r, const struct cmd_program *p, size_t from)
{
	size_t next = from;
	int c = shell_options(r, from, &next);
	const char *text = stdin_text(r);

	(void)p;
	r->w->given = r->w->given || state_text(r->st);
	if (c == -1) {
		run_unknown(r, "options of a shell that are not understood");
	} else if (c == 1 && next < r->argc) {
		program_role(r, ROLE_SCRIPT, &r->argv[next]);
	} else if (next < r->argc) {
		run_code(r, EFFECT_CODE, &r->argv[next]);
		run_path(r, PATH_READ, &r->argv[next]);
	} else if (text != NULL) {
		struct arg a = { text, false, r->span, false };

		program_role(r, ROLE_SCRIPT, &a);
	} else {
		run_effect(r, EFFECT_EXEC, "what it reads from its input");
	}
}

/* python, perl, node, ...: code nobody reads. */
static void
special_interpreter(struct run *r, const struct cmd_program *p, size_t from)
{
	const char *text = stdin_text(r);
	bool script = false, piped = false;

	special_known(r, p, from);
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (protect_named(r->w->f->policy, v) || ours_text(v))
			run_effect(r, EFFECT_CONNECTOR, v);
		piped = piped || (i == from && (str_eq(v, "-") ||
		    str_starts(v, "/dev/")));
		if (i == from && v[0] != '-' && value_constant(v) &&
		    strchr(v, '\n') == NULL)
			script = true;
	}
	if (text != NULL && (protect_named(r->w->f->policy, text) ||
	    ours_text(text)))
		run_effect(r, EFFECT_CONNECTOR, "text for an interpreter");
	if (script)
		run_path(r, PATH_READ, &r->argv[from]);
	if (script && !piped)
		run_code(r, EFFECT_CODE, &r->argv[from]);
	else	/* what a pipe brings is from anywhere, not from this line */
		run_effect(r, text != NULL || (!piped && from < r->argc) ?
		    EFFECT_CODE : EFFECT_EXEC, "code of an interpreter");
}

/*
 * -v and -R take the name of a variable, whose subscript is calculated; in
 * `[ $(cat f) ]` there may be a whole test of its own.
 */
static void
special_test(struct run *r, const struct cmd_program *p, size_t from)
{
	(void)p;
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;
		const char *n = i + 1 < r->argc ? r->argv[i + 1].val : "";
		bool many = r->argv[i].many && r->argv[i].many != ARG_PART;

		if ((many && r->argv[i].text) || ((value_meets(v, "-v") ||
		    value_meets(v, "-R")) && (strchr(n, '[') != NULL ||
		    (many && strchr(v, VALUE_ANY) == NULL) ||
		    (!value_constant(n) && !value_number(n)))))
			run_unknown(r, "a variable's name that may be code");
	}
}

/* What an agent may run of ours; everything else is the human's. */
static void
special_sandbox(struct run *r, const struct cmd_program *p, size_t from)
{
	static const char *const open[] = {
		"status", "doctor", "changes", "log", "trace", "explain",
		"pending", "show", "--help", "--version"
	};

	(void)p;
	for (size_t i = 0; from < r->argc && i < ARRAY_LEN(open); i++)
		if (str_eq(r->argv[from].val, open[i]))
			return;
	run_effect(r, EFFECT_CONNECTOR, "sandbox");
}

/* One line asks for one directory again and again. */
static int
git_helpers(struct facts *f, const char *dir)
{
	if (f->git_dir == NULL || !str_eq(f->git_dir, dir)) {
		f->git_helpers = f->world->git_config_helpers(f->world->arg,
		    dir);
		f->git_dir = dir;
	}
	return f->git_helpers;
}

/* `cp -r x z; git -C z log`: a repository that nobody can look at yet. */
static bool
is_brought(struct facts *f, const char *dir)
{
	const struct world *world = f->world;

	return f->brings && !world->exists(world->arg, dir) &&
	    world->exists(world->arg, f->policy->place.root);
}

/* git runs what the repository's configuration says. */
static void
special_git(struct run *r, const struct cmd_program *p, size_t from)
{
	struct cmd_program plain = *p;
	struct state own = *r->st;
	struct run in = *r;

	in.st = &own;
	while (from + 1 < r->argc && str_eq(r->argv[from].val, "-C")) {
		run_path(r, PATH_LIST, &r->argv[from + 1]);
		state_cd(r->w, &own, r->argv[from + 1].many ? anything :
		    r->argv[from + 1].val);
		from += 2;
	}
	if (own.cwds.unknown)
		run_unknown(r, "git in a directory that is not known");
	for (size_t i = 0; i < own.cwds.n; i++)
		if (paths_own(r->w->f->arena, "/", own.cwds.dir[i]) !=
		    own.cwds.dir[i])
			run_unknown(r, "git in a directory of /proc");
		else if (is_brought(r->w->f, own.cwds.dir[i]))
			run_unknown(r, "git in a directory that appears on "
			    "this line");
		else if (git_helpers(r->w->f, own.cwds.dir[i]) != 0)
			run_unknown(r, "the repository's configuration may "
			    "start programs");
	plain.special = SPECIAL_NONE;
	plain.n_does = 0;
	program_apply(&in, &plain, from);
}

void
special_run(struct run *r, const struct cmd_program *p, size_t from)
{
	static void (*const known[SPECIAL_COUNT])(struct run *,
	    const struct cmd_program *, size_t) = {
		[SPECIAL_cd] = special_cd, [SPECIAL_eval] = special_eval,
		[SPECIAL_exec] = special_exec,
		[SPECIAL_source] = special_source,
		[SPECIAL_set] = special_set, [SPECIAL_find] = special_find,
		[SPECIAL_xargs] = special_xargs, [SPECIAL_env] = special_env,
		[SPECIAL_shell] = special_shell,
		[SPECIAL_interpreter] = special_interpreter,
		[SPECIAL_copy] = special_copy, [SPECIAL_git] = special_git,
		[SPECIAL_test] = special_test, [SPECIAL_ps] = special_ps,
		[SPECIAL_sandbox] = special_sandbox,
		[SPECIAL_sqlite] = special_sqlite,
		[SPECIAL_kill] = special_kill,
		[SPECIAL_pkill] = special_pkill, [SPECIAL_tar] = special_tar,
		[SPECIAL_terminal] = special_terminal,
	};

	known[p->special](r, p, from);
}
