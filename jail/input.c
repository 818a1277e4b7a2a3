#include "jail/input.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/mounts.h"

#include "common/banned.h"

#define READ_ONLY	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | \
			 MOUNT_ATTR_NODEV)

static const char *const names[INPUTS] = {
	"standard input", "standard output", "standard error"
};

/* The same file, by its name; -1 where that leads elsewhere or nowhere. */
static int
open_anew(int old, const struct stat *st, int flags)
{
	char path[PATH_MAX], link[40];
	ssize_t n;
	auto_close int root = open("/", O_PATH | O_CLOEXEC);
	auto_close int mount = -1, fd = -1;
	struct stat now;

	snprintf(link, sizeof link, "/proc/self/fd/%d", old);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0 || path[0] != '/')
		return -1;
	path[n] = '\0';
	mount = mounts_clone(root, path, READ_ONLY, NULL);
	if (mount == -1)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", mount);
	fd = open(link, (flags & O_ACCMODE) | O_CLOEXEC | O_NONBLOCK);
	if (fd == -1 || fstat(fd, &now) == -1 || now.st_dev != st->st_dev ||
	    now.st_ino != st->st_ino ||
	    fcntl(fd, F_SETFL, flags & O_NONBLOCK) == -1)
		return -1;
	return fd_steal(&fd);
}

/*
 * Could it be changed through the descriptor as it is?  Its number does not
 * say whose it is: in here everybody else looks like nobody.  Only an owner
 * may set this flag.
 */
static bool
can_change(int fd, int flags)
{
	if (fcntl(fd, F_SETFL, flags | O_NOATIME) == 0) {
		fcntl(fd, F_SETFL, flags);
		return true;
	}
	return faccessat(fd, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

/*
 * A file that can be read alone, or a pipe that has a name.  What is open for
 * writing was given for that.
 */
static bool
is_for_us(int fd, const struct stat *st, int flags)
{
	struct statfs fs;

	if (S_ISFIFO(st->st_mode))
		return fstatfs(fd, &fs) == -1 || fs.f_type != PIPEFS_MAGIC;
	return S_ISREG(st->st_mode) && st->st_nlink > 0 &&
	    (flags & O_ACCMODE) == O_RDONLY;
}

static int
begin(int fd, struct input *in, struct err *e)
{
	struct stat st;
	auto_close int new = -1;
	int flags = fcntl(fd, F_GETFL);

	if (flags == -1 || fstat(fd, &st) == -1 || !is_for_us(fd, &st, flags))
		return 0;
	new = open_anew(fd, &st, flags);
	if (new == -1)
		return !can_change(fd, flags) ? 0 : err_set(e, ERR_USAGE,
		    "%s is a file that cannot be opened anew for reading "
		    "alone: pass it through a pipe (cat FILE | sandbox run "
		    "...)", names[fd]);
	if (S_ISREG(st.st_mode)) {
		if (lseek(new, lseek(fd, 0, SEEK_CUR), SEEK_SET) == -1)
			return err_sys(e, "cannot find the place in %s",
			    names[fd]);
		in->given = fcntl(fd, F_DUPFD_CLOEXEC, INPUTS);
		if (in->given == -1)
			return err_sys(e, "cannot keep %s", names[fd]);
	}
	if (dup2(new, fd) == -1)
		return err_sys(e, "cannot take another %s", names[fd]);
	if (S_ISREG(st.st_mode))
		in->ours = fd_steal(&new);
	return 0;
}

int
input_begin(struct input ret[static INPUTS], struct err *e)
{
	for (int fd = 0; fd < INPUTS; fd++) {
		ret[fd] = (struct input){ -1, -1 };
		if (begin(fd, &ret[fd], e) == -1)
			return -1;
	}
	return 0;
}

void
input_end(const struct input in[static INPUTS])
{
	for (int fd = 0; fd < INPUTS; fd++)
		if (in[fd].given != -1)
			lseek(in[fd].given, lseek(in[fd].ours, 0, SEEK_CUR),
			    SEEK_SET);
}
