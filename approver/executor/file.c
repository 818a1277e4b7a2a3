#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approver/executor/executor.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

static int
root_open(struct err *e)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd == -1 ? err_sys(e, "cannot open '/'") : fd;
}

int
file_load(const char *target, struct str *ret, struct err *e)
{
	auto_close int root = root_open(e);
	struct stat st;

	if (root == -1)
		return -1;
	if (target[0] != '/' || target[1] == '\0')
		return err_set(e, ERR_FORMAT, "'%s' is not a file", target);

	auto_close int fd = fs_beneath(root, target + 1,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY, e);

	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", target);
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_FORMAT, "EISDIR: illegal operation on a "
		    "directory, read");
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a regular file",
		    target);
	return io_read_all(fd, EXECUTOR_FILE_MAX, ret, e);
}

/* Open `dir` (absolute, without a link), making what is missing. */
static int
parents(const char *dir, struct err *e)
{
	auto_free char *path = xstrdup(dir);
	auto_close int at = root_open(e);

	if (at == -1)
		return -1;
	for (char *p = path + 1, *next; *p != '\0'; p = next) {
		size_t len = strcspn(p, "/");
		int fd;

		next = p + len + (p[len] == '/');
		p[len] = '\0';
		if (mkdirat(at, p, 0777) == -1 && errno != EEXIST)
			return err_sys(e, "cannot make '%s'", dir);
		fd = fs_open_dir(at, p, e);
		if (fd == -1)
			return -1;
		close(at);
		at = fd;
	}
	return fd_steal(&at);
}

/* A file with other names or another owner must stay the file it is. */
static int
save_in_place(int fd, const char *text, size_t len, struct err *e)
{
	if (io_write_all(fd, text, len, e) == -1)
		return -1;
	if (ftruncate(fd, (off_t)len) == -1)
		return err_sys(e, "cannot cut the file");
	return 0;
}

static int
save_existing(int dir, const char *name, const char *text, size_t len,
    struct err *e)
{
	struct stat st;
	auto_close int fd = openat(dir, name,
	    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", name);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a regular file",
		    name);
	if (st.st_nlink == 1 && st.st_uid == geteuid() &&
	    st.st_gid == getegid() && faccessat(dir, ".", W_OK, 0) == 0)
		/* As a write does: setuid and setgid do not outlive it. */
		return fs_replace(dir, name, text, len, st.st_mode & 01777, e);
	return save_in_place(fd, text, len, e);
}

int
file_save(const char *target, const char *text, size_t len, struct err *e)
{
	auto_free char *path = xstrdup(target);
	char *name = strrchr(path, '/');
	struct err first;

	if (name == NULL || !fs_name_ok(name + 1))
		return err_set(e, ERR_FORMAT, "'%s' is not a file", target);
	*name++ = '\0';

	auto_close int dir = parents(path[0] == '\0' ? "/" : path, e);

	if (dir == -1)
		return -1;

	auto_close int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd != -1)
		return io_write_all(fd, text, len, e);
	err_sys(&first, "cannot create '%s'", name);
	if (first.sys != EEXIST) {
		if (e != NULL)
			*e = first;
		return -1;
	}
	return save_existing(dir, name, text, len, e);
}
