#include "jail/sweep_links.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
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

void
sweep_behind(struct sweeper *s, const char *denied)
{
	auto_free char *real = realpath(denied, NULL), *dir = NULL;
	char *slash;

	if (real == NULL || glob_is(denied) || !sweep_roots_have(s, real) ||
	    sweep_was_there(s, real))
		return;
	dir = xstrdup(real);
	slash = strrchr(dir, '/');
	*slash = '\0';

	auto_close int fd = open_dir(dir);

	if (fd != -1)
		sweep_aside(s, fd, slash + 1, real,
		    "is new where writing is denied");
}

void
sweep_link(struct sweeper *s, const struct link *l)
{
	auto_free char *dir = xstrdup(l->path);
	char *slash = strrchr(dir, '/'), now[PATH_MAX];
	ssize_t n;

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
