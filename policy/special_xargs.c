/* policy/special_xargs.c - a command with words that a pipe brings. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

/* Long options whose value is the next word. */
static bool
takes_word(const char *v)
{
	static const char *const names[] = { "--max-args", "--max-procs",
		"--max-chars", "--delimiter", "--arg-file" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(v, names[i]))
			return true;
	return false;
}

/* -n, -L and -l: of these and -I it is the last that counts. */
static bool
counts(const char *v)
{
	const char *c = v[0] == '-' ? v + 1 + strspn(v + 1, "0rtxp") : "";

	return str_starts(v, "--max-args") || str_starts(v, "--max-lines") ||
	    (*c != '\0' && strchr("nLl", *c) != NULL);
}

/*
 * What -I, -i or --replace make of a word in the command; NULL: none does.
 * *ret_not: perhaps it does not, and the names go behind it after all.
 */
static const char *
xargs_sign(const struct run *r, size_t from, size_t to, bool *ret_not)
{
	const char *sign = NULL;

	for (size_t i = from; i < to; i++) {
		const char *v = r->argv[i].val;
		size_t n = 1 + strspn(v + (v[0] != '\0'), "0rtxp");

		*ret_not = *ret_not || counts(v);
		if (str_starts(v, "--replace"))
			sign = v[9] == '=' ? v + 10 : "{}";
		else if (takes_word(v))
			i++;
		else if (v[0] != '-' || v[1] == '-')
			continue;
		else if (v[n] == 'i')
			sign = v[n + 1] != '\0' ? v + n + 1 : "{}";
		else if (v[n] == 'I' && v[n + 1] != '\0')
			sign = v + n + 1;
		else if (v[n] == 'I' && i + 1 < to)
			sign = r->argv[++i].val;
		else if (v[n] != '\0' && v[n + 1] == '\0' &&
		    strchr("le", v[n]) == NULL)
			i++;		/* its value */
	}
	return sign;
}

/* Without -0 or -d, blanks and quotes in a name make several words of it. */
static bool
splits(const struct run *r, size_t to)
{
	for (size_t i = 1; i < to; i++) {
		const char *v = r->argv[i].val;
		size_t n = strspn(v, "-rtxp");

		if (str_eq(v, "--null") || str_starts(v, "--delim") ||
		    (v[0] == '-' && v[1] != '-' && (v[n] == '0' ||
		    v[n] == 'd')))
			return false;
	}
	return true;
}

/* Its command, with name i behind it or instead of the sign. */
static void
xargs_one(struct run *r, size_t at, const char *sign,
    const struct names *names, size_t i)
{
	bool several = sign == NULL && splits(r, at);
	struct run in = *r;

	in.argc = r->argc - at + (sign == NULL);
	in.argv = arena_get(r->w->f->arena, in.argc * sizeof(*in.argv));
	if (in.argv == NULL)
		return;
	for (size_t k = 0; at + k < r->argc; k++) {
		in.argv[k] = r->argv[at + k];
		if (sign == NULL || strstr(in.argv[k].val, sign) == NULL)
			continue;
		in.argv[k].val = found_splice(r, in.argv[k].val, sign, names,
		    i);
	}
	if (sign == NULL)
		in.argv[in.argc - 1] = (struct arg){ names->of[i].value,
		    several ? ARG_SPLIT : true, r->span, false };
	in.deep = found_deep(names, i);
	in.cmd = NULL;
	run_wrapped(&in, 0);
}

/* No -a, which is not from the pipe, and no -d, which cuts names in parts. */
static bool
whole_lines(const struct run *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const char *v = r->argv[i].val;
		bool dash = v[0] == '-' && v[1] != '-';
		const char *d = dash ? strchr(v, 'd') : NULL;

		if (str_starts(v, "--arg-file") || str_starts(v, "--delim") ||
		    (dash && strchr(v, 'a') != NULL))
			return false;
		if (d == NULL)
			continue;
		d = d[1] != '\0' || i + 1 == to ? d + 1 : r->argv[i + 1].val;
		if (!str_eq(d, "\\n") && !str_eq(d, "\n") &&
		    !str_eq(d, "\\0"))
			return false;
	}
	return true;
}

/* Words from its input; the walk's feed is what is known about them. */
void
special_xargs(struct run *r, const struct cmd_program *p, size_t from)
{
	static const struct names any = { .of = { { "\001", false, false } },
	    .n = 1 };
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);
	const struct names *feed = r->w->feed != NULL ? r->w->feed : &any;
	struct names tops;
	bool not = false;
	const char *sign;
	size_t at;

	if (n == 0)
		return;		/* echo */
	at = (size_t)(words[0] - r->argv);
	sign = xargs_sign(r, from, at, &not);
	if (!whole_lines(r, from, at))
		feed = &any;
	if (sign != NULL && (sign[0] == '\0' || !value_constant(sign)))
		run_unknown(r, "nobody knows which words it replaces");
	/* Alone it takes no number. */
	for (size_t i = from; i < at; i++)
		if (str_eq(r->argv[i].val, "--max-lines"))
			run_unknown(r, "a value that may be its command");
	/* What find feeds lies at any depth below where it starts. */
	for (size_t i = 0; i < feed->n_starts; i++) {
		struct arg a = { feed->start[i], true, r->span, false };

		run_path(r, PATH_TREE, &a);
	}
	for (size_t i = 0; i < feed->n && !r->w->f->spent; i++)
		xargs_one(r, at, sign, feed, i);
	for (size_t i = 0; i < feed->n && sign != NULL && not &&
	    !r->w->f->spent; i++)
		xargs_one(r, at, NULL, feed, i);
	if (sign != NULL && found_glued(r, at, sign, feed, &tops))
		for (size_t i = 0; i < tops.n && !r->w->f->spent; i++)
			xargs_one(r, at, sign, &tops, i);
}
