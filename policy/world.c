/*
 * policy/world.c - what the machine's file system says.
 *
 * A path is walked as the kernel would walk it: links are followed where they
 * stand, ".." leaves what was resolved so far.  What does not exist yet is
 * kept as it is written; a dangling link leads where it points.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/policy.h"
#include "policy/protect.h"
#include "policy/world_git.h"
#include "common/banned.h"

#define LINKS_MAX	40
#define SCAN_MAX	8192
#define SCAN_DEPTH	6

struct walk {
	char	todo[2 * WORLD_PATH];	/* what is left to walk */
	char	done[WORLD_PATH];	/* resolved, no final slash; "" is / */
	size_t	missing;		/* length of done that is not there */
	int	links;
};

/* Take the next component of todo off; false when there is none. */
static bool
walk_next(struct walk *w, char name[static NAME_MAX + 1])
{
	const char *p = w->todo + strspn(w->todo, "/");
	size_t len = strcspn(p, "/");

	if (len == 0 || len > NAME_MAX)
		return false;
	memcpy(name, p, len);
	name[len] = '\0';
	memmove(w->todo, p + len, strlen(p + len) + 1);
	return true;
}

static int
walk_link(struct walk *w, size_t keep, const char *target)
{
	char rest[2 * WORLD_PATH];
	int n;

	if (++w->links > LINKS_MAX)
		return -1;
	memcpy(rest, w->todo, strlen(w->todo) + 1);
	n = snprintf(w->todo, sizeof(w->todo), "%s/%s", target, rest);
	if (n < 0 || (size_t)n >= sizeof(w->todo))
		return -1;
	w->done[target[0] == '/' ? 0 : keep] = '\0';
	return 0;
}

/* The links of one program: what they say changes with who reads them. */
static bool
is_of_program(const char *link)
{
	return str_starts(link, "/proc/") && strchr(link + 6, '/') != NULL;
}

static int
walk_step(struct walk *w, const char *name)
{
	size_t keep = strlen(w->done);
	char target[WORLD_PATH];
	ssize_t n;

	if (str_eq(name, "."))
		return 0;
	if (str_eq(name, "..")) {
		char *slash = strrchr(w->done, '/');

		if (slash != NULL)
			*slash = '\0';
		if (strlen(w->done) < w->missing)
			w->missing = 0;
		return 0;
	}
	if (keep + 1 + strlen(name) >= sizeof(w->done))
		return -1;
	w->done[keep] = '/';
	memcpy(w->done + keep + 1, name, strlen(name) + 1);
	if (w->missing > 0)
		return 0;	/* nothing is below what is not there */
	n = readlink(w->done, target, sizeof(target) - 1);
	if (n == -1 && (errno == ENOENT || errno == ENOTDIR))
		w->missing = strlen(w->done);
	if (n == -1)
		return errno == EINVAL || w->missing > 0 ? 0 : -1;
	if ((size_t)n == sizeof(target) - 1)
		return -1;
	if (is_of_program(w->done))
		return w->todo[strspn(w->todo, "/")] == '\0' ? 0 : -1;
	target[n] = '\0';
	return walk_link(w, keep, target);
}

static int
real_resolve(void *arg, const char *path, char *ret)
{
	char name[NAME_MAX + 1];
	struct walk w;		/* 12 KiB that nobody needs cleared */

	(void)arg;
	if (path[0] != '/' || strlen(path) >= WORLD_PATH)
		return -1;
	w.links = 0;
	w.missing = 0;
	w.done[0] = '\0';
	memcpy(w.todo, path, strlen(path) + 1);
	while (walk_next(&w, name))
		if (walk_step(&w, name) == -1)
			return -1;
	if (w.todo[strspn(w.todo, "/")] != '\0')
		return -1;	/* a component longer than any name */
	memcpy(ret, w.done[0] == '\0' ? "/" : w.done,
	    w.done[0] == '\0' ? 2 : strlen(w.done) + 1);
	return 0;
}

/* Does any file below dir have this device and inode?  Bounded. */
static int
tree_has(int dirfd, const char *dir, const struct stat *want, int depth)
{
	int fd = openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC | O_NONBLOCK);
	struct dirent *d;
	struct stat st;
	int hit = 0, seen = 0;
	DIR *stream;

	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return -1;
	}
	while (hit == 0 && (d = readdir(stream)) != NULL) {
		if (str_eq(d->d_name, ".") || str_eq(d->d_name, ".."))
			continue;
		if (++seen > SCAN_MAX || depth == 0)
			hit = -1;
		else if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		else if (S_ISDIR(st.st_mode))
			hit = tree_has(fd, d->d_name, want, depth - 1);
		else if (st.st_dev == want->st_dev && st.st_ino == want->st_ino)
			hit = 1;
	}
	closedir(stream);
	return hit;
}

/* Is place the wanted file, or a directory that holds it? */
static int
place_has(const char *place, const struct stat *want)
{
	struct stat st;

	if (lstat(place, &st) == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	if (S_ISDIR(st.st_mode))
		return tree_has(AT_FDCWD, place, want, SCAN_DEPTH);
	return st.st_dev == want->st_dev && st.st_ino == want->st_ino;
}

static int
real_other_name(void *arg, const char *path, const char *root)
{
	char place[WORLD_PATH];
	const char *run;
	enum guard guard;
	struct stat st;
	int r = 0;

	(void)arg;
	if (lstat(path, &st) == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	if (!S_ISREG(st.st_mode) || st.st_nlink < 2)
		return 0;
	for (size_t i = 0; r == 0 && (run = protect_run(i, &guard)) != NULL;
	    i++) {
		if (guard < GUARD_DENY)
			continue;
		if (snprintf(place, sizeof place, "%s/%s", root, run) >=
		    (int)sizeof place)
			return -1;
		r = place_has(place, &st);
	}
	return r;
}

static bool
real_exists(void *arg, const char *path)
{
	struct stat st;

	(void)arg;
	return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

const struct world world_real = {
	.resolve = real_resolve, .exists = real_exists,
	.git_config_helpers = world_git_helpers, .git_hooks = world_git_hooks,
	.other_name = real_other_name
};
