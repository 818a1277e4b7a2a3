#include "jail/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

void
list_add(struct list *l, char *owned)
{
	/* Doubles: every power of two is a moment to grow. */
	if ((l->n & (l->n - 1)) == 0)
		l->v = xrealloc(l->v, l->n == 0 ? 1 : l->n * 2, sizeof *l->v);
	l->v[l->n++] = owned;
}

bool
list_has(const struct list *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], text) == 0)
			return true;
	return false;
}

void
list_join(struct list *l, const struct list *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (!list_has(l, from->v[i]))
			list_add(l, xstrdup(from->v[i]));
}

void
list_append(struct list *l, const struct list *from)
{
	for (size_t i = 0; i < from->n; i++)
		list_add(l, xstrdup(from->v[i]));
}

void
list_clear(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct list){ 0 };
}

static const char *
path_of(const void *table, size_t i, size_t size)
{
	return *(const char *const *)(const void *)((const char *)table +
	    i * size);
}

int
path_order(const void *a, const void *b)
{
	return strcmp(path_of(a, 0, 0), path_of(b, 0, 0));
}

void
list_sort(struct list *l)
{
	if (l->n > 0)
		qsort(l->v, l->n, sizeof *l->v, path_order);
}

size_t
path_from(const void *table, size_t n, size_t size, const char *path,
    size_t len)
{
	size_t from = 0;

	while (from < n) {
		size_t mid = from + (n - from) / 2;

		if (strncmp(path_of(table, mid, size), path, len) < 0)
			from = mid + 1;
		else
			n = mid;
	}
	return from;
}

void *
path_find(const void *table, size_t n, size_t size, const char *path,
    size_t len)
{
	size_t i = path_from(table, n, size, path, len);

	if (i == n || strncmp(path_of(table, i, size), path, len) != 0 ||
	    path_of(table, i, size)[len] != '\0')
		return NULL;
	return (char *)(uintptr_t)table + i * size;
}

size_t
path_up(const char *path, size_t len)
{
	if (len <= 1)
		return 0;
	while (path[--len] != '/')
		continue;
	return len == 0 ? 1 : len;
}

bool
path_in(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && dir[0] == '/')
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

/* Add one component to a path that begins as "". */
static void
add_component(struct str *to, const char *part, size_t len)
{
	if (len == 0 || (len == 1 && part[0] == '.'))
		return;
	if (len == 2 && part[0] == '.' && part[1] == '.') {
		while (to->len > 0 && to->s[--to->len] != '/')
			continue;
		to->s[to->len] = '\0';
		return;
	}
	str_addc(to, '/');
	str_addn(to, part, len);
}

static void
add_path(struct str *to, const char *path)
{
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		add_component(to, path, len);
		path += len + (path[len] == '/');
	}
}

char *
path_normal(const char *text, const char *cwd, const char *home)
{
	struct str s;

	str_init(&s, strlen(text) + strlen(cwd) + strlen(home) + 3);
	if (text[0] == '~' && (text[1] == '/' || text[1] == '\0')) {
		add_path(&s, home);
		text++;
	} else if (text[0] != '/') {
		add_path(&s, cwd);
	}
	add_path(&s, text);
	if (s.len == 0)
		str_addc(&s, '/');
	return str_take(&s);
}
