#include "common/visible.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/visible_table.h"

#include "common/banned.h"

#define MARKS_PER_BASE	3
#define GROWTH_MAX	6	/* one bad byte becomes <\xff> */

/* What becomes of one character: `out`, or the n bytes it has, unchanged. */
struct step {
	size_t	n;		/* bytes of input */
	bool	hidden;		/* out holds what is shown instead */
	bool	base;		/* marks may stand on it */
	bool	mark;
	char	out[12];	/* "<U+10FFFF>" */
};

static bool
in_table(const struct visible_range *r, size_t n, uint32_t cp)
{
	while (n > 0) {
		size_t half = n / 2;

		if (cp > r[half].last) {
			r += half + 1;
			n -= half + 1;
		} else if (cp < r[half].first) {
			n = half;
		} else {
			return true;
		}
	}
	return false;
}

static void
step_ascii(struct step *s, unsigned char c, enum visible_flags flags)
{
	if ((c == '\n' && (flags & VISIBLE_NEWLINE) != 0) ||
	    (c == '\t' && (flags & VISIBLE_TAB) != 0))
		return;
	s->hidden = c < 0x20 || c == 0x7f;
	s->base = !s->hidden;
	if (s->hidden)
		snprintf(s->out, sizeof s->out, "^%c", c ^ 0x40);
}

static void
step_wide(struct step *s, uint32_t cp, unsigned marks_left)
{
	s->mark = in_table(visible_mark_ranges, visible_mark_n, cp);
	s->hidden = (s->mark && marks_left == 0) ||
	    in_table(visible_hidden_ranges, visible_hidden_n, cp);
	s->base = !s->hidden && !s->mark;
	if (s->hidden)
		snprintf(s->out, sizeof s->out, "<U+%04X>", (unsigned)cp);
}

static struct step
step_at(const char *p, size_t len, enum visible_flags flags,
    unsigned marks_left)
{
	struct step s = { .n = 1 };
	uint32_t cp;
	size_t n = utf8_next(p, len, &cp);

	if (n == 0) {
		s.hidden = true;
		snprintf(s.out, sizeof s.out, "<\\x%02x>", (unsigned char)*p);
	} else if (n == 1) {
		step_ascii(&s, (unsigned char)*p, flags);
	} else {
		s.n = n;
		step_wide(&s, cp, marks_left);
	}
	return s;
}

/* Whole or not at all, and nothing behind a gap: half a character would lie. */
static void
put(struct str *ret, const char *p, size_t n)
{
	if (ret->full || n > ret->max - ret->len)
		ret->full = true;
	else
		str_addn(ret, p, n);
}

static size_t
walk(const char *p, size_t len, enum visible_flags flags, struct str *ret)
{
	unsigned marks_left = 0;
	size_t hidden = 0;

	while (len > 0) {
		struct step s = step_at(p, len, flags, marks_left);

		if (s.base)
			marks_left = MARKS_PER_BASE;
		else
			marks_left = s.mark && !s.hidden ? marks_left - 1 : 0;
		if (ret != NULL)
			put(ret, s.hidden ? s.out : p,
			    s.hidden ? strlen(s.out) : s.n);
		hidden += s.hidden;
		p += s.n;
		len -= s.n;
	}
	return hidden;
}

size_t
visible(const char *text, size_t len, enum visible_flags flags,
    struct str *ret)
{
	return walk(text, len, flags, ret);
}

char *
visible_line(const char *text)
{
	size_t len = strlen(text);
	struct str s;

	str_init(&s, len * GROWTH_MAX);
	visible(text, len, VISIBLE_LINE, &s);
	return str_take(&s);
}

size_t
visible_hidden(const char *text, size_t len)
{
	return walk(text, len, VISIBLE_TEXT, NULL);
}
