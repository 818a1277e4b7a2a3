#include "jail/glob.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

bool
glob_is(const char *text)
{
	return (text[0] == '/' && text[1] == '/') ||
	    strpbrk(text, "*?") != NULL;
}

/* Do the first components, of m and n bytes, match? */
static bool
component_match(const char *pattern, size_t m, const char *path, size_t n)
{
	size_t plain = strcspn(pattern, "*?[");

	if (m == 0 || n == 0)
		return false;
	/* Every file of a tree is asked about, and few begin alike. */
	if (plain >= m)
		return m == n && memcmp(pattern, path, n) == 0;
	if (n < plain || memcmp(pattern, path, plain) != 0)
		return false;

	auto_free char *a = xstrndup(pattern, m), *b = xstrndup(path, n);

	return fnmatch(a, b, FNM_NOESCAPE) == 0;
}

static const char *
skip_slashes(const char *p)
{
	return p + strspn(p, "/");
}

static bool
is_any_depth(const char *p)
{
	return p[0] == '*' && p[1] == '*' && (p[2] == '/' || p[2] == '\0');
}

/*
 * Two stars are tried with every number of components.  As in every wild-card
 * matcher the last of them alone need be tried again, so that the time stays
 * within length times length.
 */
bool
glob_match(const char *pattern, const char *path)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		pattern = skip_slashes(pattern);
		path = skip_slashes(path);
		if (is_any_depth(pattern)) {
			star = pattern += 2;
			retry = path;
			continue;
		}
		size_t m = strcspn(pattern, "/"), n = strcspn(path, "/");

		if (m == 0 && n == 0)
			return true;
		if (component_match(pattern, m, path, n)) {
			pattern += m;
			path += n;
			continue;
		}
		if (star == NULL || *retry == '\0')
			return false;
		retry = skip_slashes(retry + strcspn(retry, "/"));
		pattern = star;
		path = retry;
	}
}

bool
glob_leads(const char *pattern, const char *path)
{
	for (;;) {
		pattern = skip_slashes(pattern);
		path = skip_slashes(path);
		size_t m = strcspn(pattern, "/"), n = strcspn(path, "/");

		if (is_any_depth(pattern))
			return true;
		if (n == 0 || !component_match(pattern, m, path, n))
			return n == 0 && m > 0;
		pattern += m;
		path += n;
	}
}

char *
glob_quote(const char *path)
{
	struct str s;

	str_init(&s, 3 * strlen(path) + 1);
	for (; *path != '\0'; path++)
		if (strchr("*?[", *path) != NULL)
			str_addf(&s, "[%c]", *path);
		else
			str_addc(&s, *path);
	return str_take(&s);
}

/* A set of one that glob_quote made. */
static bool
is_quoted(const char *p)
{
	return p[0] == '[' && p[1] != '\0' && strchr("*?[", p[1]) != NULL &&
	    p[2] == ']';
}

char *
glob_base(const char *pattern)
{
	auto_str struct str s = { 0 };
	size_t end = 0;

	str_init(&s, strlen(pattern) + 1);
	pattern += pattern[0] == '/' && pattern[1] == '/';
	for (const char *p = pattern; *p != '\0'; p++) {
		if (is_quoted(p)) {
			str_addc(&s, p[1]);
			p += 2;
			continue;
		}
		if (strchr("*?[", *p) != NULL)
			break;
		if (*p == '/')
			end = s.len;
		str_addc(&s, *p);
	}
	return xstrndup(end == 0 ? "/" : s.s, end == 0 ? 1 : end);
}
