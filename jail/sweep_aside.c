#include "jail/sweep_aside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/visible.h"
#include "jail/sweep.h"

#include "common/banned.h"

#define TRIES		64
#define OPENS		16
#define SHOWN_MAX	300	/* of a path, in a note */

struct name {
	int		 dirfd;
	const char	*name, *path, *why;
};

void
sweep_say(struct sweeper *s, const char *path, const char *what)
{
	if (s->said++ > SWEEP_NOTES)
		return;

	auto_free char *shown = visible_line(path);
	size_t len = strlen(shown), from = len > SHOWN_MAX ? len - SHOWN_MAX :
	    0;

	/* The end of a long path, so that there is room for the rest. */
	while (from > 0 && ((unsigned char)shown[from] & 0xc0) == 0x80)
		from++;
	list_add(s->notes, xasprintf("'%s%s' %s", from > 0 ? "..." : "",
	    shown + from, what));
}

bool
sweep_remember(struct sweeper *s, struct list *l, const char *path)
{
	size_t n = strlen(path) + 1;

	if (n > PATH_MAX || n > s->room)
		return false;
	s->room -= n;
	list_add(l, xstrdup(path));
	return true;
}

/* A name that nobody could have taken before, and that is never too long. */
static char *
unforeseen(void)
{
	unsigned long long r = 0;

	if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
		return xstrdup("set-aside");
	return xasprintf("set-aside-%016llx", r);
}

/* NAME.set-aside, NAME.set-aside-2, ..., then whatever name is free. */
static int
rename_aside(struct sweeper *s, const struct name *n, int first)
{
	const char *name = n->name;
	int dirfd = n->dirfd, rc = -1;

	for (int i = first; i < TRIES && rc == -1; i++) {
		auto_free char *to = i == 1 ? xasprintf("%s.set-aside", name) :
		    i < TRIES / 2 && errno == EEXIST ?
		    xasprintf("%s.set-aside-%d", name, i) : unforeseen();
		auto_free char *what = xasprintf("%s: it is now '%s'", n->why,
		    to);

		rc = renameat2(dirfd, name, dirfd, to, RENAME_NOREPLACE);
		if (rc == 0)
			sweep_say(s, n->path, what);
		else if (errno != EEXIST && errno != ENAMETOOLONG)
			break;
	}
	return rc;
}

/* The descriptor may be one that only names. */
static int
set_mode(int fd, mode_t mode)
{
	char self[64];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return chmod(self, mode);
}

static int
put_aside(struct sweeper *s, const struct name *n, int first)
{
	const char *name = n->name, *path = n->path;
	int dirfd = n->dirfd;
	struct stat st = { 0 };
	bool closed = fstat(dirfd, &st) == 0 && (st.st_mode & 0200) == 0 &&
	    set_mode(dirfd, (st.st_mode & 07777) | 0300) == 0;
	mode_t mode = st.st_mode & 07777;
	int rc = rename_aside(s, n, first);

	if (rc == -1 && unlinkat(dirfd, name, 0) == 0) {
		sweep_say(s, path, "was removed: it could not be set aside");
		rc = 0;
	}
	if (rc == -1) {
		sweep_say(s, path, "COULD NOT BE SET ASIDE: look at it before "
		    "you go on");
		/* What is another user's the command has not made. */
		s->stayed += fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) ==
		    -1 || st.st_uid == geteuid();
	}
	if (closed)
		set_mode(dirfd, mode);
	return rc;
}

int
sweep_aside(struct sweeper *s, int dirfd, const char *name, const char *path,
    const char *why)
{
	return put_aside(s, &(struct name){ dirfd, name, path, why }, 1);
}

int
sweep_aside_unforeseen(struct sweeper *s, int dirfd, const char *name,
    const char *path, const char *why)
{
	return put_aside(s, &(struct name){ dirfd, name, path, why },
	    TRIES / 2);
}

int
sweep_dir(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, *path == '\0' ? "/" : path,
	    &how, sizeof how);
}

/* Was it closed, and is now open? */
static bool
open_up(int dirfd, const char *name)
{
	struct stat st;

	if (faccessat(dirfd, name, R_OK | X_OK, 0) == 0)
		return false;

	/* A writable place may be a file: nothing is in it. */
	auto_close int fd = openat(dirfd, name, O_PATH | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);

	return fd != -1 && fstat(fd, &st) == 0 &&
	    set_mode(fd, (st.st_mode & 07777) | 0700) == 0;
}

void
sweep_open(struct sweeper *s, int dirfd, const char *name, const char *path)
{
	if (open_up(dirfd, name))
		sweep_say(s, path, "was closed to its owner: it was opened, "
		    "to look into it");
}

bool
sweep_open_again(struct sweeper *s, int dirfd, const char *name,
    const char *path, unsigned n)
{
	struct stat st;

	if (n <= OPENS) {
		open_up(dirfd, name);
		return true;
	}
	sweep_say(s, path, "COULD NOT BE LOOKED INTO");
	/* What is another user's the command has not closed. */
	s->stayed += fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    st.st_uid == geteuid();
	return false;
}

bool
sweep_roots_have(const struct sweeper *s, const char *path)
{
	for (size_t i = 0; i < s->scene->roots.n; i++)
		if (path_in(path, s->scene->roots.v[i]))
			return true;
	return false;
}

bool
sweep_given(const struct sweeper *s, const char *path)
{
	for (size_t i = 0; i < s->given.n; i++)
		if (path_in(path, s->given.v[i]))
			return true;
	return false;
}
