/* tests/jail/probe/main.c - the attacks by name, and what they share. */
#include "tests/jail/probe/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pids {
	DIR	*dir;
	bool	 family;
};

int
escaped(const char *what)
{
	printf("ESCAPED %s\n", what);
	fflush(stdout);
	return 0;
}

int
held(const char *what)
{
	printf("held %s: %s\n", what, strerror(errno));
	fflush(stdout);
	return 1;
}

int
expect_failure(long result, const char *what)
{
	return result < 0 ? held(what) : escaped(what);
}

ssize_t
read_file(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	ret[0] = '\0';
	if (fd == -1)
		return -1;
	n = read(fd, ret, size - 1);
	close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n;
}

int
write_file(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
	ssize_t n;

	if (fd == -1)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == -1 ? -1 : 0;
}

bool
file_has(const char *path, const char *text)
{
	char bytes[512];

	return read_file(path, bytes, sizeof bytes) > 0 &&
	    strstr(bytes, text) != NULL;
}

struct pids *
pids_open(bool family)
{
	struct pids *p = calloc(1, sizeof *p);

	if (p == NULL || (p->dir = opendir("/proc")) == NULL) {
		free(p);
		return NULL;
	}
	p->family = family;
	return p;
}

static bool
is_family(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	return pid == getppid() || file_has(path, "probe");
}

pid_t
pids_next(struct pids *p)
{
	struct dirent *d;

	while (p != NULL && (d = readdir(p->dir)) != NULL) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() &&
		    (p->family || !is_family(pid)))
			return pid;
	}
	return 0;
}

void
pids_close(struct pids *p)
{
	if (p != NULL)
		closedir(p->dir);
	free(p);
}

int
become_root(int more)
{
	char map[64];
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWUSER | more) == -1)
		return -1;
	(void)write_file("/proc/self/setgroups", 0, "deny");
	snprintf(map, sizeof map, "0 %u 1", uid);
	if (write_file("/proc/self/uid_map", 0, map) == -1)
		return -1;
	snprintf(map, sizeof map, "0 %u 1", gid);
	return write_file("/proc/self/gid_map", 0, map);
}

int
main(int argc, char **argv)
{
	static const struct attack *const all[] = { file_attacks,
		kernel_attacks, mount_attacks, plant_attacks, process_attacks,
		socket_attacks, terminal_attacks };

	if (argc < 2)
		return 2;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		for (const struct attack *a = all[i]; a->name != NULL; a++)
			if (strcmp(a->name, argv[1]) == 0 &&
			    argc - 2 >= a->args)
				return a->run(argv + 2);
	fprintf(stderr, "probe: no attack '%s', or too few arguments\n",
	    argv[1]);
	return 2;
}
