/* tests/jail/probe/mounts.c - another view of the files. */
#include "tests/jail/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define OVERWRITE	(O_CREAT | O_TRUNC)

static int
mount_something(char **args)
{
	(void)args;
	return expect_failure(mount("none", "/mnt", "tmpfs", 0, NULL),
	    "mount");
}

static int
change_root(char **args)
{
	(void)args;
	return expect_failure(chroot("/tmp"), "chroot");
}

static int
enter(void)
{
	if (become_root(CLONE_NEWNS) == -1)
		return -1;
	(void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return 0;
}

/* DIR FILE: writable again? */
static int
remount(char **args)
{
	char beside[512];

	if (enter() == -1)
		return held("namespaces");
	if (mount(NULL, args[0], NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
		puts("remounted");
	(void)umount2(args[1], MNT_DETACH);
	if (write_file(args[1], OVERWRITE, "pwn\n") == 0)
		return escaped("wrote a protected file after remount");
	snprintf(beside, sizeof beside, "%s/x", args[0]);
	return expect_failure(write_file(beside, OVERWRITE, "pwn\n"),
	    "wrote into a protected directory after remount");
}

/* A bind that does not recurse leaves behind what hides the file. */
static int
uncover(const char *file)
{
	char dir[512], there[600], beside[] = "./.xXXXXXX";
	const char *name = strrchr(file, '/');
	const char *at = mkdtemp(beside);

	if (name == NULL || at == NULL)
		return -1;
	snprintf(dir, sizeof dir, "%.*s", (int)(name - file), file);
	if (mount(dir, at, NULL, MS_BIND, NULL) == -1)
		return -1;
	snprintf(there, sizeof there, "%s%s", at, name);
	return file_has(there, "KEY") ||
	    write_file(there, OVERWRITE, "pwn\n") == 0 ? 0 : -1;
}

/* FILE...: away with what is mounted over them. */
static int
unmount(char **args)
{
	if (enter() == -1)
		return held("namespaces");
	if (uncover(args[0]) == 0)
		return escaped("uncovered a protected file");
	for (char **file = args; *file != NULL; file++)
		if (umount2(*file, MNT_DETACH) == 0)
			printf("unmounted %s\n", *file);
	for (char **file = args; *file != NULL; file++)
		if (write_file(*file, OVERWRITE, "pwn\n") == 0)
			return escaped("wrote a protected file");
	return held("unmount");
}

const struct attack mount_attacks[] = {
	{ "mount", 0, mount_something }, { "chroot", 0, change_root },
	{ "remount", 2, remount }, { "umountdeny", 1, unmount },
	{ NULL, 0, NULL }
};
