/*
 * The shortest way from one text to the other, line by line (Myers 1986),
 * between the common head and the common tail.
 */
#include "common/diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define CONTEXT		3
#define EDITS_MAX	1000	/* beyond, all between head and tail differs */

struct side {
	const struct str *s;
	size_t	*at;		/* where line i begins; at[n] is the end */
	bool	*gone;		/* the other side has no such line */
	size_t	 n;
};

/* A last line without its LF is another line than one with it. */
static void
side_init(struct side *d, const struct str *s)
{
	size_t n = 0, cap = 64;

	*d = (struct side){ .s = s, .at = xcalloc(cap, sizeof *d->at) };
	for (size_t at = 0; at < s->len; ) {
		const char *nl = memchr(s->s + at, '\n', s->len - at);

		at = nl == NULL ? s->len : (size_t)(nl - s->s) + 1;
		if (++n == cap) {
			cap *= 2;
			d->at = xrealloc(d->at, cap, sizeof *d->at);
		}
		d->at[n] = at;
	}
	d->n = n;
	d->gone = xcalloc(n + 1, sizeof *d->gone);
}

static void
side_clear(struct side *d)
{
	free(d->at);
	free(d->gone);
}

struct pair {
	struct side	 a, b;
	size_t		 head, na, nb;	/* lines that may differ */
};

static bool
same(const struct pair *p, size_t i, size_t j)
{
	size_t n = p->a.at[i + 1] - p->a.at[i];

	return n == p->b.at[j + 1] - p->b.at[j] &&
	    memcmp(p->a.s->s + p->a.at[i], p->b.s->s + p->b.at[j], n) == 0;
}

static void
trim(struct pair *p)
{
	size_t a = p->a.n, b = p->b.n, least = a < b ? a : b, head = 0;

	while (head < least && same(p, head, head))
		head++;
	while (a > head && b > head && same(p, a - 1, b - 1)) {
		a--;
		b--;
	}
	p->head = head;
	p->na = a - head;
	p->nb = b - head;
}

/* --- the search ---------------------------------------------------------- */

/*
 * far[d] holds, for every diagonal k = x - y in -d .. d, how far d edits lead:
 * at [k + d].
 */
struct search {
	int32_t	*far[EDITS_MAX + 1];
	int	 d;		/* edits that lead to the end; -1: too many */
};

static int
step(const struct pair *p, const int32_t *last, int d, int k)
{
	/* last has diagonals -(d-1) .. d-1; at [k + d - 1]. */
	bool down = k == -d || (k != d && last[k + d - 2] < last[k + d]);
	int x = d == 0 ? 0 : down ? last[k + d] : last[k + d - 2] + 1;

	while (x < (int)p->na && x - k < (int)p->nb &&
	    same(p, p->head + (size_t)x, p->head + (size_t)(x - k)))
		x++;
	return x;
}

/* With d edits, on every diagonal: is that enough? */
static bool
reach(const struct pair *p, struct search *s, int d)
{
	int end = (int)p->na - (int)p->nb;

	s->far[d] = xcalloc(2 * (size_t)d + 1, sizeof *s->far[d]);
	for (int k = -d; k <= d; k += 2) {
		int x = step(p, d == 0 ? NULL : s->far[d - 1], d, k);

		s->far[d][k + d] = x;
		if (k == end && x >= (int)p->na)
			return true;
	}
	return false;
}

static void
search(const struct pair *p, struct search *s)
{
	for (int d = 0; d <= EDITS_MAX && s->d == -1; d++)
		if (reach(p, s, d))
			s->d = d;
}

/* From the end back: which lines were edits. */
static void
trace(struct pair *p, const struct search *s)
{
	int k = (int)p->na - (int)p->nb;

	for (int d = s->d; d > 0; d--) {
		const int32_t *last = s->far[d - 1];
		bool down = k == -d ||
		    (k != d && last[k + d - 2] < last[k + d]);
		int x = down ? last[k + d] : last[k + d - 2];
		int from = down ? k + 1 : k - 1;

		if (down)
			p->b.gone[p->head + (size_t)(x - from)] = true;
		else
			p->a.gone[p->head + (size_t)x] = true;
		k = from;
	}
}

static void
compare(struct pair *p)
{
	struct search *s = xcalloc(1, sizeof *s);
	bool fits = p->na < INT32_MAX / 2 && p->nb < INT32_MAX / 2;

	s->d = -1;
	if (fits)
		search(p, s);
	if (s->d >= 0)
		trace(p, s);
	for (size_t i = 0; s->d < 0 && i < p->na; i++)
		p->a.gone[p->head + i] = true;
	for (size_t i = 0; s->d < 0 && i < p->nb; i++)
		p->b.gone[p->head + i] = true;
	for (size_t i = 0; i <= EDITS_MAX; i++)
		free(s->far[i]);
	free(s);
}

/* --- showing it ---------------------------------------------------------- */

static void
put(char mark, const struct side *d, size_t i, struct str *ret)
{
	size_t len = d->at[i + 1] - d->at[i];

	len -= d->s->s[d->at[i] + len - 1] == '\n';
	str_addc(ret, mark);
	visible(d->s->s + d->at[i], len, VISIBLE_TAB, ret);
	str_addc(ret, '\n');
}

/* Lines until the next edit, from a place where both are at one. */
static size_t
quiet(const struct pair *p, size_t i, size_t j)
{
	size_t n = 0;

	while (i + n < p->a.n && j + n < p->b.n && !p->a.gone[i + n] &&
	    !p->b.gone[j + n])
		n++;
	return n;
}

/* Edits and the context around them; ends where nothing more is near. */
static void
put_hunk(const struct pair *p, size_t *i, size_t *j, struct str *ret)
{
	for (;;) {
		size_t n;

		while (*i < p->a.n && p->a.gone[*i])
			put('-', &p->a, (*i)++, ret);
		while (*j < p->b.n && p->b.gone[*j])
			put('+', &p->b, (*j)++, ret);
		n = quiet(p, *i, *j);
		if (n > 2 * CONTEXT || *i + n == p->a.n) {
			n = n < CONTEXT ? n : CONTEXT;
			for (; n > 0; n--, (*j)++)
				put(' ', &p->a, (*i)++, ret);
			return;
		}
		for (; n > 0; n--, (*j)++)
			put(' ', &p->a, (*i)++, ret);
		if (*i == p->a.n && *j == p->b.n)
			return;
	}
}

static void
put_all(const struct pair *p, struct str *ret)
{
	size_t i = 0, j = 0;

	while (i < p->a.n || j < p->b.n) {
		size_t n = quiet(p, i, j);
		size_t skip = n > CONTEXT ? n - CONTEXT : 0;

		if (i + n == p->a.n && j + n == p->b.n)
			return;
		if (skip > 0)
			str_addf(ret, "@@ line %zu @@\n", j + skip + 1);
		i += skip;
		j += skip;
		for (n -= skip; n > 0; n--, j++)
			put(' ', &p->a, i++, ret);
		put_hunk(p, &i, &j, ret);
	}
}

void
diff_lines(const char *name, const struct str *old, const struct str *new,
    struct str *ret)
{
	struct pair p = { 0 };

	if (old->len == new->len && memcmp(old->s, new->s, old->len) == 0)
		return;

	auto_free char *shown = visible_line(name);

	side_init(&p.a, old);
	side_init(&p.b, new);
	trim(&p);
	compare(&p);
	str_addf(ret, "--- %s\n+++ %s\n", shown, shown);
	put_all(&p, ret);
	side_clear(&p.a);
	side_clear(&p.b);
}
