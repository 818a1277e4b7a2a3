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

/*
 * Two stars are tried with every number of components.  Patterns are few
 * and short; the last "**" alone decides, as in every wild-card matcher, so
 * that the time stays within length times length.
 */
bool
glob_match(const char *pattern, const char *path)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		while (*pattern == '/')
			pattern++;
		while (*path == '/')
			path++;
		if (pattern[0] == '*' && pattern[1] == '*' &&
		    (pattern[2] == '/' || pattern[2] == '\0')) {
			star = pattern += 2;
			retry = path;
			continue;
		}
		size_t m = strcspn(pattern, "/"), n = strcspn(path, "/");

		if (m == 0 && n == 0)
			return true;
		if (m != 0 && n != 0) {
			auto_free char *a = xstrndup(pattern, m);
			auto_free char *b = xstrndup(path, n);

			if (fnmatch(a, b, 0) == 0) {
				pattern += m;
				path += n;
				continue;
			}
		}
		if (star == NULL || *retry == '\0')
			return false;
		retry += strcspn(retry, "/");
		while (*retry == '/')
			retry++;
		pattern = star;
		path = retry;
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
