/* policy/join.c - where a path leads as a text: dots, slashes, /proc/self. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/paths.h"
#include "policy/value.h"
#include "common/banned.h"

/* Longer ones are asked: no honest path is, and time stays bounded. */
#define PATH_LONG	1024

struct join {
	char	*out;
	size_t	 len;
};

static void
join_up(struct join *j)
{
	size_t from = j->len;

	while (from > 0 && j->out[from - 1] != '/')
		from--;
	if (memchr(j->out + from, VALUE_ANY, j->len - from) != NULL)
		return;		/* it may hold slashes: stay unknown */
	j->len = from > 0 ? from - 1 : 0;
}

static int
join_add(struct join *j, const char *p)
{
	while (*p != '\0') {
		size_t len = strcspn(p, "/");

		if (len == 2 && p[0] == '.' && p[1] == '.') {
			join_up(j);
		} else if (len > 0 && !(len == 1 && p[0] == '.')) {
			if (j->len + len + 2 > PATH_LONG)
				return -1;
			j->out[j->len++] = '/';
			memcpy(j->out + j->len, p, len);
			j->len += len;
		}
		p += len + (p[len] == '/');
	}
	return 0;
}

const char *
paths_join(struct arena *a, const char *cwd, const char *value)
{
	size_t room = strlen(cwd) + strlen(value) + 4;
	struct join j = { arena_get(a, room), 0 };

	if (j.out == NULL ||
	    (value[0] != '/' && join_add(&j, cwd) == -1) ||
	    join_add(&j, value) == -1)
		return NULL;
	if (j.len == 0)
		j.out[j.len++] = '/';
	j.out[j.len] = '\0';
	return j.out;
}

/* What /proc says of a program itself: of us, while we judge. */
static const char *const roots[] = {
	"/proc/self/root", "/proc/thread-self/root", "/proc/1/root"
};
static const char *const cwds[] = {
	"/proc/self/cwd", "/proc/thread-self/cwd"
};

static bool
is_one_of(const struct join *j, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == j->len &&
		    memcmp(names[i], j->out, j->len) == 0)
			return true;
	return false;
}

/*
 * Walk text until it is one of these links, before any ".." behind it is
 * taken: *ret_rest is what follows, '/' first, *ret_up whether there was a
 * ".." on the way.  NULL: there is none.
 */
static const char *const *
find_link(struct join *j, const char *text, const char **ret_rest,
    bool *ret_up)
{
	j->len = 0;
	*ret_up = false;
	while (*text != '\0') {
		size_t len = strcspn(text, "/");
		char one[PATH_LONG];

		if (len >= sizeof(one))
			return NULL;
		memcpy(one, text, len);
		one[len] = '\0';
		*ret_up = *ret_up || str_eq(one, "..");
		if (join_add(j, one) == -1)
			return NULL;
		text += len;
		*ret_rest = text;
		if (is_one_of(j, roots, ARRAY_LEN(roots)))
			return roots;
		if (is_one_of(j, cwds, ARRAY_LEN(cwds)))
			return cwds;
		text += *text == '/';
	}
	return NULL;
}

/* cwd and value with a slash between, nothing taken out. */
static const char *
glue(struct arena *a, const char *cwd, const char *value)
{
	size_t n = strlen(cwd), m = strlen(value);
	char *raw = arena_get(a, n + m + 2);

	if (raw == NULL)
		return NULL;
	memcpy(raw, cwd, n);
	raw[n] = '/';
	memcpy(raw + n + 1, value, m + 1);
	return raw;
}

bool
paths_is_own(const char *value)
{
	return strstr(value, "/proc") != NULL ||
	    strstr(value, "proc/") != NULL;
}

const char *
paths_own(struct arena *a, const char *cwd, const char *value)
{
	const char *const *hit;
	const char *raw, *rest;
	struct join j;
	bool up;

	if (!paths_is_own(value) && (value[0] == '/' ||
	    strstr(cwd, "/proc") == NULL))
		return value;
	raw = value[0] == '/' ? value : glue(a, cwd, value);
	if (raw == NULL)
		return NULL;
	j.out = arena_get(a, strlen(cwd) + strlen(value) + 4);
	if (j.out == NULL)
		return NULL;
	hit = find_link(&j, raw, &rest, &up);
	if (hit == NULL)
		return value;
	/* Behind a link ".." may go anywhere; twice is nobody's mistake. */
	if (up)
		return NULL;
	raw = hit == roots ? rest : value[0] == '/' ? glue(a, cwd, rest) :
	    NULL;
	if (raw == NULL || find_link(&j, raw, &rest, &up) != NULL)
		return NULL;
	return raw[0] == '\0' ? "/" : raw;
}
