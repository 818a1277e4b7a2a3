/* policy/value.c - matching what is half known. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "policy/value.h"
#include "common/banned.h"

#define MEET_MAX	512

bool
value_constant(const char *v)
{
	static const char marks[] = { VALUE_ANY, VALUE_STAR, VALUE_ONE, '\0' };

	return strpbrk(v, marks) == NULL;
}

bool
value_number(const char *v)
{
	size_t sign = v[0] == '-' ? 1 : 0;

	return strcmp(v, VALUE_NUMBER) == 0 || (v[sign] != '\0' &&
	    v[sign + strspn(v + sign, "0123456789")] == '\0');
}

static bool
many(char c)
{
	return c == VALUE_ANY || c == VALUE_STAR;
}

/* Can the wild character `wild` stand for the character `c` of the other? */
static bool
covers(char wild, char c, bool first)
{
	if (wild == VALUE_ANY)
		return true;
	return c != '/' && !(first && c == '.');
}

static bool
fits(char a, char b, bool first)
{
	if (a == VALUE_ONE || b == VALUE_ONE)
		return covers(a == VALUE_ONE ? a : b,
		    a == VALUE_ONE ? b : a, first);
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* One row of the table: which ends in b are reachable behind a[i]. */
static void
meet_row(char a, const char *b, const bool *old, bool *new, bool first)
{
	size_t m = strlen(b);

	new[0] = old[0] && many(a);
	for (size_t j = 1; j <= m; j++) {
		char c = b[j - 1];
		bool start = first && j == 1;

		new[j] = false;
		if (many(a) && old[j])
			new[j] = true;		/* a stands for nothing */
		else if (many(c) && new[j - 1])
			new[j] = true;		/* c stands for nothing */
		else if (many(a) && new[j - 1] &&
		    (many(c) || covers(a, c, start)))
			new[j] = true;		/* a stands for c too */
		else if (many(c) && old[j] &&
		    (many(a) || covers(c, a, start)))
			new[j] = true;
		else if (!many(a) && !many(c) && old[j - 1] &&
		    fits(a, c, start))
			new[j] = true;
	}
}

bool
value_meets(const char *a, const char *b)
{
	bool rows[2][MEET_MAX + 1] = { { false } };
	size_t n = strlen(a), m = strlen(b);
	int at = 0;

	if (n > MEET_MAX || m > MEET_MAX)
		return true;	/* too long to tell */
	rows[0][0] = true;
	for (size_t j = 1; j <= m && many(b[j - 1]); j++)
		rows[0][j] = true;
	for (size_t i = 0; i < n; i++) {
		meet_row(a[i], b, rows[at], rows[!at], i == 0);
		at = !at;
	}
	return rows[at][m];
}

void
value_from_glob(char *v)
{
	char *to = v;

	for (; *v != '\0'; v++) {
		if (v[0] == '*' && v[1] == '*') {
			*to++ = VALUE_ANY;
			v++;
		} else if (*v == '*') {
			*to++ = VALUE_STAR;
		} else if (*v == '?') {
			*to++ = VALUE_ONE;
		} else {
			*to++ = *v;
		}
	}
	*to = '\0';
}
