#include "jail/glob.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

bool
glob_is(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

/* Do the first components, of m and n bytes, match? */
static bool
component_match(const char *pattern, size_t m, const char *path, size_t n)
{
	if (m == 0 || n == 0)
		return false;

	auto_free char *a = xstrndup(pattern, m), *b = xstrndup(path, n);

	return fnmatch(a, b, 0) == 0;
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
glob_base(const char *pattern)
{
	size_t end = 0;

	for (size_t i = 0; pattern[i] != '\0'; i++) {
		if (strchr("*?[", pattern[i]) != NULL)
			break;
		if (pattern[i] == '/')
			end = i;
	}
	return xstrndup(pattern, end == 0 ? 1 : end);
}
