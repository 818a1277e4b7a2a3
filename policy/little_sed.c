/* policy/little_sed.c - is a sed script free of files and programs? */
#include <ctype.h>
#include <string.h>

#include "policy/little.h"
#include "common/banned.h"

static const char *
blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* [:alpha:], [.x.] or [=x=] within brackets: its last character, or NULL. */
static const char *
class_end(const char *p, char end)
{
	const char close[] = { p[1], ']', '\0' };
	const char *last = strstr(p + 2, close);

	if (last == NULL || memchr(p, end, (size_t)(last - p)) != NULL ||
	    memchr(p, '\n', (size_t)(last - p)) != NULL)
		return NULL;
	return last + 1;
}

/* Behind a text that ends at an unescaped `end`; brackets protect it not in
 * y, but in a regular expression.  NULL: it does not end. */
static const char *
delimited(const char *p, char end, bool regex)
{
	bool set = false;

	for (; *p != '\0' && *p != '\n'; p++) {
		if (*p == '\\' && p[1] != '\0') {
			p++;
		} else if (set) {
			/* sed versions differ about the end inside []: refuse */
			if (*p == end)
				return NULL;
			set = *p != ']';
			if (*p == '[' && p[1] != '\0' &&
			    strchr(":.=", p[1]) != NULL &&
			    (p = class_end(p, end)) == NULL)
				return NULL;
		} else if (*p == end) {
			return p + 1;
		} else if (regex && *p == '[') {
			set = true;
			p += p[1] == '^' ? 1 : 0;
			p += p[1] == ']' ? 1 : 0;
		}
	}
	return NULL;
}

static const char *
address(const char *p)
{
	if (isdigit((unsigned char)*p)) {
		p += strspn(p, "0123456789");
		if (*p == '~')
			p += 1 + strspn(p + 1, "0123456789");
		return p;
	}
	if (*p == '$')
		return p + 1;
	if (*p == '/')
		p = delimited(p + 1, '/', true);
	else if (*p == '\\' && p[1] != '\0' && p[1] != '\n')
		p = delimited(p + 2, p[1], true);
	else
		return p;
	if (p != NULL)
		p += strspn(p, "IM");
	return p;
}

static const char *
addresses(const char *p)
{
	p = address(blanks(p));
	if (p == NULL || *(p = blanks(p)) != ',')
		return p;
	p = blanks(p + 1);
	if (*p == '+' || *p == '~')
		p += 1 + strspn(p + 1, "0123456789");
	else
		p = address(p);
	return p;
}

/* s and y: two texts with the same delimiter, then harmless flags. */
static const char *
substitute(const char *p)
{
	bool regex = *p == 's';
	char end = p[1];

	if (end == '\0' || end == '\n' || end == '\\')
		return NULL;
	p = delimited(p + 2, end, regex);
	/* A replacement may hold newlines behind a backslash. */
	if (p != NULL)
		p = delimited(p, end, false);
	if (p == NULL)
		return NULL;
	return regex ? p + strspn(p, "gpiIM0123456789") : p;
}

/* a, i, c: the text goes to the end of its lines. */
static const char *
text(const char *p)
{
	while (*p != '\0' && *p != '\n') {
		if (*p == '\\' && p[1] != '\0')
			p++;
		p++;
	}
	return p;
}

/* One command; where it ends, NULL: not understood or not harmless. */
static const char *
command(const char *p)
{
	if (*p == 's' || *p == 'y')
		return substitute(p);
	if (*p == 'a' || *p == 'i' || *p == 'c')
		return text(p + 1);
	if (*p == 'b' || *p == 't' || *p == 'T' || *p == ':') {
		p = blanks(p + 1);
		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		return p;
	}
	if (*p == 'q' || *p == 'Q' || *p == 'l') {
		p = blanks(p + 1);
		return p + strspn(p, "0123456789");
	}
	if (*p != '\0' && strchr("pPdDhHgGxnN=zF", *p) != NULL)
		return p + 1;
	return NULL;
}

bool
sed_safe(const char *script)
{
	const char *p = script;

	while (*p != '\0') {
		p += strspn(p, " \t\n;}");
		if (*p == '#') {
			p += strcspn(p, "\n");
			continue;
		}
		if (*p == '\0')
			break;
		p = addresses(p);
		if (p == NULL)
			return false;
		p = blanks(p);
		while (*p == '!')
			p = blanks(p + 1);
		if (*p == '{') {
			p++;
			continue;
		}
		p = command(p);
		if (p == NULL)
			return false;
		p = blanks(p);
		if (*p != '\0' && strchr(";}\n#", *p) == NULL)
			return false;
	}
	return true;
}
