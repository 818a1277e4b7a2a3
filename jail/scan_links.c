#include "jail/scan_links.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/behind.h"

#include "common/banned.h"

#define LINKS_MAX	40	/* in a row: the kernel follows no more */

/* The path of a name itself, whatever it is, by a way without links. */
static char *
real_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *dir = xstrndup(path, slash == path ? 1 :
	    (size_t)(slash - path));
	auto_free char *real = realpath(dir, NULL);

	return real == NULL ? NULL : xasprintf("%s%s", str_eq(real, "/") ?
	    "" : real, slash);
}

/* `a/` and `a/.` are what the link a leads to, and not the link. */
static void
strip(char *path)
{
	for (size_t n = strlen(path); n > 1 && (path[n - 1] == '/' ||
	    (path[n - 1] == '.' && path[n - 2] == '/')); )
		path[--n] = '\0';
}

void
links_remember(struct scene *c, const char *path)
{
	char text[PATH_MAX];
	auto_free char *at = xstrdup(path);
	char *name;
	ssize_t n;

	for (int i = 0; i < LINKS_MAX; i++) {
		n = readlink(at, text, sizeof text - 1);
		name = n == -1 ? NULL : real_name(at);
		if (name == NULL)
			return;
		text[n] = '\0';
		c->links = xrealloc(c->links, c->n_links + 1,
		    sizeof *c->links);
		c->links[c->n_links++] = (struct link){ name, xstrdup(text),
		    realpath(name, NULL) };
		free(at);
		at = text[0] == '/' ? xstrdup(text) : xasprintf("%.*s/%s",
		    (int)(strrchr(name, '/') - name), name, text);
		strip(at);
	}
}

/* False if it is no link. */
static bool
text_of(const struct walk_entry *ent, char text[static PATH_MAX])
{
	ssize_t n = readlinkat(ent->dirfd, ent->name, text, PATH_MAX - 1);

	text[n == -1 ? 0 : n] = '\0';
	return n != -1;
}

int
links_see(struct scene *c, const struct spec *spec,
    const struct walk_entry *ent, char real[static PATH_MAX])
{
	char text[PATH_MAX];
	bool leads;

	errno = 0;
	leads = behind_follow(ent->dirfd, ent->name, real) == 1;
	if (!leads && walk_is_short())
		return -1;
	if (behind_names(ent->path, &c->roots) && text_of(ent, text)) {
		c->ways = xrealloc(c->ways, c->n_ways + 1, sizeof *c->ways);
		c->ways[c->n_ways++] = (struct link){ xstrdup(ent->path),
		    xstrdup(text), leads ? xstrdup(real) : NULL };
	}
	if (!leads || (!behind_packages(ent->path, real, &c->roots) &&
	    !behind_may(spec, ent->path, &c->roots)))
		return 0;
	for (size_t i = 0; i < c->roots.n; i++)
		if (path_in(real, c->roots.v[i]))
			return 1;
	return 0;
}

bool
links_is_new(const struct scene *c, const struct walk_entry *ent,
    const char *real)
{
	char text[PATH_MAX];

	if (!text_of(ent, text))
		return false;
	for (size_t i = 0; i < c->n_ways; i++) {
		const struct link *l = &c->ways[i];

		if (strcmp(l->path, ent->path) == 0 &&
		    strcmp(l->text, text) == 0)
			return real != NULL && !str_eq(l->real, real);
	}
	return true;
}

void
links_clear(struct link *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(l[i].path);
		free(l[i].text);
		free(l[i].real);
	}
	free(l);
}
