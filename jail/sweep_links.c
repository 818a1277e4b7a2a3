#include "jail/sweep_links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/behind.h"
#include "jail/scan_links.h"

#include "common/banned.h"

static bool
in_objects(const char *path)
{
	return strstr(path, "/.git/objects/") != NULL ||
	    str_ends(path, "/.git/objects");
}

bool
sweep_sees(const struct sweeper *s, const char *path)
{
	return sweep_roots_have(s, path) && !in_objects(path) &&
	    !sweep_given(s, path);
}

/*
 * Repositories that share their objects are seen by no other name, and what
 * lies in a given place may lead about there.
 */
static bool
strays(const struct sweeper *s, const struct walk_entry *ent, int where,
    const char *to)
{
	if (where != 1)
		return where == -1;
	return (in_objects(to) && !str_ends(ent->path, "/.git/objects")) ||
	    (sweep_given(s, to) && !sweep_given(s, ent->path));
}

bool
sweep_link_strays(struct sweeper *s, const struct walk_entry *ent)
{
	char to[PATH_MAX];
	int where;

	errno = 0;
	where = behind_follow(ent->dirfd, ent->name, to);
	if (strays(s, ent, where, to))
		return true;
	if ((where == 0 && errno != ENOENT) ||
	    (where == 1 && behind_packages(ent->path, to,
	    &s->scene->roots)) ||
	    behind_may(s->spec, ent->path, &s->scene->roots))
		return !sweep_remember(s, &s->later, ent->path);
	return false;
}

struct finding {
	const struct sweeper	*s;
	bool			 is_new;
};

static void
find(void *arg, const char *path, unsigned why)
{
	struct finding *f = arg;
	auto_free char *real = realpath(path, NULL);

	(void)why;
	f->is_new |= real != NULL && (sweep_given(f->s, real) ||
	    !held_covers(&f->s->scene->held, real));
}

/* Does the link make new protected names of what is in a writable place? */
static bool
names_new(struct sweeper *s, const char *link, const char *to)
{
	struct finding f = { s, false };
	const struct behind ask = { s->spec, &s->scene->roots, find, &f,
	    &s->behind };

	return sweep_roots_have(s, to) && (behind(&ask, link, to) == -1 ||
	    f.is_new);
}

/* What lies there others may change, and no sweep of theirs sees the link. */
static bool
makes_names_out(const struct sweeper *s, const struct walk_entry *ent,
    const char *to)
{
	return behind_names(ent->path, &s->scene->roots) && (to == NULL ||
	    !sweep_roots_have(s, to)) && links_is_new(s->scene, ent, to);
}

void
sweep_later(struct sweeper *s)
{
	char to[PATH_MAX];

	for (size_t i = 0; i < s->later.n; i++) {
		const char *path = s->later.v[i], *slash = strrchr(path, '/');
		auto_free char *dir = xstrndup(path, (size_t)(slash - path));
		auto_close int fd = sweep_dir(dir);
		const struct walk_entry ent = { .path = path,
		    .name = slash + 1, .dirfd = fd, .type = DT_LNK };
		int where = fd == -1 ? 0 : behind_follow(fd, ent.name, to);

		if (strays(s, &ent, where, to))
			sweep_aside_unforeseen(s, fd, ent.name, path, STRAYS);
		else if (where == 1 && names_new(s, path, to))
			sweep_aside_unforeseen(s, fd, ent.name, path,
			    "makes a protected or denied name of something "
			    "new");
		else if (makes_names_out(s, &ent, where == 1 ? to : NULL))
			sweep_aside_unforeseen(s, fd, ent.name, path,
			    "is new, leads out of the writable places, and "
			    "can make protected names");
	}
	list_clear(&s->later);
}

/*
 * Set aside what lies at a real path that some link led to: not a whole
 * writable place, which no mount holds outside.
 */
static void
aside_at(struct sweeper *s, const char *path, const char *why)
{
	const char *slash = strrchr(path, '/');
	auto_free char *dir = xstrndup(path, (size_t)(slash - path));
	auto_close int fd = -1;

	for (size_t i = 0; i < s->scene->roots.n; i++)
		if (path_in(s->scene->roots.v[i], path)) {
			sweep_say(s, path, "IS NOW WHERE A LINK LEADS THAT "
			    "MUST NOT: look at it before you go on");
			s->stayed++;
			return;
		}
	fd = sweep_dir(dir);
	if (fd != -1)
		sweep_aside(s, fd, slash + 1, path, why);
}

void
sweep_behind(struct sweeper *s, const char *path, const char *why)
{
	auto_free char *real = realpath(path, NULL);

	if (real != NULL && sweep_roots_have(s, real) &&
	    !held_covers(&s->scene->held, real))
		aside_at(s, real, why);
}

void
sweep_link(struct sweeper *s, const struct link *l)
{
	auto_free char *dir = xstrdup(l->path);
	char *slash = strrchr(dir, '/'), now[PATH_MAX];
	ssize_t n;

	/* Elsewhere the command could not change it: somebody else did. */
	if (!sweep_roots_have(s, l->path))
		return;
	*slash = '\0';

	auto_close int fd = sweep_dir(dir);

	if (fd == -1) {
		sweep_say(s, l->path, "is gone with its directory: it was a "
		    "protected link");
		return;
	}
	n = readlinkat(fd, slash + 1, now, sizeof now);
	if (n == (ssize_t)strlen(l->text) &&
	    memcmp(now, l->text, (size_t)n) == 0)
		return;
	if (faccessat(fd, slash + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    sweep_aside(s, fd, slash + 1, l->path, "took the place of a "
	    "protected link") == -1)
		return;
	if (symlinkat(l->text, fd, slash + 1) == 0)
		sweep_say(s, l->path, "is again the link that it was");
	else
		sweep_say(s, l->path, "could not be put back");
}

void
sweep_link_target(struct sweeper *s, const struct link *l)
{
	auto_free char *now = realpath(l->path, NULL);

	if (now == NULL || !sweep_roots_have(s, now) || (l->real != NULL &&
	    strcmp(l->real, now) == 0 && held_covers(&s->scene->held, now)))
		return;
	/* What it leads to may be anybody's, so the link goes if it can. */
	aside_at(s, sweep_roots_have(s, l->path) ? l->path : now, "is a "
	    "protected link, or where one leads, and led elsewhere before");
}
