#include "jail/scan_links.h"

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
	}
}

bool
links_see(const struct scene *c, const struct spec *spec,
    const struct walk_entry *ent, char real[static PATH_MAX])
{
	if (behind_follow(ent->dirfd, ent->name, real) != 1 ||
	    (!behind_packages(ent->path, real) &&
	    !behind_may(spec, ent->path, &c->roots)))
		return false;
	for (size_t i = 0; i < c->roots.n; i++)
		if (path_in(real, c->roots.v[i]))
			return true;
	return false;
}
