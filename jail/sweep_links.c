#include "jail/sweep_links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/glob.h"

#include "common/banned.h"

/*
 * A directory by its real path.  Outside the mounts do not hold us, so no link
 * that was put on the way may lead us elsewhere.
 */
static int
open_dir(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, *path == '\0' ? "/" : path,
	    &how, sizeof how);
}

static bool
in_objects(const char *path)
{
	return strstr(path, "/.git/objects/") != NULL ||
	    str_ends(path, "/.git/objects");
}

bool
sweep_sees(const struct sweeper *s, const char *path)
{
	return sweep_roots_have(s, path) && !in_objects(path);
}

bool
sweep_link_strays(struct sweeper *s, const struct walk_entry *ent)
{
	char self[64], to[PATH_MAX];
	ssize_t n;

	/* Repositories that share their objects, seen by no other name. */
	if (ent->type != DT_LNK || str_ends(ent->path, "/.git/objects"))
		return false;

	auto_close int fd = openat(ent->dirfd, ent->name, O_PATH | O_CLOEXEC);

	if (fd == -1) {		/* most often nothing is there */
		if (errno == EACCES)
			list_add(&s->later, xstrdup(ent->path));
		return false;
	}
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	n = readlink(self, to, sizeof to);
	if (n == -1 || n == (ssize_t)sizeof to)
		return true;
	to[n] = '\0';
	return in_objects(to);
}

void
sweep_later(struct sweeper *s)
{
	struct list all = s->later;

	s->later = (struct list){ 0 };
	for (size_t i = 0; i < all.n; i++) {
		const char *slash = strrchr(all.v[i], '/');
		auto_free char *dir = xstrndup(all.v[i],
		    (size_t)(slash - all.v[i]));
		auto_close int fd = open_dir(dir);
		const struct walk_entry ent = { .path = all.v[i],
		    .name = slash + 1, .dirfd = fd, .type = DT_LNK };

		if (fd != -1 && sweep_link_strays(s, &ent))
			sweep_aside(s, fd, ent.name, ent.path, STRAYS);
	}
	list_clear(&all);
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
	fd = open_dir(dir);
	if (fd != -1)
		sweep_aside(s, fd, slash + 1, path, why);
}

void
sweep_behind(struct sweeper *s, const char *denied)
{
	auto_free char *real = realpath(denied, NULL);

	if (real != NULL && !glob_is(denied) && sweep_roots_have(s, real) &&
	    !held_covers(&s->scene->held, real))
		aside_at(s, real, "is new where writing is denied");
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

	auto_close int fd = open_dir(dir);

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
	/* The link goes, what it leads to may be anybody's; unless we cannot. */
	aside_at(s, sweep_roots_have(s, l->path) ? l->path : now, "is a "
	    "protected link, or where one leads, and led elsewhere before");
}
