#include "jail/sweep_git.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/gitconfig.h"
#include "jail/names.h"
#include "jail/sweep_links.h"

#include "common/banned.h"

#define CONFIG_MAX	(1 << 20)
#define LEFT_MAX	120	/* of what was left out, shown */

static void
filter_config(struct sweeper *s, const struct walk_entry *ent)
{
	auto_close int fd = openat(ent->dirfd, ent->name, O_RDONLY |
	    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_str struct str old = { 0 }, kept = { 0 }, left = { 0 };
	auto_free char *shown = NULL, *what = NULL;
	struct err why;

	str_init(&old, CONFIG_MAX);
	str_init(&kept, CONFIG_MAX + 1);
	str_init(&left, LEFT_MAX);
	if (ent->type != DT_REG || fd == -1 ||
	    io_read_all(fd, CONFIG_MAX, &old, &why) == -1) {
		sweep_aside(s, ent->dirfd, ent->name, ent->path,
		    "is a git configuration that cannot be read");
		return;
	}
	if (gitconfig_filter(old.s, old.len, &kept, &left) == 0)
		return;
	shown = visible_line(left.s);
	what = xasprintf("is a new git configuration that could start "
	    "programs; it was cleaned (%s%s)", shown, left.full ? "..." : "");
	if (sweep_aside(s, ent->dirfd, ent->name, ent->path, what) == 0 &&
	    fs_write_new(ent->dirfd, ent->name, kept.s, kept.len, false,
	    &why) == -1)
		sweep_say(s, ent->path, "could not be written again");
}

/* Does the path a git file names stay where this sweep looks?  Links on the
 * way are followed as git follows them, before "..". */
static bool
leads_inside(const struct sweeper *s, const struct walk_entry *ent,
    const char *prefix)
{
	auto_close int fd = openat(ent->dirfd, ent->name, O_RDONLY |
	    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_str struct str text = { 0 };
	auto_free char *dir = NULL, *path = NULL, *real = NULL;
	const char *to;

	str_init(&text, PATH_MAX);
	if (fd == -1 || io_read_all(fd, PATH_MAX, &text, NULL) == -1 ||
	    !str_starts(text.s, prefix) || strlen(text.s) != text.len)
		return false;
	while (text.len > 0 && strchr("\r\n", text.s[text.len - 1]) != NULL)
		text.s[--text.len] = '\0';
	dir = xstrndup(ent->path, strlen(ent->path) - strlen(ent->name) - 1);
	to = text.s + strlen(prefix);
	path = to[0] == '/' ? xstrdup(to) : xasprintf("%s/%s", dir, to);
	real = realpath(path, NULL);
	return real != NULL && sweep_sees(s, real);
}

enum walk_next
sweep_git(struct sweeper *s, const struct walk_entry *ent)
{
	switch (names_git_part(ent->name)) {
	case GIT_CONFIG:
		if (!s->spec->git_config || strcmp(ent->name, "config") != 0)
			filter_config(s, ent);
		return WALK_SKIP;
	case GIT_HOOKS:
		if (ent->type != DT_DIR)
			sweep_aside(s, ent->dirfd, ent->name, ent->path,
			    "stands for git's hooks");
		return WALK_ON;
	case GIT_LEADS:
		if (strcasecmp(ent->name, "commondir") == 0 &&
		    !leads_inside(s, ent, ""))
			sweep_aside(s, ent->dirfd, ent->name, ent->path,
			    "leads git out of the writable places");
		return WALK_SKIP;
	case GIT_PLAIN:
		break;
	}
	return WALK_ON;
}

/* Is the directory of this hook a git directory?  Its siblings tell. */
static bool
below_git(const struct walk_entry *ent)
{
	return (faccessat(ent->dirfd, "../objects", F_OK, 0) == 0 &&
	    faccessat(ent->dirfd, "../refs", F_OK, 0) == 0) ||
	    strcasestr(ent->path, "/.git/hooks/") != NULL;
}

bool
sweep_git_hook(const struct walk_entry *ent)
{
	size_t n = strlen(ent->path) - strlen(ent->name);

	return n > 7 && strncasecmp(ent->path + n - 7, "/hooks/", 7) == 0 &&
	    !str_ends(ent->name, ".sample") &&
	    strstr(ent->name, ".set-aside") == NULL && below_git(ent);
}

bool
sweep_git_leads_out(const struct sweeper *s, const struct walk_entry *ent)
{
	auto_free char *real = NULL;

	if (!walk_is_git(ent->path) || ent->type == DT_DIR)
		return false;
	if (ent->type == DT_REG)
		return !leads_inside(s, ent, "gitdir: ");
	real = realpath(ent->path, NULL);
	return real == NULL || !sweep_sees(s, real);
}

/* A whole writable place cannot be held, which was said at the start. */
static bool
holds_roots(const struct sweeper *s, const char *path)
{
	for (size_t i = 0; i < s->scene->roots.n; i++)
		if (path_in(s->scene->roots.v[i], path))
			return true;
	return false;
}

void
sweep_git_runs(struct sweeper *s)
{
	struct gitleads g = { .home = s->scene->git.home };
	struct list leads = { 0 };

	list_append(&g.hooks, &s->scene->git.hooks);
	list_append(&g.paths, &s->scene->stay);
	for (size_t i = 0; i < s->gits.n && !s->spec->git_config; i++)
		gitleads_add(&g, s->gits.v[i]);
	gitleads_paths(&g, &leads);
	for (size_t i = 0; i < leads.n; i++)
		if (!holds_roots(s, leads.v[i]))
			sweep_behind(s, leads.v[i], "is new, or was not held, "
			    "where git looks or nobody may");
	list_clear(&leads);
	list_clear(&s->gits);
	gitleads_clear(&g);
}
