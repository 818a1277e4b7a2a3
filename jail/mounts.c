#include "jail/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/visible.h"
#include "jail/reason.h"

#include "common/banned.h"

#define PLAIN	(MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* What belongs to the kernel under /proc: never writable, whoever asks. */
static const char *const kernels[] = {
	"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
	"/proc/fs",
};

static int
complain(const char *what, const char *path, struct err *e)
{
	int saved = errno;
	auto_free char *shown = visible_line(path);

	errno = saved;
	return err_sys(e, "cannot %s '%.120s'", what, shown);
}

int
mounts_at(int rootfd, const char *path, struct err *e)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, rootfd, path, &how, sizeof how);

	return fd == -1 ? complain("open", path, e) : fd;
}

int
mounts_clone(int rootfd, const char *path, unsigned long long attrs,
    struct err *e)
{
	struct mount_attr a = { .attr_set = attrs };
	auto_close int at = mounts_at(rootfd, path, e);
	auto_close int fd = -1;

	if (at == -1)
		return -1;
	fd = open_tree(at, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
	    AT_EMPTY_PATH | AT_RECURSIVE);
	if (fd == -1 || mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &a,
	    sizeof a) == -1)
		return complain("bind", path, e);
	return fd_steal(&fd);
}

int
mounts_put(int mountfd, const char *path, struct err *e)
{
	auto_close int root = open("/", O_PATH | O_CLOEXEC);
	auto_close int at = mounts_at(root, path, e);

	if (at == -1)
		return -1;
	if (move_mount(mountfd, "", at, "", MOVE_MOUNT_F_EMPTY_PATH |
	    MOVE_MOUNT_T_EMPTY_PATH) == -1)
		return complain("mount on", path, e);
	return 0;
}

int
mounts_tmpfs(const char *mode, unsigned long long attrs, struct err *e)
{
	auto_close int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	int fd;

	if (fs == -1 ||
	    fsconfig(fs, FSCONFIG_SET_STRING, "mode", mode, 0) == -1 ||
	    fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == -1 ||
	    (fd = fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attrs)) == -1) {
		err_sys(e, "cannot make a tmpfs");
		return reason_add(e);
	}
	return fd;
}

/* Directories (and a file, if need be) in something empty of our own.  Inside
 * is one user, and a private directory must look like one. */
static int
make_way(const struct op *op, struct err *e)
{
	auto_free char *path = xstrdup(op->path);
	int fd;

	for (char *s = path + 1; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		if (mkdir(path, 0700) == -1 && errno != EEXIST)
			return complain("make", path, e);
		*s = '/';
	}
	if (op->dir) {
		if (mkdir(path, 0700) == -1 && errno != EEXIST)
			return complain("make", path, e);
		return 0;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0444);
	if (fd == -1)
		return complain("make", path, e);
	close(fd);
	return 0;
}

/* A file nobody can read, to lie over another. */
static int
empty_file(struct err *e)
{
	auto_close int dir = mounts_tmpfs("0700", PLAIN, e), file = -1;

	if (dir == -1)
		return -1;
	file = openat(dir, "hidden", O_WRONLY | O_CREAT | O_CLOEXEC, 0);
	if (file == -1)
		return err_sys(e, "cannot make an empty file");
	return mounts_clone(dir, "hidden", PLAIN | MOUNT_ATTR_RDONLY, e);
}

static int
source(const struct op *op, int oldroot, struct err *e)
{
	switch (op->kind) {
	case OP_READ:
		return mounts_clone(oldroot, op->path,
		    PLAIN | MOUNT_ATTR_RDONLY, e);
	case OP_WRITE:
		return mounts_clone(oldroot, op->path, PLAIN, e);
	case OP_PRIVATE:
		return mounts_tmpfs("1777", PLAIN, e);
	case OP_HIDE:
		return op->dir ? mounts_tmpfs("0700", PLAIN, e) :
		    empty_file(e);
	case OP_DIR:
		break;
	}
	BUG("an op without a source");
}

static int
carry_out(const struct plan *p, int oldroot, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		auto_close int fd = -1;

		if (p->v[i].make && make_way(&p->v[i], e) == -1)
			return -1;
		if (p->v[i].kind == OP_DIR)
			continue;
		fd = source(&p->v[i], oldroot, e);
		if (fd == -1 || mounts_put(fd, p->v[i].path, e) == -1)
			return -1;
	}
	return 0;
}

/* What was open while mount points were made in it is closed now. */
static int
close_hidden(const struct plan *p, struct err *e)
{
	struct mount_attr a = { .attr_set = MOUNT_ATTR_RDONLY };
	auto_close int root = open("/", O_PATH | O_CLOEXEC);

	for (size_t i = 0; i < p->n; i++) {
		auto_close int at = -1;

		if (p->v[i].kind != OP_HIDE || !p->v[i].dir)
			continue;
		at = mounts_at(root, p->v[i].path, e);
		if (at == -1)
			return -1;
		if (mount_setattr(at, "", AT_EMPTY_PATH, &a, sizeof a) == -1)
			return complain("close", p->v[i].path, e);
	}
	return 0;
}

/*
 * These are counted for a user everywhere: all of them taken inside, nobody
 * outside could watch a file any more.
 */
static void
leave_watches(void)
{
	static const struct { const char *all, *ours; } t[] = {
		{ "/proc/sys/fs/inotify/max_user_instances",
		  "/proc/sys/user/max_inotify_instances" },
		{ "/proc/sys/fs/inotify/max_user_watches",
		  "/proc/sys/user/max_inotify_watches" },
		{ "/proc/sys/fs/fanotify/max_user_groups",
		  "/proc/sys/user/max_fanotify_groups" },
		{ "/proc/sys/fs/fanotify/max_user_marks",
		  "/proc/sys/user/max_fanotify_marks" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		auto_close int from = open(t[i].all, O_RDONLY | O_CLOEXEC);
		auto_close int to = open(t[i].ours, O_WRONLY | O_CLOEXEC);
		char number[32] = "";
		ssize_t n = from == -1 || to == -1 ? -1 :
		    read(from, number, sizeof number - 1);
		long all = n <= 0 ? 0 : strtol(number, NULL, 10);

		if (all > 0)
			dprintf(to, "%ld", all - all / 4);
	}
}

static int
proc_build(bool nested, struct err *e)
{
	auto_close int root = open("/", O_PATH | O_CLOEXEC);

	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	    NULL) == -1) {
		err_sys(e, "cannot mount a fresh /proc");
		return reason_add(e);
	}
	leave_watches();
	for (size_t i = 0; i < ARRAY_LEN(kernels) && !nested; i++) {
		auto_close int fd = -1;

		if (access(kernels[i], F_OK) == -1)
			continue;
		fd = mounts_clone(root, kernels[i], PLAIN | MOUNT_ATTR_RDONLY |
		    MOUNT_ATTR_NOEXEC, e);
		if (fd == -1 || mounts_put(fd, kernels[i], e) == -1)
			return -1;
	}
	return 0;
}

/* Make a read-only copy of the whole tree our root; returns the old one. */
static int
turn(struct err *e)
{
	auto_close int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int tree = -1;

	if (old == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1) {
		err_sys(e, "cannot make the mounts private");
		return reason_add(e);
	}
	tree = mounts_clone(old, "/", MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY,
	    e);
	if (tree == -1)
		return reason_add(e);
	if (move_mount(tree, "", old, "", MOVE_MOUNT_F_EMPTY_PATH |
	    MOVE_MOUNT_T_EMPTY_PATH) == -1 || fchdir(tree) == -1 ||
	    syscall(SYS_pivot_root, ".", ".") == -1)
		return err_sys(e, "cannot change the root");
	return fd_steal(&old);
}

int
mounts_build(const struct plan *p, bool nested, struct err *e)
{
	auto_close int old = turn(e);

	if (old == -1)
		return -1;
	if (chdir("/") == -1 || dev_build(old, e) == -1 ||
	    proc_build(nested, e) == -1 || carry_out(p, old, e) == -1 ||
	    close_hidden(p, e) == -1)
		return -1;
	if (fchdir(old) == -1 || umount2(".", MNT_DETACH) == -1 ||
	    chdir("/") == -1)
		return err_sys(e, "cannot leave the old tree");
	return 0;
}
