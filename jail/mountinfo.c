#include "jail/mountinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

/* The kernel writes blanks and backslashes as three octal digits. */
static char *
plain(const char *field)
{
	char *ret = xstrdup(field), *to = ret;

	for (const char *p = field; *p != '\0'; ) {
		if (p[0] == '\\' && strspn(p + 1, "01234567") >= 3) {
			*to++ = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 +
			    p[3] - '0');
			p += 4;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	return ret;
}

void
mountinfo_parse(struct mountinfo *m, const char *line)
{
	auto_free char *text = xstrdup(line);
	char *save = NULL, *field[5];

	for (size_t i = 0; i < ARRAY_LEN(field); i++) {
		field[i] = strtok_r(i == 0 ? text : NULL, " \n", &save);
		if (field[i] == NULL)
			return;
	}
	if (field[3][0] != '/' || field[4][0] != '/')
		return;
	if ((m->n & (m->n - 1)) == 0)
		m->v = xrealloc(m->v, m->n == 0 ? 1 : m->n * 2, sizeof *m->v);
	m->v[m->n++] = (struct mounted){ xstrdup(field[2]), plain(field[3]),
	    plain(field[4]) };
}

void
mountinfo_read(struct mountinfo *ret)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;

	*ret = (struct mountinfo){ 0 };
	if (f == NULL)
		return;
	while (getline(&line, &cap, f) != -1)
		mountinfo_parse(ret, line);
	free(line);
	fclose(f);
}

void
mountinfo_clear(struct mountinfo *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].dev);
		free(m->v[i].root);
		free(m->v[i].at);
	}
	free(m->v);
	*m = (struct mountinfo){ 0 };
}

/* The mount that path lies in: of several on one place the last. */
static const struct mounted *
around(const struct mountinfo *m, const char *path)
{
	const struct mounted *best = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (path_in(path, m->v[i].at) && (best == NULL ||
		    strlen(m->v[i].at) >= strlen(best->at)))
			best = &m->v[i];
	return best;
}

/* `path` lies in `from`; the same below `to`. */
static char *
moved(const char *path, const char *from, const char *to)
{
	const char *rest = path + (str_eq(from, "/") ? 0 : strlen(from));

	if (str_eq(rest, "/") || *rest == '\0')
		return xstrdup(to);
	return xasprintf("%s%s", str_eq(to, "/") ? "" : to, rest);
}

void
mountinfo_aliases(const struct mountinfo *m, const char *path,
    struct list *ret)
{
	const struct mounted *own = around(m, path);
	auto_free char *inner = NULL;

	if (own == NULL)
		return;
	inner = moved(path, own->at, own->root);
	for (size_t i = 0; i < m->n; i++) {
		const struct mounted *other = &m->v[i];

		if (other == own || !str_eq(other->dev, own->dev))
			continue;
		if (path_in(inner, other->root)) {
			list_add(ret, moved(inner, other->root, other->at));
			list_add(ret, xstrdup(path));
		} else if (path_in(other->root, inner)) {
			list_add(ret, xstrdup(other->at));
			list_add(ret, moved(other->root, inner, path));
		}
	}
}
