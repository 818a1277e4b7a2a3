/* policy/line.c - every command of a line, in every way it may run. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"
#include "policy/line.h"
#include "policy/tools.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

#define WORDS_MORE	256	/* that braces may add to a command */

static const char anything[] = { VALUE_ANY, '\0' };

struct span
walk_span(const struct walk *w, uint32_t at, uint32_t len)
{
	return w->fixed ? w->span : (struct span){ at, len };
}

static void
walk_assign(struct walk *w, const struct sh_assign *a, struct state *st,
    bool sets, bool reads)
{
	struct span span = walk_span(w, a->at, a->len);
	const char *value = anything;

	w->f->lists = w->f->lists || a->array;
	if (state_grave(a->name) && !reads)
		state_warn(w, a->name, span);
	for (const struct sh_word *v = a->value; v != NULL; v = v->next) {
		struct arg arg = expand_word(w, st, v);

		/* a=([x]=1) calculates x, and what x holds */
		if (a->array && (v->text != NULL ? v->text[0] == '[' :
		    v->parts->kind == SH_GLOB ?
		    strchr("[+", v->parts->text[0]) != NULL :
		    v->parts->kind == SH_TEXT && v->parts->text[0] == '['))
			facts_unknown(w->f, NULL, span,
			    "a subscript that may run code");

		if (!a->array && !a->append && !arg.many)
			value = arg.val;
		/* `a=*` keeps the star, to be tried where $a is used. */
		if (arg.many && v->text == NULL && !a->array)
			value = anything;
		/* a=$(git ls-files '*.c') */
		if (arg.many == ARG_SPLIT && !a->array && !a->append &&
		    v->parts->kind == SH_SUBST && v->parts->next == NULL) {
			value = arg.val;
			state_split(w, a->name);
		}
	}
	/* In zsh that is PATH; people call other things so as well. */
	if (str_eq(a->name, "path") && (a->array || value_constant(value)))
		facts_effect(w->f, EFFECT_CODE, "PATH", NULL, span);
	if (sets && !reads)
		state_set(w, st, a->name, value);
}

static struct command *
command_new(const struct run *r, size_t argc)
{
	const struct arg *argv = r->argv;
	struct walk *w = r->w;
	struct command *c = arena_get(w->f->arena, sizeof(*c));
	struct cwds *at;

	if (c == NULL)
		return NULL;
	c->program = argv[0].val;
	c->args = arena_get(w->f->arena, argc * sizeof(*c->args));
	if (c->args == NULL)
		return NULL;
	for (size_t i = 1; i < argc; i++)
		c->args[c->n_args++] = value_constant(argv[i].val) &&
		    !argv[i].many ? argv[i].val : NULL;
	c->span = r->span;
	at = arena_get(w->f->arena, sizeof(*at));
	if (at != NULL)
		*at = r->st->cwds;
	c->at = at;
	c->next = w->f->commands;
	w->f->commands = c;
	return c;
}

/*
 * `FOO=1 cmd` is over with cmd.  Commands of the shell itself see FOO, or set
 * it in their turn; which value stays behind them differs from one to another.
 */
static bool
sees_assigns(const char *program)
{
	static const char *const names[] = {
		"declare", "typeset", "export", "local", "readonly", "eval",
		".", "source", ":", "exec", "set", "shift", "trap", "unset",
		"return", "break", "continue", "command", "builtin", "read"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(program, names[i]))
			return true;
	return false;
}

static bool
is_read_ifs(const struct run *r, const struct sh_assign *a)
{
	return r->argc > 0 && str_eq(r->argv[0].val, "read") &&
	    str_eq(a->name, "IFS");
}

static void
lose_assigns(struct run *r)
{
	const struct sh_assign *a = r->node->assigns;

	for (; sees_assigns(r->argv[0].val) && a != NULL; a = a->next) {
		if (is_read_ifs(r, a))
			continue;
		state_set(r->w, r->st, a->name, anything);
		if (a->array)	/* `readonly f=(...)` stands here, too */
			state_fix(r->w, a->name);
	}
}

/* `export X=$(ls)`: bash splits no value of these, and tries no star. */
static void
whole_value(const struct run *r, const struct sh_word *v, struct arg *a)
{
	char *name;

	if (r->node->words->text == NULL || !a->many || v->assigns == 0 ||
	    strlen(a->val) < v->assigns || !tool_listed("export readonly "
	    "local declare typeset", r->argv[0].val))
		return;
	name = arena_text(r->w->f->arena, a->val, v->assigns + 1);
	if (name == NULL)
		return;
	name[v->assigns] = VALUE_ANY;
	a->val = name;
	a->many = false;
}

/* All words behind the first; braces make more of them. */
static void
add_words(struct run *r, const struct sh_word *v, size_t room)
{
	for (; v != NULL; v = v->next) {
		struct arg some[BRACE_WORDS];
		size_t n = 1;

		if (r->argc > 0 && room >= BRACE_WORDS && expand_several(v))
			n = expand_words(r->w, r->st, v, some);
		else
			some[0] = expand_word(r->w, r->st, v);
		if (r->argc > 0 && n == 1)
			whole_value(r, v, &some[0]);
		memcpy(r->argv + r->argc, some, n * sizeof(*some));
		r->argc += n;
		room -= n - 1;
	}
}

/* `n='a[$(id)]' cmd`: a shell of cmd's may calculate n. */
static bool
gives_text(const struct sh_node *n)
{
	for (const struct sh_assign *a = n->assigns; a != NULL; a = a->next)
		if (a->value == NULL || a->value->text == NULL ||
		    !value_number(a->value->text))
			return true;
	return false;
}

void
walk_simple(struct walk *w, const struct sh_node *n, struct state *st)
{
	struct run r = { .w = w, .st = st, .node = n,
	    .span = walk_span(w, n->at, n->len) };
	size_t argc = 0, room = 0;
	bool given = w->given;

	if (w->f->n_commands++ == FACTS_COMMANDS)
		w->f->cut = w->f->spent = true;
	if (w->f->n_commands > FACTS_COMMANDS)
		return;
	for (const struct sh_word *v = n->words; v != NULL; v = v->next) {
		argc++;
		room += v->text == NULL && room < WORDS_MORE &&
		    expand_several(v) ? BRACE_WORDS : 0;
	}
	if (argc > FACTS_WORDS) {
		w->f->cut = w->f->spent = true;
		return;
	}
	r.argv = arena_get(w->f->arena, (argc + room + 1) * sizeof(*r.argv));
	if (r.argv == NULL)
		return;
	add_words(&r, n->words, room);
	argc = r.argc;
	for (const struct sh_assign *a = n->assigns; a != NULL; a = a->next)
		walk_assign(w, a, st, argc == 0 ||
		    sees_assigns(r.argv[0].val), is_read_ifs(&r, a));
	if (argc > 0)
		r.cmd = command_new(&r, argc);
	for (const struct sh_redir *d = n->redirs; d != NULL; d = d->next)
		redirect_add(&r, d);
	if (argc == 0)
		return;
	w->given = given || gives_text(n);
	run_program(&r);
	lose_assigns(&r);
	w->given = given;
}

void
walk_text(struct walk *w, const char *text, struct span span,
    struct state *st)
{
	struct walk in = *w;
	struct sh_tree tree;

	if (w->texts >= WALK_TEXTS) {
		facts_unknown(w->f, NULL, span, "text in text in text");
		return;
	}
	in.texts++;
	in.fixed = true;
	in.span = span;
	shell_read(w->f->arena, text, strlen(text), &tree);
	if (tree.fail != NULL)
		facts_unknown(w->f, NULL, span, tree.fail);
	else
		walk_node(&in, tree.root, st);
	walk_uncalled(&in, w->functions, st);
	w->functions = in.functions;
	w->feed = in.feed;
	w->pieces = in.pieces;
}

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text += strlen(what))
		n++;
	return n;
}

/*
 * An emoji's U+FE0F and the wide blank of Chinese and Japanese text hide
 * nothing; all else that cannot be seen does.
 */
static bool
hides(const char *text, size_t len)
{
	return visible_hidden(text, len) > count(text, "\xef\xb8\x8f") +
	    count(text, "\xe3\x80\x80");
}

void
line_add(struct facts *f, const char *command)
{
	struct state st = { .cwds = { { f->call->cwd }, 1, false } };
	struct span all = { 0, 0 };
	struct sets later;	/* 1 KiB that nobody needs cleared */
	struct walk w = { .f = f, .later = &later };
	size_t len = strlen(command);
	struct sh_tree tree;

	later.n = 0;
	later.all = later.moved = later.jumps = false;
	shell_read(f->arena, command, len, &tree);
	if (tree.fail != NULL) {
		facts_unknown(f, NULL, all, tree.fail);
		return;
	}
	if (hides(command, len))
		facts_unknown(f, NULL, all,
		    "it holds characters that cannot be seen");
	walk_node(&w, tree.root, &st);
	walk_uncalled(&w, NULL, &st);
}
