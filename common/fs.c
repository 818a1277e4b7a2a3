#include "common/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define REPLACED_MAX	16	/* times that a name changes its file */

bool
fs_name_ok(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 255 && strchr(name, '/') == NULL &&
	    strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

int
fs_beneath(int dirfd, const char *path, int flags, struct err *e)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	do
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof how);
	while (fd == -1 && (errno == EINTR || errno == EAGAIN));
	if (fd == -1)
		return err_sys(e, "cannot open '%s'", path);
	return (int)fd;
}

int
fs_open_dir(int dirfd, const char *path, struct err *e)
{
	return fs_beneath(dirfd, path, O_RDONLY | O_DIRECTORY, e);
}

int
fs_open_dir_follow(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd == -1 ? err_sys(e, "cannot open '%s'", path) : fd;
}

int
fs_open_plain(int dirfd, const char *name, struct stat *ret_st, struct err *e)
{
	struct stat st;
	auto_close int fd = openat(dirfd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", name);
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a regular file",
		    name);
	if (ret_st != NULL)
		*ret_st = st;
	return fd_steal(&fd);
}

int
fs_open_own(int dirfd, const char *name, struct stat *ret_st, struct err *e)
{
	struct stat st = { 0 };
	auto_close int fd = fs_open_plain(dirfd, name, &st, e);

	/* Replaced since it was opened: another has its name. */
	for (int i = 0; fd != -1 && st.st_nlink == 0 && i < REPLACED_MAX; i++) {
		close(fd);
		fd = fs_open_plain(dirfd, name, &st, e);
	}
	if (fd == -1)
		return -1;
	if (st.st_uid != geteuid())
		return err_set(e, ERR_FORMAT, "'%s' belongs to uid %u", name,
		    (unsigned)st.st_uid);
	if ((st.st_mode & 077) != 0)
		return err_set(e, ERR_FORMAT,
		    "'%s' is open to others (mode %03o)", name,
		    (unsigned)(st.st_mode & 0777));
	if (st.st_nlink != 1)
		return err_set(e, ERR_FORMAT, "'%s' has %u names", name,
		    (unsigned)st.st_nlink);
	if (ret_st != NULL)
		*ret_st = st;
	return fd_steal(&fd);
}

int
fs_read_own(int dirfd, const char *name, size_t max, struct str *ret,
    struct err *e)
{
	auto_close int fd = fs_open_own(dirfd, name, NULL, e);

	if (fd == -1)
		return -1;
	if (io_read_all(fd, max, ret, e) == -1)
		return err_add(e, "'%s'", name);
	return 0;
}

int
fs_check_private(int fd, const char *what, struct err *e)
{
	struct stat st = { 0 };

	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", what);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a directory", what);
	if (st.st_uid != geteuid())
		return err_set(e, ERR_FORMAT, "'%s' belongs to uid %u", what,
		    (unsigned)st.st_uid);
	if ((st.st_mode & 077) != 0)
		return err_set(e, ERR_FORMAT,
		    "'%s' is open to others (mode %03o)", what,
		    (unsigned)(st.st_mode & 0777));
	return 0;
}

int
fs_make_private(int dirfd, const char *name, struct err *e)
{
	if (mkdirat(dirfd, name, 0700) == -1 && errno != EEXIST)
		return err_sys(e, "cannot make '%s'", name);

	auto_close int fd = fs_open_dir(dirfd, name, e);

	if (fd == -1 || fs_check_private(fd, name, e) == -1)
		return -1;
	return fd_steal(&fd);
}

int
fs_create(int dirfd, const char *name, struct err *e)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);

	return fd == -1 ? err_sys(e, "cannot create '%s'", name) : fd;
}

int
fs_write_new(int dirfd, const char *name, const void *p, size_t len, bool sync,
    struct err *e)
{
	auto_close int fd = fs_create(dirfd, name, e);

	if (fd == -1)
		return -1;
	if (io_write_all(fd, p, len, e) == -1) {
		err_add(e, "'%s'", name);
		unlinkat(dirfd, name, 0);
		return -1;
	}
	if (sync && fdatasync(fd) == -1) {
		err_sys(e, "cannot sync '%s'", name);
		unlinkat(dirfd, name, 0);
		return -1;
	}
	return 0;
}

/* A sibling's name: whoever dies leaves it to the next of the same pid. */
#define ASIDE	280

static void
aside_name(const char *name, char ret[static ASIDE])
{
	snprintf(ret, ASIDE, ".%.240s.%lx", name, (unsigned long)getpid());
}

static int
write_aside(int dirfd, const char *tmp, const void *p, size_t len,
    mode_t mode, struct err *e)
{
	unlinkat(dirfd, tmp, 0);

	auto_close int fd = fs_create(dirfd, tmp, e);
	int got = fd == -1 ? -1 : io_write_all(fd, p, len, e);

	if (got == 0 && (fchmod(fd, mode) == -1 || fsync(fd) == -1))
		got = err_sys(e, "cannot sync it");
	if (got == -1 && fd != -1)
		unlinkat(dirfd, tmp, 0);
	return got;
}

static int
sync_dir(int dirfd, const char *name, struct err *e)
{
	return fsync(dirfd) == 0 ? 0 :
	    err_sys(e, "cannot sync the directory of '%s'", name);
}

int
fs_replace(int dirfd, const char *name, const void *p, size_t len, mode_t mode,
    struct err *e)
{
	char tmp[ASIDE];

	aside_name(name, tmp);
	if (write_aside(dirfd, tmp, p, len, mode, e) == -1)
		return err_add(e, "'%s'", name);
	if (renameat(dirfd, tmp, dirfd, name) == -1) {
		err_sys(e, "cannot replace '%s'", name);
		unlinkat(dirfd, tmp, 0);
		return -1;
	}
	return sync_dir(dirfd, name, e);
}

int
fs_publish(int dirfd, const char *name, const void *p, size_t len,
    struct err *e)
{
	char tmp[ASIDE];

	aside_name(name, tmp);
	if (write_aside(dirfd, tmp, p, len, 0600, e) == -1)
		return err_add(e, "'%s'", name);
	if (fs_rename_new(dirfd, tmp, dirfd, name, e) == -1) {
		unlinkat(dirfd, tmp, 0);
		return -1;
	}
	return sync_dir(dirfd, name, e);
}

int
fs_rename_new(int fromfd, const char *from, int tofd, const char *to,
    struct err *e)
{
	if (renameat2(fromfd, from, tofd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return err_sys(e, "cannot move '%s'", from);
	/*
	 * NFS, some FUSE file systems: no flag.  The names are random ids that
	 * only one side creates, so a check before the rename is enough.
	 */
	if (faccessat(tofd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return err_sys(e, "cannot move '%s'", from);
	}
	if (renameat(fromfd, from, tofd, to) == -1)
		return err_sys(e, "cannot move '%s'", from);
	return 0;
}

static void
names_add(struct fs_names *l, size_t *cap, const char *name)
{
	if (l->n == *cap) {
		*cap = *cap == 0 ? 32 : *cap * 2;
		l->names = xrealloc(l->names, *cap, sizeof *l->names);
	}
	l->names[l->n++] = xstrdup(name);
}

/*
 * getdents64 rather than readdir: a submit lists nine folders, and opendir's
 * allocation and checks are most of what that costs.
 */
int
fs_list(int dirfd, bool (*want)(const char *), size_t max,
    struct fs_names *ret, size_t *ret_more, struct err *e)
{
	_Alignas(struct dirent64) char buf[16384];
	struct fs_names out = { 0 };
	size_t more = 0, cap = 0;
	auto_close int fd = openat(dirfd, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n = 0;

	while (fd != -1 && (n = getdents64(fd, buf, sizeof buf)) > 0) {
		for (char *p = buf; p < buf + n; ) {
			const struct dirent64 *d = (const void *)p;

			p += d->d_reclen;
			if (strcmp(d->d_name, ".") == 0 ||
			    strcmp(d->d_name, "..") == 0 ||
			    (want != NULL && !want(d->d_name)))
				continue;
			if (out.n == max)
				more++;
			else
				names_add(&out, &cap, d->d_name);
		}
	}
	if (fd == -1 || n == -1) {
		err_sys(e, "cannot list a directory");
		fs_names_clear(&out);
		return -1;
	}
	*ret = out;
	if (ret_more != NULL)
		*ret_more = more;
	return 0;
}

void
fs_names_clear(struct fs_names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
	*l = (struct fs_names){ 0 };
}

int
fs_path_of(int fd, struct str *ret, struct err *e)
{
	char link[40], buf[4096];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, buf, sizeof buf);
	if (n == -1)
		return err_sys(e, "cannot read '%s'", link);
	if ((size_t)n == sizeof buf || buf[0] != '/')
		return err_set(e, ERR_SYSTEM, "'%s' has no usable path", link);
	str_addn(ret, buf, (size_t)n);
	return 0;
}
