/* tests/jail/probe/files.c - by a name, by a handle, by a copy of a program. */
#include "tests/jail/probe/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

static int
change_mode(char **args)
{
	return expect_failure(chmod(args[0], 0777), "chmod of protected");
}

static int
change_times(char **args)
{
	return expect_failure(utimensat(AT_FDCWD, args[0], NULL, 0),
	    "utimes of protected");
}

static int
cut(char **args)
{
	return expect_failure(truncate(args[0], 0), "truncate of protected");
}

static int
set_attribute(char **args)
{
	return expect_failure(setxattr(args[0], "user.x", "1", 1, 0),
	    "setxattr of protected");
}

static int
make_device(char **args)
{
	return expect_failure(mknod(args[0], S_IFBLK | 0600, makedev(254, 0)),
	    "a block device");
}

/* What no path leads to a handle may open. */
static int
open_handle(char **args)
{
	union {
		struct file_handle	 handle;
		char			 room[sizeof(struct file_handle) + 128];
	} of = { .handle = { .handle_bytes = 128 } };
	int mount;

	if (name_to_handle_at(AT_FDCWD, args[0], &of.handle, &mount, 0) == -1)
		return held("name_to_handle_at");
	return expect_failure(open_by_handle_at(open("/", O_RDONLY),
	    &of.handle, O_RDWR), "open_by_handle_at");
}

/* A program that no rule about files knows reads the file. */
static int
run_copy(char **args)
{
	char bytes[65536];
	char *const argv[] = { "cat", args[0], NULL };
	int to = memfd_create("x", 0), from = open("/bin/cat", O_RDONLY);
	ssize_t n;

	if (to == -1 || from == -1)
		return held("memfd");
	while ((n = read(from, bytes, sizeof bytes)) > 0)
		if (write(to, bytes, (size_t)n) != n)
			return held("memfd");
	fexecve(to, argv, environ);
	return held("fexecve");
}

const struct attack file_attacks[] = {
	{ "chmod", 1, change_mode }, { "utime", 1, change_times },
	{ "truncate", 1, cut }, { "setxattr", 1, set_attribute },
	{ "mknod", 1, make_device }, { "obha", 1, open_handle },
	{ "memfd", 1, run_copy }, { NULL, 0, NULL }
};
