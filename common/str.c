#include "common/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define FEW	256		/* bytes that most texts are content with */

void
str_init(struct str *s, size_t max)
{
	*s = (struct str){ .max = max, .cap = FEW };
	s->s = xcalloc(s->cap, 1);
}

void
str_clear(struct str *s)
{
	free(s->s);
	*s = (struct str){ .max = s->max };
}

void
str_reset(struct str *s)
{
	s->len = 0;
	s->full = false;
	s->s[0] = '\0';
}

void
str_wipe(struct str *s)
{
	if (s->s != NULL)
		explicit_bzero(s->s, s->cap);
	str_clear(s);
}

static void
grow(struct str *s, size_t need)
{
	size_t cap = s->cap;

	while (cap < need + 1)
		cap *= 2;
	if (cap != s->cap) {
		s->s = xrealloc(s->s, cap, 1);
		s->cap = cap;
	}
}

void
str_addn(struct str *s, const void *bytes, size_t len)
{
	if (len > s->max - s->len) {
		len = s->max - s->len;
		s->full = true;
	}
	if (len == 0)
		return;
	grow(s, s->len + len);
	memcpy(s->s + s->len, bytes, len);
	s->len += len;
	s->s[s->len] = '\0';
}

void
str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void
str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

/* Most of what is made is short, and needs no memory of its own. */
void
str_addf(struct str *s, const char *fmt, ...)
{
	char few[FEW];
	auto_free char *many = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(few, sizeof few, fmt, ap);
	va_end(ap);
	if (n >= FEW) {
		va_start(ap, fmt);
		n = vasprintf(&many, fmt, ap);
		va_end(ap);
	}
	if (n >= 0)
		str_addn(s, n < FEW ? few : many, (size_t)n);
	else
		s->full = true;
}

char *
str_take(struct str *s)
{
	char *p = s->s;

	*s = (struct str){ .max = s->max };
	return p;
}

bool
str_eq(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

bool
str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && strcmp(s + n - k, suffix) == 0;
}
