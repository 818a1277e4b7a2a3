/* policy/program.c - options and operands, as the tables say. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/hosts.h"
#include "policy/little.h"
#include "policy/program.h"
#include "policy/protect.h"
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
	[ROLE_SED] = { -1, -1 },
	[ROLE_AWK] = { -1, -1 },
	[ROLE_JQ] = { -1, -1 },
	[ROLE_INLINE] = { -1, EFFECT_EXEC },
	[ROLE_MODE] = { -1, -1 },
	[ROLE_WORD] = { -1, -1 },
	[ROLE_REV] = { PATH_READ, -1 },
	[ROLE_COMMAND] = { -1, -1 },
};

static void
role_net(struct run *r, const struct arg *a)
{
	char host[HOST_MAX];
	char *copy;

	if (!value_constant(a->val) || !host_of_url(a->val, host)) {
		run_effect(r, EFFECT_NET, value_constant(a->val) ? a->val :
		    "an address that is not known");
		return;
	}
	copy = arena_text(r->w->f->arena, host, strlen(host));
	if (copy != NULL && !host_allowed(r->w->f->policy, host))
		run_effect(r, EFFECT_NET, copy);
}

static void
role_sets(struct run *r, const struct arg *a)
{
	size_t n = strcspn(a->val, "=");
	char *name = arena_text(r->w->f->arena, a->val, n);

	if (name == NULL || a->many || !shell_is_name(name, n))
		run_unknown(r, "the name of a variable that may be code");
	else if (state_grave(name))
		run_unknown(r, "it sets a variable that programs obey");
	else
		state_set(r->w, r->st, name, a->val[n] == '=' ?
		    a->val + n + 1 : "\001");
}

/* A program in a language that is understood well enough to be harmless. */
static void
role_little(struct run *r, const struct arg *a, bool (*safe)(const char *))
{
	if (protect_named(r->w->f->policy, a->val))
		run_effect(r, EFFECT_CONNECTOR, a->val);
	else if (a->many || !value_constant(a->val) || !safe(a->val))
		run_unknown(r, "a small program that can do more than read");
}

/* REV:PATH shows the path's content as well. */
static void
role_rev(struct run *r, const struct arg *a)
{
	const char *colon = strchr(a->val, ':');
	struct arg path = *a;

	if (colon == NULL)
		return;
	path.val = colon + 1;
	run_path(r, PATH_READ, &path);
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
role_script(struct run *r, const struct arg *a)
{
	struct state own = { .cwds = r->st->cwds };

	if (!value_constant(a->val) || a->many)
		run_unknown(r, "shell text that is not known before it runs");
	else
		walk_text(r->w, a->val, a->span, &own);
}

void
program_role(struct run *r, enum role role, const struct arg *a)
{
	static const char nowhere[] = { VALUE_ANY, '\0' };

	if (a != NULL && meaning[role].path == -1 && role != ROLE_DATA &&
	    protect_word(a->val)) {
		run_effect(r, EFFECT_CONNECTOR, a->val);
		return;
	}
	if (role == ROLE_REV && a != NULL)
		role_rev(r, a);
	if (role == ROLE_NET && a != NULL)
		role_net(r, a);
	else if (role == ROLE_SETS && a != NULL)
		role_sets(r, a);
	else if (role == ROLE_SCRIPT && a != NULL)
		role_script(r, a);
	else if (role == ROLE_INLINE && a != NULL)
		role_inline(r, a);
	else if (role == ROLE_SED && a != NULL)
		role_little(r, a, sed_safe);
	else if (role == ROLE_AWK && a != NULL)
		role_little(r, a, awk_safe);
	else if (role == ROLE_JQ && a != NULL)
		role_little(r, a, jq_safe);
	else if (role == ROLE_MODE && a != NULL)
		role_little(r, a, mode_safe);
	else if (meaning[role].path != -1) {
		struct arg all = { nowhere, true, r->span };

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

struct apply {
	struct run			*r;
	const struct cmd_program	*p;
	size_t				 at;	/* the next word */
	bool				 ended;	/* no options any more */
	bool				 drops, turns;
	const struct arg		**operands;
	size_t				 n;
};

/* A value that follows in the next word. */
static const struct arg *
next_value(struct apply *ap)
{
	return ap->at < ap->r->argc ? &ap->r->argv[ap->at++] : NULL;
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
find_long(const struct apply *ap, const char *text, size_t len)
{
	for (size_t i = 0; i < ap->p->n_options; i++) {
		const char *name = ap->p->options[i].name;

		if (strncmp(name, text, len) == 0 && name[len] == '\0')
			return &ap->p->options[i];
	}
	return NULL;
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
	const struct cmd_option *o = find_long(ap, a->val, len);
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
		const char *name = ap->p->options[i].name;

		if (name[0] == '-' && name[1] == c && name[2] == '\0')
			return &ap->p->options[i];
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

/* Has the table an option that a word nobody knows must not become? */
static bool
has_grave_option(const struct cmd_program *p)
{
	for (size_t i = 0; i < p->n_options; i++)
		if (p->options[i].turns || (p->options[i].role > ROLE_TREE &&
		    p->options[i].role != ROLE_KEEP))
			return true;
	return p->special != SPECIAL_NONE;
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

	if (!ap->ended && ap->p->style != STYLE_TEXT &&
	    a->val[0] > '\0' && a->val[0] < ' ' && !str_eq(a->val, number) &&
	    has_grave_option(ap->p))
		run_unknown(ap->r, "a word that may turn into an option");
	if (ap->p->style != STYLE_TEXT && looks_like_option(a->val))
		run_unknown(ap->r, "a word that only looks like an option");
	ap->operands[ap->n++] = a;
	if (ap->p->style == STYLE_POSIX || ap->p->has_subs)
		ap->ended = true;
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
		take_operand(ap, a);
		return true;
	}
	ap->at++;
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

/* A word that may be several can stand anywhere: every role is tried. */
static void
every_role(struct run *r, const struct cmd_takes *t, const struct arg *a)
{
	for (size_t i = 0; i < t->n_first; i++)
		program_role(r, (enum role)t->first[i], a);
	if (t->has_rest)
		program_role(r, (enum role)t->rest, a);
	if (t->has_last)
		program_role(r, (enum role)t->last, a);
}

static void
apply_operands(struct apply *ap)
{
	struct cmd_takes t = takes_of(ap);
	bool loose = false;

	for (size_t i = 0; i < ap->n; i++) {
		const struct arg *a = ap->operands[i];
		enum role role;

		loose = loose || (a->many && strchr(a->val, VALUE_ANY));
		if (i < t.n_first)
			role = (enum role)t.first[i];
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
		program_role(ap->r, role, a);
		if (loose)
			every_role(ap->r, &t, a);
	}
}

static void
apply_sub(struct apply *ap)
{
	const struct arg *a = &ap->r->argv[ap->at];
	const struct cmd_program *sub = NULL;
	char name[128];
	size_t n = strlen(ap->p->name), m = strlen(a->val);

	if (value_constant(a->val) && !a->many && n + m + 2 < sizeof(name)) {
		memcpy(name, ap->p->name, n);
		name[n] = ' ';
		memcpy(name + n + 1, a->val, m + 1);
		sub = commands_find(name);
	}
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

size_t
program_operands(struct run *r, const struct cmd_program *p, size_t from,
    const struct arg **ret)
{
	struct apply ap = { .r = r, .p = p, .at = from, .operands = ret };

	while (ap.at < r->argc && step(&ap))
		;
	return ap.n;
}

void
program_apply(struct run *r, const struct cmd_program *p, size_t from)
{
	struct apply ap = { .r = r, .p = p, .at = from };

	/* With a sub-command it is the sub-command that does things. */
	for (size_t i = 0; i < p->n_does && !p->has_subs; i++)
		program_role(r, (enum role)p->does[i], NULL);
	if (p->special != SPECIAL_NONE) {
		special_run(r, p, from);
		return;
	}
	ap.operands = arena_get(r->w->f->arena,
	    (r->argc + 1) * sizeof(*ap.operands));
	if (ap.operands == NULL)
		return;
	while (ap.at < r->argc && step(&ap))
		;
	if (ap.at < r->argc)
		apply_sub(&ap);
	else
		apply_operands(&ap);
}
