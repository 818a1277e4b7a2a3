/* policy/brace.c - {a,b}, {1..3} and $x, where they are plain: more words. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/str.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

#define BRACES_MAX	8	/* in a word */

struct list {
	const char	*of[BRACE_WORDS];
	size_t		 n;		/* 0: not plain, or too many */
};

/* The brace that closes the one at `p`, or NULL. */
static const char *
closing(const char *p)
{
	size_t depth = 0;

	for (; *p != '\0'; p++) {
		depth += *p == '{';
		depth -= *p == '}';
		if (depth == 0)
			return p;
	}
	return NULL;
}

/* The next comma between p and `end` that is in no inner brace, or `end`. */
static const char *
comma(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		depth += *p == '{';
		depth -= *p == '}';
		if (depth == 0 && *p == ',')
			return p;
	}
	return end;
}

/* `1..12`, without signs, steps or zeros in front. */
static void
sequence(struct arena *a, const char *text, struct list *ret)
{
	const char *dots = strstr(text, "..");
	size_t n = strspn(text, "0123456789");
	size_t m = dots != NULL ? strspn(dots + 2, "0123456789") : 0;
	long from, to, step;

	ret->n = 0;
	if (n == 0 || n > 6 || text + n != dots || m == 0 || m > 6 ||
	    dots[2 + m] != '\0' || (text[0] == '0' && n > 1) ||
	    (dots[2] == '0' && m > 1))
		return;
	from = strtol(text, NULL, 10);
	to = strtol(dots + 2, NULL, 10);
	step = from <= to ? 1 : -1;
	if (labs(to - from) >= BRACE_WORDS) {
		ret->of[ret->n++] = VALUE_NUMBER;
		return;
	}
	for (;; from += step) {
		char *word = arena_get(a, 8);

		if (word == NULL) {
			ret->n = 0;
			return;
		}
		snprintf(word, 8, "%ld", from);
		ret->of[ret->n++] = word;
		if (from == to)
			return;
	}
}

static void	expand(struct arena *, const char *, struct list *);

/* What stands between the braces: `from` to `to`. */
static void
inside(struct arena *a, const char *from, const char *to, struct list *ret)
{
	struct list some;

	ret->n = 0;
	if (comma(from, to) == to) {
		const char *text = arena_text(a, from, (size_t)(to - from));

		if (text != NULL)
			sequence(a, text, ret);
		return;
	}
	for (;; from++) {
		const char *end = comma(from, to);
		const char *text = arena_text(a, from, (size_t)(end - from));

		some.n = 0;
		if (text != NULL)
			expand(a, text, &some);
		if (some.n == 0 || some.n > BRACE_WORDS - ret->n) {
			ret->n = 0;
			return;
		}
		for (size_t i = 0; i < some.n; i++)
			ret->of[ret->n++] = some.of[i];
		from = end;
		if (end == to)
			return;
	}
}

static const char *
join(struct arena *a, const char *head, size_t len, const char *mid,
    const char *tail)
{
	size_t n = strlen(mid), m = strlen(tail);
	char *v = arena_get(a, len + n + m + 1);

	if (v == NULL)
		return NULL;
	memcpy(v, head, len);
	memcpy(v + len, mid, n);
	memcpy(v + len + n, tail, m + 1);
	return v;
}

static void
expand(struct arena *a, const char *text, struct list *ret)
{
	const char *open = strchr(text, '{'), *close;
	struct list mid, tail;

	ret->n = 0;
	if (open == NULL) {
		if (strchr(text, '}') == NULL)
			ret->of[ret->n++] = text;
		return;
	}
	close = closing(open);
	if (close == NULL || memchr(text, '}', (size_t)(open - text)) != NULL)
		return;
	inside(a, open + 1, close, &mid);
	expand(a, close + 1, &tail);
	if (mid.n * tail.n > BRACE_WORDS)
		return;
	for (size_t i = 0; i < mid.n; i++)
		for (size_t k = 0; k < tail.n; k++) {
			const char *v = join(a, text, (size_t)(open - text),
			    mid.of[i], tail.of[k]);

			if (v == NULL) {
				ret->n = 0;
				return;
			}
			ret->of[ret->n++] = v;
		}
}

/* Nothing in it that another expansion could mean, but simple globs. */
static bool
plain(const char *rest)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"
	    "NOPQRSTUVWXYZ0123456789_./+@%:=,{}*?-";
	size_t braces = 0;

	for (const char *p = rest; *p != '\0'; p++)
		braces += *p == '{';
	return braces > 0 && braces <= BRACES_MAX &&
	    rest[strspn(rest, set)] == '\0';
}

/* What stands in front of the brace, as a word; false where it joins it. */
static bool
front(struct walk *w, const struct sh_word *word, struct sh_word *ret)
{
	struct sh_part **end = &ret->parts;
	const struct sh_part *p = word->parts, *last = NULL;

	*ret = *word;
	ret->parts = NULL;
	for (; p != NULL && p->kind != SH_BRACE; p = p->next) {
		struct sh_part *copy = arena_get(w->f->arena, sizeof(*copy));

		if (copy == NULL)
			return false;
		*copy = *p;
		copy->next = NULL;
		*end = copy;
		end = &copy->next;
		last = copy;
	}
	/* $x{a,b} is $xa $xb, ~{a,b} is ~a ~b */
	return p != NULL && word->assigns == 0 && plain(p->text) &&
	    (last == NULL || last->kind == SH_TEXT || last->quoted);
}

static const char *
rest_of(const struct sh_word *word)
{
	const struct sh_part *p = word->parts;

	while (p != NULL && p->kind != SH_BRACE)
		p = p->next;
	return p != NULL ? p->text : "";
}

/* $x alone, without quotes. */
static bool
is_param(const struct sh_word *word)
{
	const struct sh_part *p = word->text == NULL ? word->parts : NULL;

	return p != NULL && p->next == NULL && p->kind == SH_PARAM &&
	    !p->quoted;
}

bool
expand_several(const struct sh_word *word)
{
	return word->text == NULL && (is_param(word) ||
	    rest_of(word)[0] != '\0');
}

/* The words of a known value; 0: not known, or with more than blanks in it. */
static size_t
split(struct walk *w, const struct state *st, const struct sh_word *word,
    struct arg ret[BRACE_WORDS])
{
	static const char blank[] = " \t\n";
	const char *v = is_param(word) ?
	    state_var(w, st, word->parts->text) : NULL;
	size_t n = 0;

	if (v == NULL || !value_constant(v) || strpbrk(v, blank) == NULL ||
	    strpbrk(v, "*?[\\") != NULL)
		return 0;
	for (v += strspn(v, blank); *v != '\0'; v += strspn(v, blank)) {
		size_t len = strcspn(v, blank);
		const char *text = arena_text(w->f->arena, v, len);

		if (n == BRACE_WORDS || text == NULL)
			return 0;
		ret[n++] = (struct arg){ text, false,
		    walk_span(w, word->at, word->len), false };
		v += len;
	}
	return n;
}

size_t
expand_words(struct walk *w, struct state *st, const struct sh_word *word,
    struct arg ret[BRACE_WORDS])
{
	struct list list = { .n = 0 };
	struct sh_word before;
	struct arg head;
	size_t n = split(w, st, word, ret);

	if (n > 0)
		return n;
	if (expand_several(word) && front(w, word, &before))
		expand(w->f->arena, rest_of(word), &list);
	for (size_t i = 0; i < list.n; i++)
		if (list.of[i][0] == '\0' && before.parts == NULL)
			list.n = 0;	/* a word that is no word */
	if (list.n == 0) {
		ret[0] = expand_word(w, st, word);
		return 1;
	}
	head = (struct arg){ "", false, walk_span(w, word->at, word->len),
	    false };
	if (before.parts != NULL)
		head = expand_word(w, st, &before);
	for (size_t i = 0; i < list.n; i++) {
		const char *v = join(w->f->arena, head.val, strlen(head.val),
		    list.of[i], "");
		char *text = v == NULL ? NULL : arena_text(w->f->arena, v,
		    strlen(v));

		ret[i] = head;
		ret[i].val = text != NULL ? text : "\001";
		for (char *p = text; p != NULL && *p != '\0'; p++)
			if ((size_t)(p - text) >= strlen(head.val))
				*p = *p == '*' ? VALUE_STAR :
				    *p == '?' ? VALUE_ONE : *p;
		if (str_eq(ret[i].val, VALUE_NUMBER) &&
		    strpbrk(list.of[i], "*?") != NULL)
			ret[i].val = "\002";	/* ?* is any name */
		if (!head.many)
			ret[i].many = text == NULL ||
			    !value_constant(list.of[i]) ||
			    strpbrk(list.of[i], "*?") != NULL;
	}
	return list.n;
}
