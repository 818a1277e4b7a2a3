#include "common/diff.h"

#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define CONTEXT	3

static bool
starts_line(const struct str *s, size_t at)
{
	return at == 0 || s->s[at - 1] == '\n';
}

/* Where the line that holds byte `at` begins. */
static size_t
line_start(const struct str *s, size_t at)
{
	while (!starts_line(s, at))
		at--;
	return at;
}

static size_t
line_end(const struct str *s, size_t at)
{
	const char *nl = memchr(s->s + at, '\n', s->len - at);

	return nl == NULL ? s->len : (size_t)(nl - s->s) + 1;
}

static void
put(char mark, const struct str *s, size_t from, size_t to, struct str *ret)
{
	while (from < to) {
		size_t end = line_end(s, from);
		size_t len = end - from - (s->s[end - 1] == '\n');

		str_addc(ret, mark);
		visible(s->s + from, len, VISIBLE_TAB, ret);
		str_addc(ret, '\n');
		from = end;
	}
}

void
diff_lines(const char *name, const struct str *old, const struct str *new,
    struct str *ret)
{
	size_t head = 0, tail = 0, from, before, after;
	size_t least = old->len < new->len ? old->len : new->len;

	if (old->len == new->len && memcmp(old->s, new->s, old->len) == 0)
		return;
	while (head < least && old->s[head] == new->s[head])
		head++;
	head = line_start(new, head);
	while (tail < least - head &&
	    old->s[old->len - tail - 1] == new->s[new->len - tail - 1])
		tail++;
	/* Only whole lines belong to the tail. */
	while (tail > 0 && !(starts_line(old, old->len - tail) &&
	    starts_line(new, new->len - tail)))
		tail--;
	before = head;
	for (int i = 0; i < CONTEXT && before > 0; i++)
		before = line_start(new, before - 1);
	after = new->len - tail;
	for (int i = 0; i < CONTEXT && after < new->len; i++)
		after = line_end(new, after);
	from = new->len - tail;

	auto_free char *shown = visible_line(name);

	str_addf(ret, "--- %s\n+++ %s\n", shown, shown);
	put(' ', new, before, head, ret);
	put('-', old, head, old->len - tail, ret);
	put('+', new, head, from, ret);
	put(' ', new, from, after, ret);
}
