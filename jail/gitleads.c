#include "jail/gitleads.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"
#include "jail/gitread.h"

#include "common/banned.h"

static char *
above(const char *path)
{
	const char *slash = strrchr(path, '/');

	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static void
read_below(struct gitread *r, const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	gitread_file(r, path);
}

/* One that holds for every work tree. */
static void
everywhere(struct gitleads *g, const char *path)
{
	struct gitread r = { .home = g->home };

	gitread_file(&r, path);
	list_join(&g->hooks, &r.hooks);
	list_append(&g->paths, &r.includes);
	gitread_clear(&r);
}

void
gitleads_users(struct gitleads *g, const char *home)
{
	static const char *const names[] = {
		".gitconfig", ".config/git/config",
	};

	for (size_t i = 0; home != NULL && i < ARRAY_LEN(names); i++) {
		auto_free char *path = xasprintf("%s/%s", home, names[i]);

		everywhere(g, path);
	}
}

void
gitleads_system(struct gitleads *g, char *const *environ_)
{
	static const char *const files[] = {
		"/etc/gitconfig", "/usr/local/etc/gitconfig",
	};
	static const struct { const char *variable, *below; } named[] = {
		{ "XDG_CONFIG_HOME=", "/git/config" },
		{ "GIT_CONFIG_GLOBAL=", "" }, { "GIT_CONFIG_SYSTEM=", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		everywhere(g, files[i]);
	for (; environ_ != NULL && *environ_ != NULL; environ_++)
		for (size_t i = 0; i < ARRAY_LEN(named); i++) {
			const char *value = *environ_ +
			    strlen(named[i].variable);
			auto_free char *path = NULL;

			if (!str_starts(*environ_, named[i].variable) ||
			    value[0] != '/')
				continue;
			path = xasprintf("%s%s", value, named[i].below);
			everywhere(g, path);
		}
}

/*
 * What a file says behind a prefix, from its directory on, as the kernel goes
 * there.  NULL: it says nothing, or of nothing that is there.
 */
static char *
file_leads(const char *path, const char *prefix)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	auto_str struct str text = { 0 };
	auto_free char *dir = above(path), *to = NULL;
	const char *says;
	struct stat st;

	str_init(&text, PATH_MAX);
	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    io_read_all(fd, PATH_MAX, &text, NULL) == -1 ||
	    !str_starts(text.s, prefix))
		return NULL;
	while (text.len > 0 && strchr("\r\n", text.s[text.len - 1]) != NULL)
		text.s[--text.len] = '\0';
	says = text.s + strlen(prefix);
	to = says[0] == '/' ? xstrdup(says) : xasprintf("%s/%s", dir, says);
	return realpath(to, NULL);
}

static void
lead(struct gitleads *g, const struct list *hooks, const struct list *trees)
{
	for (size_t i = 0; i < hooks->n; i++)
		for (size_t k = 0; k < trees->n; k++)
			list_add(&g->paths, path_normal(hooks->v[i],
			    trees->v[k], g->home));
}

char *
gitleads_shown(const struct walk_entry *ent)
{
	auto_free char *dir = above(ent->path);

	if (walk_is_git(ent->path))
		return xstrdup(ent->path);
	/* One of the two is in each (jail/walk.c). */
	if (!ent->in_git || walk_is_git(dir) ||
	    (strcasecmp(ent->name, "objects") != 0 &&
	    strcasecmp(ent->name, "commondir") != 0))
		return NULL;
	return mem_steal(&dir);
}

void
gitleads_add(struct gitleads *g, const char *path)
{
	struct gitread r = { .home = g->home };
	auto_free char *tree = above(path);
	auto_free char *to = file_leads(path, "gitdir: ");
	auto_free char *dir = to != NULL ? xstrdup(to) : realpath(path, NULL);
	auto_free char *link = xasprintf("%s/commondir", dir == NULL ? "" :
	    dir);
	auto_free char *common = file_leads(link, "");

	if (dir == NULL)
		return;
	list_add(&r.trees, xstrdup(tree));
	list_add(&r.trees, xstrdup(dir));
	read_below(&r, dir, "config");
	read_below(&r, dir, "config.worktree");
	if (common != NULL)
		read_below(&r, common, "config");
	lead(g, &g->hooks, &r.trees);
	lead(g, &r.hooks, &r.trees);
	list_append(&g->paths, &r.includes);
	gitread_clear(&r);
}

void
gitleads_above(struct gitleads *g, const char *path)
{
	auto_free char *dir = above(path);

	for (size_t n = strlen(path); strlen(dir) < n; ) {
		auto_free char *git = xasprintf("%s/.git", dir);
		char *up = above(dir);

		gitleads_add(g, git);
		n = strlen(dir);
		free(dir);
		dir = up;
	}
}

void
gitleads_paths(struct gitleads *g, struct list *ret)
{
	struct list *l = &g->paths;

	list_sort(l);
	for (size_t i = 0; i < l->n; i++)
		if (i == 0 || strcmp(l->v[i], l->v[i - 1]) != 0)
			list_add(ret, xstrdup(l->v[i]));
	list_clear(l);
}

void
gitleads_clear(struct gitleads *g)
{
	list_clear(&g->hooks);
	list_clear(&g->paths);
}
