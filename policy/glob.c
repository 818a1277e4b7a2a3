/* policy/glob.c - the files that a search tool is told to look into. */
#include <string.h>

#include "policy/glob.h"
#include "policy/protect.h"
#include "policy/value.h"
#include "common/banned.h"

#define LIST_MAX	8	/* members of a set that are tried one by one */

struct search {
	const struct policy	*policy;
	const char		*dir;
	unsigned		 tries;
	bool			 closed;	/* ours are looked for */
};

/*
 * The ']' of the set at p, where a first ']' is a member and so are those of
 * [:alpha:]; p: it is no set.
 */
static const char *
behind_set(const char *p)
{
	const char *at = p + 1 + (p[1] == '!' || p[1] == '^');

	if (*at == ']')
		at++;
	while (*at != '\0' && *at != ']') {
		const char *named = at[0] == '[' && at[1] == ':' ?
		    strstr(at + 2, ":]") : NULL;

		at = named != NULL ? named + 2 : at + 1;
	}
	return *at == '\0' ? p : at;
}

/* The last byte of what stands at p: an escape, a set, or one character. */
static const char *
whole(const char *p)
{
	return *p == '\\' && p[1] != '\0' ? p + 1 :
	    *p == '[' ? behind_set(p) : p;
}

/* May the set from p to end be the dot that a file's name begins with? */
static bool
may_be_dot(const char *p, const char *end)
{
	return p < end && (p[1] == '!' || p[1] == '^' ||
	    memchr(p, '.', (size_t)(end - p)) != NULL ||
	    memchr(p, '-', (size_t)(end - p)) != NULL);
}

/*
 * One pattern without braces, as a value below the directory.  A search that
 * shows hidden files lets a set be their dot, as a shell does not.
 */
static bool
named(struct search *s, const char *p, bool dot)
{
	char path[2 * GLOB_MAX];
	size_t n = strlen(s->dir);

	if (s->tries == 0 || n + strlen(p) + 2 > sizeof(path))
		return !s->closed;
	s->tries--;
	if (p[0] == '!' || p[0] == '\0')
		return false;
	memcpy(path, s->dir, n);
	path[n++] = '/';
	while (*p == '/')
		p++;
	for (; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0') {
			path[n++] = *++p;
		} else if (*p == '[') {
			const char *end = behind_set(p);

			path[n] = dot && path[n - 1] == '/' &&
			    may_be_dot(p, end) ? '.' : VALUE_ONE;
			n++;
			p = end;
		} else if (p[0] == '*' && p[1] == '*') {
			path[n++] = VALUE_ANY;
			p++;
		} else {
			path[n++] = *p == '*' ? VALUE_STAR :
			    *p == '?' ? VALUE_ONE : *p;
		}
	}
	path[n] = '\0';
	return s->closed ? protect_find(s->policy, path) == GUARD_CLOSED :
	    protect_secret(s->policy, path);
}

/* The first set that lists a few characters, or NULL. */
static const char *
short_list(const char *p)
{
	for (; *p != '\0'; p = whole(p) + 1) {
		size_t n = (size_t)(whole(p) - p);

		if (*p == '[' && n > 1 && n <= LIST_MAX + 1 && p[1] != '!' &&
		    p[1] != '^' && memchr(p, '-', n) == NULL &&
		    memchr(p + 1, '[', n) == NULL)
			return p;
	}
	return NULL;
}

/* Without braces: [pc]em is pem or cem, as [ch] is no secret's end. */
static bool
names_secret(struct search *s, const char *p)
{
	const char *set = short_list(p);
	size_t head = set == NULL ? 0 : (size_t)(set - p);
	char one[GLOB_MAX];

	if (s->tries == 0)
		return !s->closed;
	if (set == NULL)
		return named(s, p, false) ||
		    (strchr(p, '[') != NULL && named(s, p, true));
	for (const char *m = set + 1, *end = whole(set); m < end; m++) {
		memcpy(one, p, head);
		one[head] = '\\';
		one[head + 1] = *m;
		memcpy(one + head + 2, end + 1, strlen(end + 1) + 1);
		if (names_secret(s, one))
			return true;
	}
	return false;
}

/* The first brace that is one, or NULL. */
static const char *
opening(const char *p)
{
	for (; *p != '\0'; p = whole(p) + 1)
		if (*p == '{')
			return p;
	return NULL;
}

/* The brace that closes the one at p, or NULL. */
static const char *
closing(const char *p)
{
	unsigned depth = 0;

	for (; *p != '\0'; p = whole(p) + 1) {
		if (*p == '{')
			depth++;
		else if (*p == '}' && --depth == 0)
			return p;
	}
	return NULL;
}

/* The end of the alternative at p: a comma of its level, or the brace. */
static const char *
alternative(const char *p, const char *end)
{
	unsigned depth = 0;

	for (; p < end && (*p != ',' || depth > 0); p = whole(p) + 1) {
		if (*p == '{')
			depth++;
		else if (*p == '}')
			depth--;
	}
	return p < end ? p : end;
}

/* {a,b} is a or b; each pass takes away one pair, so it ends. */
static bool
each_alternative(struct search *s, const char *p)
{
	const char *open = opening(p);
	const char *end = open == NULL ? NULL : closing(open);
	char one[GLOB_MAX];

	if (s->tries == 0)
		return !s->closed;	/* more than anybody means */
	if (end == NULL)
		return names_secret(s, p);
	for (const char *at = open + 1, *to; at <= end; at = to + 1) {
		size_t head = (size_t)(open - p), n;

		to = alternative(at, end);
		n = (size_t)(to - at);
		memcpy(one, p, head);
		memcpy(one + head, at, n);
		memcpy(one + head + n, end + 1, strlen(end + 1) + 1);
		if (each_alternative(s, one))
			return true;
	}
	return false;
}

static bool
each_glob(struct search *s, const char *glob)
{
	char one[GLOB_MAX];

	if (strlen(glob) >= sizeof(one) || strlen(s->dir) >= GLOB_MAX ||
	    !value_constant(glob))
		return !s->closed;
	for (const char *p = glob; *p != '\0';) {
		const char *end = p;
		size_t n = strcspn(p, " ");

		/* At commas of no brace; of a set too, a client may split. */
		while (end < p + n && *end != ',')
			end = *end == '{' && closing(end) != NULL ?
			    closing(end) + 1 : end + 1;
		n = (size_t)(end - p);
		memcpy(one, p, n);
		one[n] = '\0';
		if (each_alternative(s, one))
			return true;
		p = end + (*end != '\0');
	}
	return strchr(glob, '[') != NULL && each_alternative(s, glob);
}

bool
glob_secret(const struct policy *pol, const char *dir, const char *glob)
{
	struct search s = { pol, dir, GLOB_TRIES, false };

	return each_glob(&s, glob);
}

bool
glob_closed(const struct policy *pol, const char *dir, const char *glob)
{
	struct search s = { pol, dir, GLOB_TRIES, true };

	return each_glob(&s, glob);
}
