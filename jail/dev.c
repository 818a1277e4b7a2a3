/* jail/dev.c - a /dev with what programs need and nothing of the machine. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/mounts.h"

#include "common/banned.h"

static const char *const nodes[] = {
	"null", "zero", "full", "random", "urandom", "tty",
};

static const struct { const char *name, *to; } links[] = {
	{ "/dev/ptmx", "pts/ptmx" }, { "/dev/fd", "/proc/self/fd" },
	{ "/dev/stdin", "/proc/self/fd/0" },
	{ "/dev/stdout", "/proc/self/fd/1" },
	{ "/dev/stderr", "/proc/self/fd/2" },
};

static int
node(int oldroot, const char *name, struct err *e)
{
	auto_free char *path = xasprintf("/dev/%s", name);
	auto_close int src = mounts_clone(oldroot, path, MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NOEXEC, e);
	auto_close int file = -1;

	if (src == -1)
		return -1;
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file == -1)
		return err_sys(e, "cannot make '%s'", path);
	return mounts_put(src, path, e);
}

static int
mount_new(const char *type, const char *path, const char *options,
    struct err *e)
{
	if (mkdir(path, 0755) == -1 || mount(type, path, type,
	    MS_NOSUID | MS_NOEXEC, options) == -1)
		return err_sys(e, "cannot mount a %s on '%s'", type, path);
	return 0;
}

static int
shared_memory(struct err *e)
{
	auto_close int shm = mounts_tmpfs("1777", MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NODEV, e);

	if (shm == -1)
		return -1;
	if (mkdir("/dev/shm", 0755) == -1)
		return err_sys(e, "cannot make '/dev/shm'");
	return mounts_put(shm, "/dev/shm", e);
}

int
dev_build(int oldroot, struct err *e)
{
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	auto_close int dev = mounts_tmpfs("0755", MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NOEXEC, e);

	if (dev == -1 || mounts_put(dev, "/dev", e) == -1)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		if (node(oldroot, nodes[i], e) == -1)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (symlink(links[i].to, links[i].name) == -1)
			return err_sys(e, "cannot make '%s'", links[i].name);
	if (mount_new("devpts", "/dev/pts",
	    "newinstance,ptmxmode=0666,mode=620", e) == -1 ||
	    mount_new("mqueue", "/dev/mqueue", NULL, e) == -1 ||
	    shared_memory(e) == -1)
		return -1;
	if (mount_setattr(dev, "", AT_EMPTY_PATH, &ro, sizeof ro) == -1)
		return err_sys(e, "cannot close '/dev'");
	return 0;
}
