#include "jail/input.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/mounts.h"

#include "common/banned.h"

#define READ_ONLY	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | \
			 MOUNT_ATTR_NODEV)

/* The same file, by its name; -1 where that leads elsewhere or nowhere. */
static int
open_anew(const struct stat *st)
{
	char path[PATH_MAX], link[40];
	ssize_t n = readlink("/proc/self/fd/0", path, sizeof path - 1);
	auto_close int root = open("/", O_PATH | O_CLOEXEC);
	auto_close int mount = -1, fd = -1;
	struct stat now;

	if (n <= 0 || path[0] != '/')
		return -1;
	path[n] = '\0';
	mount = mounts_clone(root, path, READ_ONLY, NULL);
	if (mount == -1)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", mount);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd == -1 || fstat(fd, &now) == -1 || now.st_dev != st->st_dev ||
	    now.st_ino != st->st_ino || fcntl(fd, F_SETFL, 0) == -1)
		return -1;
	return fd_steal(&fd);
}

/*
 * Could it be changed through the descriptor as it is?  Its number does not
 * say whose it is: in here everybody else looks like nobody.  Only an owner
 * may set this flag.
 */
static bool
can_change(int flags)
{
	if (fcntl(0, F_SETFL, flags | O_NOATIME) == 0) {
		fcntl(0, F_SETFL, flags);
		return true;
	}
	return faccessat(0, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

int
input_begin(struct input *ret, struct err *e)
{
	struct stat st;
	auto_close int fd = -1;
	int flags = fcntl(0, F_GETFL);

	*ret = (struct input)INPUT_NONE;
	/* Open for writing: that is what it was given for. */
	if (flags == -1 || (flags & O_ACCMODE) != O_RDONLY ||
	    (flags & O_PATH) != 0 || fstat(0, &st) == -1 ||
	    !S_ISREG(st.st_mode) || st.st_nlink == 0)
		return 0;
	fd = open_anew(&st);
	if (fd == -1)
		return !can_change(flags) ? 0 : err_set(e, ERR_USAGE,
		    "standard input is a file that cannot be opened anew for "
		    "reading alone: pass it through a pipe (cat FILE | "
		    "sandbox run ...)");
	if (lseek(fd, lseek(0, 0, SEEK_CUR), SEEK_SET) == -1)
		return err_sys(e, "cannot find the place in standard input");
	ret->given = fcntl(0, F_DUPFD_CLOEXEC, 3);
	if (ret->given == -1 || dup2(fd, 0) == -1)
		return err_sys(e, "cannot take another standard input");
	ret->ours = fd_steal(&fd);
	return 0;
}

void
input_end(const struct input *in)
{
	if (in->given != -1)
		lseek(in->given, lseek(in->ours, 0, SEEK_CUR), SEEK_SET);
}
