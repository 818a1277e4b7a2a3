/* policy/walk.c - lists, branches, loops: every way a line may run. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/commands/table.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

void
walk_maybe(struct walk *w, const struct sh_node *n, struct state *st)
{
	struct state after = *st;

	w->maybe++;
	walk_node(w, n, &after);
	w->maybe--;
	state_join(w, st, &after);
}

void
walk_own(struct walk *w, const struct sh_node *n, const struct state *st)
{
	struct state own = *st;
	struct sets *outer = w->sets;

	w->maybe++;
	w->sets = NULL;
	walk_node(w, n, &own);
	w->sets = outer;
	w->maybe--;
}

/* `cd x && y`: y runs in x; but behind the whole, nobody knows. */
static void
walk_and_or(struct walk *w, const struct sh_node *n, struct state *st)
{
	struct state before = *st, run = *st;
	bool first = true;

	for (const struct sh_node *k = n->kids; k != NULL; k = k->next) {
		struct state in = run;

		/* behind || the left may have failed half way */
		if (!first && k->op == '|')
			state_join(w, &in, &before);
		w->maybe += !first;
		walk_node(w, k, &in);
		w->maybe -= !first;
		if (!first && k->op == '|')
			state_join(w, &in, &run);
		state_join(w, &before, &in);
		run = in;
		first = false;
	}
	*st = before;
}

static void
walk_list(struct walk *w, const struct sh_node *n, struct state *st)
{
	for (const struct sh_node *k = n->kids; k != NULL; k = k->next) {
		struct state before = *st;

		if (k->async) {
			walk_own(w, k, st);
			continue;
		}
		walk_node(w, k, st);
		/* A cd that failed leaves the old directory to what follows. */
		if (!state_same(&before, st)) {
			before.vars = st->vars;
			before.n_vars = st->n_vars;
			before.lost = st->lost;
			state_join(w, st, &before);
		}
	}
}

/* The text of (( )) and for (( )), in the only word. */
static void
walk_calc(struct walk *w, const struct sh_node *n, struct state *st)
{
	expand_parts(w, st, n->words->parts->inner);
	if (!calc_safe(w, st, n->words->parts->text))
		facts_unknown(w->f, NULL, walk_span(w, n->at, n->len),
		    "a calculation that may run code");
	if (n->kind == SH_FOR_CALC)
		walk_loop(w, n, NULL, st);
}

/* A name of the environment is none of this line's; names of files are. */
static bool
may_be_code(const struct walk *w, const struct state *st,
    const struct arg *a)
{
	const char *v = a->val;

	if (value_constant(v) || value_number(v))
		return strchr(v, '[') != NULL;
	return a->text || strchr(v, VALUE_ANY) == NULL ||
	    strchr(v, '[') != NULL || st->vars != NULL || st->lost || w->given;
}

/* [[ x -eq y ]] and -v calculate: what they get must be a number or a name. */
static void
walk_test(struct walk *w, const struct sh_node *n, struct state *st)
{
	static const char *const calc[] = { "-eq", "-ne", "-lt", "-le", "-gt",
	    "-ge", "-v", "-R" };
	const char *before = "";

	for (const struct sh_word *v = n->words; v != NULL; v = v->next) {
		struct arg a = expand_word(w, st, v);
		const char *ops[2] = { before, v->next != NULL &&
		    v->next->text != NULL ? v->next->text : "" };

		for (size_t i = 0; i < sizeof(calc) / sizeof(calc[0]); i++)
			if ((str_eq(ops[0], calc[i]) ||
			    (i < 6 && str_eq(ops[1], calc[i]))) &&
			    (may_be_code(w, st, &a) || (i < 6 &&
			    value_constant(a.val) &&
			    !calc_safe(w, st, a.val))))
				facts_unknown(w->f, NULL, a.span,
				    "a comparison that may run code");
		before = v->text != NULL ? v->text : "";
	}
}

static void
walk_case(struct walk *w, const struct sh_node *n, struct state *st)
{
	for (const struct sh_word *v = n->words; v != NULL; v = v->next)
		expand_word(w, st, v);
	for (const struct sh_node *k = n->kids; k != NULL; k = k->next) {
		struct state in = *st;	/* behind ;& the one before ran */

		w->maybe++;
		walk_node(w, k, &in);
		w->maybe--;
		state_join(w, st, &in);
	}
}

static void
walk_if(struct walk *w, const struct sh_node *n, struct state *st)
{
	bool first = true;

	for (const struct sh_node *k = n->kids; k != NULL; k = k->next) {
		if (first)
			walk_node(w, k, st);
		else
			walk_maybe(w, k, st);
		first = false;
	}
}

/* With any words and variables. */
static void
walk_body(struct walk *w, const struct name *f, const struct state *st)
{
	struct state in = { .cwds = st->cwds };
	struct sets sets = { .n = 0 }, *outer = w->sets;
	bool body = w->body;

	state_forget(&in);
	w->maybe++;
	w->sets = &sets;
	w->body = true;
	walk_node(w, f->body, &in);
	w->body = body;
	w->sets = outer;
	w->maybe--;
	if (sets.moved)
		facts_unknown(w->f, NULL, f->span,
		    "a function that changes the directory");
}

/*
 * Judged wherever it is called, with what it is called with; one that perhaps
 * is another, or that nothing calls, with anything.
 */
static void
walk_function(struct walk *w, const struct sh_node *n, struct state *st)
{
	struct name *name = arena_get(w->f->arena, sizeof(*name));
	bool jumped = w->sets != NULL && w->sets->jumps;

	if (name == NULL)
		return;
	/* Which of the two runs depends on who calls, and how. */
	if (commands_find(n->name) != NULL || strchr(n->name, '/') != NULL)
		facts_unknown(w->f, NULL, walk_span(w, n->at, n->len),
		    "a function with the name of a program");
	*name = (struct name){ .name = n->name, .body = n->kids,
	    .certain = w->maybe == 0 && !jumped,
	    .span = walk_span(w, n->at, n->len),
	    .next = w->functions };
	w->functions = name;
	/* bash calls this one by itself */
	if (!name->certain || str_eq(n->name, "command_not_found_handle"))
		walk_body(w, name, st);
}

void
walk_uncalled(struct walk *w, const struct name *until,
    const struct state *st)
{
	for (struct name *f = w->functions; f != NULL && f != until;
	    f = f->next) {
		if (f->certain && !f->called)
			walk_body(w, f, st);
		f->called = true;	/* spans are those of this text */
	}
}

static void
walk_redirs(struct walk *w, const struct sh_node *n, struct state *st)
{
	struct run r = { .w = w, .st = st, .node = n,
	    .span = walk_span(w, n->at, n->len) };

	for (const struct sh_redir *d = n->redirs; d != NULL; d = d->next)
		redirect_add(&r, d);
}

static void
walk_pipe(struct walk *w, const struct sh_node *n, const struct state *st)
{
	const struct names *outer = w->feed;

	for (const struct sh_node *k = n->kids; k != NULL; k = k->next) {
		w->names = NULL;
		walk_own(w, k, st);
		w->feed = names_printed(w, k, w->feed);
	}
	w->names = w->feed;
	w->feed = outer;
}

static void
walk_kind(struct walk *w, const struct sh_node *n, struct state *st)
{
	switch (n->kind) {
	case SH_SIMPLE:
		walk_simple(w, n, st);
		break;
	case SH_PIPE:
		walk_pipe(w, n, st);
		break;
	case SH_AND_OR:
		walk_and_or(w, n, st);
		break;
	case SH_LIST:
		walk_list(w, n, st);
		break;
	case SH_GROUP:
		walk_node(w, n->kids, st);
		break;
	case SH_SUBSHELL:
		walk_own(w, n->kids, st);
		break;
	case SH_IF:
		walk_if(w, n, st);
		break;
	case SH_LOOP:
		walk_loop(w, n, NULL, st);
		break;
	case SH_FOR:
		walk_for(w, n, st);
		break;
	case SH_FOR_CALC:
	case SH_COMPUTE:
		walk_calc(w, n, st);
		break;
	case SH_CASE:
		walk_case(w, n, st);
		break;
	case SH_TEST:
		walk_test(w, n, st);
		break;
	case SH_FUNCTION:
	default:
		walk_function(w, n, st);
	}
}

/* Does it read something else than the pipe? */
static bool
takes_input(const struct sh_node *n)
{
	for (const struct sh_redir *d = n->redirs; d != NULL; d = d->next)
		if (d->kind == SH_IN || d->kind == SH_INOUT ||
		    d->kind == SH_DUP_IN || d->kind == SH_HEREDOC ||
		    d->kind == SH_HERESTRING)
			return true;
	return false;
}

/* `exec < file` stays; and who knows what $x is, or `command`. */
static bool
is_exec(const struct sh_node *n)
{
	static const char *const names[] = { "exec", "command", "builtin" };
	bool is = n->kind == SH_SIMPLE && n->words != NULL &&
	    n->words->text == NULL;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		is = is || (n->kind == SH_SIMPLE && n->words != NULL &&
		    str_eq(n->words->text, names[i]));
	return is;
}

void
walk_node(struct walk *w, const struct sh_node *n, struct state *st)
{
	const struct names *outer = w->feed;

	if (w->f->n_nodes++ >= FACTS_NODES)
		w->f->cut = w->f->spent = true;
	if (n == NULL || w->f->spent)
		return;
	if (n->kind != SH_SIMPLE)
		walk_redirs(w, n, st);
	if (takes_input(n))
		w->feed = NULL;
	walk_kind(w, n, st);
	if (takes_input(n) && !is_exec(n))
		w->feed = outer;
}
