/* policy/program.c - options and operands, as the tables say. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/program.h"
#include "policy/value.h"
#include "common/banned.h"

struct apply {
	struct run			*r;
	const struct cmd_program	*p;
	size_t				 at;	/* the next word */
	bool				 ended;	/* no options any more */
	bool				 drops, turns;
	const struct arg		**operands;
	size_t				 n;
};

/*
 * A name without quotes becomes several words where it holds blanks, and any
 * but the first may be an option.
 */
static void
take_split(const struct apply *ap, const struct arg *a)
{
	if ((a->many == ARG_SPLIT || (a->many == ARG_PART &&
	    ap->p->special != SPECIAL_test)) && !ap->p->safe)
		run_unknown(ap->r, "what names without quotes become may be "
		    "options");
}

/* `head -n $(cat f)`, `git log --since=$(cat f)`: more words follow. */
static void
take_text(const struct apply *ap, const struct arg *a)
{
	if (a->many == true && a->text)
		run_unknown(ap->r, "a value that may be several words");
}

/* A value that follows in the next word. */
static const struct arg *
next_value(struct apply *ap)
{
	const struct arg *a = &ap->r->argv[ap->at];

	if (ap->at == ap->r->argc)
		return NULL;
	take_split(ap, a);
	take_text(ap, a);
	ap->at++;
	return a;
}

static void
take_option(struct apply *ap, const struct cmd_option *o,
    const struct arg *value)
{
	ap->drops = ap->drops || o->drops;
	ap->turns = ap->turns || o->turns;
	if (o->role != ROLE_DATA)
		program_role(ap->r, (enum role)o->role, value);
}

/*
 * Only whole names: what an abbreviation means depends on options the table
 * may not have, so `--in-pl` is an option nothing is known about.
 */
static const struct cmd_option *
find_long(const struct cmd_program *p, const char *text, size_t len)
{
	for (size_t i = 0; i < p->n_options; i++) {
		const struct cmd_option *o = &commands_options[p->options + i];
		const char *name = commands_text + o->name;

		if (strncmp(name, text, len) == 0 && name[len] == '\0')
			return o;
	}
	return NULL;
}

const struct cmd_option *
program_option(const struct cmd_program *p, const char *name)
{
	return find_long(p, name, strlen(name));
}

static void
unknown_option(struct apply *ap)
{
	run_unknown(ap->r, "an option that nothing is known about");
}

static void
apply_long(struct apply *ap, const struct arg *a)
{
	size_t len = strcspn(a->val, "=");
	const struct cmd_option *o = find_long(ap->p, a->val, len);
	struct arg value = *a;

	if (o == NULL) {
		unknown_option(ap);
		return;
	}
	value.val = a->val + len + 1;
	if (o->takes == TAKES_PAIR)
		next_value(ap);
	if (o->takes == TAKES_NONE)
		take_option(ap, o, NULL);
	else if (a->val[len] == '=' && o->takes != TAKES_PAIR)
		take_option(ap, o, &value);
	else if (o->takes != TAKES_MAYBE)
		take_option(ap, o, next_value(ap));
	else
		take_option(ap, o, NULL);
}

static const struct cmd_option *
find_short(const struct apply *ap, char c)
{
	for (size_t i = 0; i < ap->p->n_options; i++) {
		const struct cmd_option *o =
		    &commands_options[ap->p->options + i];
		const char *name = commands_text + o->name;

		if (name[0] == '-' && name[1] == c && name[2] == '\0')
			return o;
	}
	return NULL;
}

/* -abc: letters until one takes the rest as its value. */
static void
apply_cluster(struct apply *ap, const struct arg *a)
{
	for (const char *c = a->val + 1; *c != '\0'; c++) {
		const struct cmd_option *o = find_short(ap, *c);
		struct arg value = *a;

		if (o == NULL && ap->p->number && *c >= '0' && *c <= '9')
			continue;
		if (o == NULL) {
			unknown_option(ap);
			return;
		}
		value.val = c + 1;
		if (o->takes == TAKES_NONE) {
			take_option(ap, o, NULL);
			continue;
		}
		if (c[1] != '\0')
			take_option(ap, o, &value);
		else if (o->takes == TAKES_VALUE)
			take_option(ap, o, next_value(ap));
		else
			take_option(ap, o, NULL);
		return;
	}
}

static bool
is_option(const struct apply *ap, const struct arg *a)
{
	if (ap->ended || ap->p->style == STYLE_TEXT)
		return false;
	if (a->val[0] == '-' && a->val[1] != '\0')
		return true;
	return ap->p->style == STYLE_SINGLE && a->val[0] == '+' &&
	    a->val[1] != '\0';
}

/* A dash that is no ASCII dash, and something behind it. */
static bool
looks_like_option(const char *v)
{
	static const char *const dashes[] = {
		"\xe2\x80\x90", "\xe2\x80\x91", "\xe2\x80\x92",
		"\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x80\x95",
		"\xe2\x88\x92", "\xef\xb9\x98", "\xef\xb9\xa3",
		"\xef\xbc\x8d"
	};

	for (size_t i = 0; i < ARRAY_LEN(dashes); i++)
		if (str_starts(v, dashes[i]) && v[3] != '\0')
			return true;
	return false;
}

static void
take_operand(struct apply *ap, const struct arg *a)
{
	static const char number[] = { VALUE_ONE, VALUE_STAR, '\0' };

	if (!ap->ended && ap->p->style != STYLE_TEXT && !ap->p->safe &&
	    ((a->many == true && a->text) || (a->val[0] > '\0' &&
	    a->val[0] < ' ' && (a->many || !str_starts(a->val, number)))))
		run_unknown(ap->r, "a word that may turn into an option");
	if (ap->p->style != STYLE_TEXT && looks_like_option(a->val))
		run_unknown(ap->r, "a word that only looks like an option");
	if (!ap->ended && ap->p->style != STYLE_TEXT)
		take_split(ap, a);
	ap->operands[ap->n++] = a;
	if (ap->p->style == STYLE_POSIX || ap->p->has_subs)
		ap->ended = true;
}

/* `publish`, `-g`: a word among others that says what all of it does. */
static void
take_known(struct apply *ap, const struct arg *a)
{
	const struct cmd_option *o = ap->p->style != STYLE_TEXT ? NULL :
	    program_option(ap->p, a->val);

	if (o != NULL)
		take_option(ap, o, NULL);
}

/* One word; false where a sub-command or a wrapped command begins. */
static bool
step(struct apply *ap)
{
	const struct arg *a = &ap->r->argv[ap->at];

	if (!is_option(ap, a)) {
		if (ap->p->has_subs)
			return false;
		ap->at++;
		take_known(ap, a);
		take_operand(ap, a);
		return true;
	}
	ap->at++;
	take_split(ap, a);
	if (a->val[0] == '-')
		take_text(ap, a);
	if (str_eq(a->val, "--"))
		ap->ended = true;
	else if (ap->p->style == STYLE_SINGLE || str_starts(a->val, "--"))
		apply_long(ap, a);
	else
		apply_cluster(ap, a);
	return true;
}

static struct cmd_takes
takes_of(const struct apply *ap)
{
	struct cmd_takes t = ap->turns ? ap->p->turned : ap->p->takes;

	if (ap->drops && t.n_first > 0) {
		t.first++;
		t.n_first--;
	}
	return t;
}

/* Behind a word that may be none or several: every role from there on. */
static void
every_role(struct run *r, const struct cmd_takes *t, size_t from,
    const struct arg *a)
{
	for (size_t i = from; i < t->n_first; i++)
		program_role(r, (enum role)commands_roles[t->first + i], a);
	if (t->has_rest)
		program_role(r, (enum role)t->rest, a);
	if (t->has_last)
		program_role(r, (enum role)t->last, a);
}

/* `declare -a a=(1 2)` has a word that is none. */
static bool
takes_list(const struct sh_node *n)
{
	const struct sh_assign *a = n != NULL ? n->assigns : NULL;

	while (a != NULL && a->at < n->words->at)
		a = a->next;
	return a != NULL;
}

static void
apply_operands(struct apply *ap)
{
	struct cmd_takes t = takes_of(ap);
	size_t loose = ap->n;	/* the first word that may be several */

	if (ap->n == 0 && ap->p->alone != ROLE_DATA && !ap->turns &&
	    !takes_list(ap->r->node))
		program_role(ap->r, (enum role)ap->p->alone, NULL);
	for (size_t i = 0; i < ap->n; i++) {
		const struct arg *a = ap->operands[i];
		enum role role;

		if (loose == ap->n && a->many && strchr(a->val, VALUE_ANY))
			loose = i;
		if (i < t.n_first)
			role = (enum role)commands_roles[t.first + i];
		else if (t.has_last && i == ap->n - 1)
			role = (enum role)t.last;
		else if (t.has_rest)
			role = (enum role)t.rest;
		else
			role = ROLE_ASK;
		if (role == ROLE_COMMAND) {
			run_wrapped(ap->r, (size_t)(a - ap->r->argv));
			return;
		}
		/* Text is text, one word or several. */
		if (role != ROLE_DATA || i < t.n_first || t.has_last)
			take_split(ap, a);
		if (i < t.n_first || t.has_last)
			take_text(ap, a);
		program_role(ap->r, role, a);
		if (loose <= i)
			every_role(ap->r, &t, loose, a);
	}
}

static void
apply_sub(struct apply *ap)
{
	const struct cmd_program *sub = program_sub(ap->p,
	    &ap->r->argv[ap->at]);

	if (sub != NULL)
		program_apply(ap->r, sub, ap->at + 1);
	else if (ap->p->needs_sub)
		run_unknown(ap->r, "a sub-command that nothing is known about");
	else {
		/* no sub-command: these are operands of its own */
		struct cmd_program plain = *ap->p;

		plain.has_subs = false;
		program_apply(ap->r, &plain, ap->at);
	}
}

const struct arg **
program_room(struct run *r)
{
	return arena_get(r->w->f->arena, (r->argc + 1) * sizeof(void *));
}

size_t
program_operands(struct run *r, const struct cmd_program *p, size_t from,
    const struct arg **ret)
{
	struct apply ap = { .r = r, .p = p, .at = from, .operands = ret };

	while (ap.at < r->argc && step(&ap))
		;
	return ap.n;
}

/* Specials look at their words themselves; these two at all that there are. */
static void
special_split(const struct apply *ap)
{
	if (ap->p->special == SPECIAL_cd || ap->p->special == SPECIAL_git)
		return;
	for (size_t i = ap->at; i < ap->r->argc; i++)
		take_split(ap, &ap->r->argv[i]);
}

/* With a sub-command it is the sub-command that does things. */
static void
apply_does(const struct apply *ap)
{
	for (size_t i = 0; i < ap->p->n_does; i++)
		program_role(ap->r, (enum role)
		    commands_roles[ap->p->does + i], NULL);
}

void
program_apply(struct run *r, const struct cmd_program *p, size_t from)
{
	struct apply ap = { .r = r, .p = p, .at = from };

	if (!p->has_subs)
		apply_does(&ap);
	program_host(r, p);
	if (p->special != SPECIAL_NONE) {
		special_split(&ap);
		special_run(r, p, from);
		return;
	}
	ap.operands = program_room(r);
	if (ap.operands == NULL)
		return;
	while (ap.at < r->argc && step(&ap))
		;
	if (ap.at < r->argc)
		apply_sub(&ap);
	else
		apply_operands(&ap);
	/* Without a word that could be one: `yarn`, `ts-node < x`. */
	if (p->has_subs && ap.at == r->argc && ap.n == 0)
		apply_does(&ap);
}
