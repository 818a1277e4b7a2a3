/*
 * tests/bench/bus_floor [N [DIR]] - the least a folder bus can cost: two
 * processes, one file each way, rename(2) and inotify(7), nothing checked and
 * nothing kept.  What tests/bench/bus adds is formats, limits, the private
 * ledger and the answer that survives a crash.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/clock.h"

enum { TMP, PENDING, CLAIMED, ANSWERED, DIRS };

static int dirs[DIRS];
static const char payload[600];

static void
publish(int to, const char *name)
{
	int fd = openat(dirs[TMP], name, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd == -1 || write(fd, payload, sizeof payload) == -1 ||
	    renameat2(dirs[TMP], name, dirs[to], name, RENAME_NOREPLACE) == -1)
		err(1, "publish");
	close(fd);
}

static void
read_away(int from, const char *name)
{
	char buf[1024];
	int fd = openat(dirs[from], name, O_RDONLY | O_NOFOLLOW);

	if (fd == -1 || read(fd, buf, sizeof buf) == -1)
		err(1, "read");
	close(fd);
	unlinkat(dirs[from], name, 0);
}

static void
wait_one(int bell, char *name, size_t size)
{
	_Alignas(struct inotify_event) char buf[512];

	if (read(bell, buf, sizeof buf) <= 0)
		err(1, "inotify");
	snprintf(name, size, "%s",
	    ((const struct inotify_event *)(const void *)buf)->name);
}

static int
bell_for(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC);

	if (fd == -1 || inotify_add_watch(fd, path, IN_MOVED_TO) == -1)
		err(1, "inotify");
	return fd;
}

static void
answer_all(int n, int bell)
{
	char name[64];

	for (int i = 0; i < n; i++) {
		wait_one(bell, name, sizeof name);
		if (renameat2(dirs[PENDING], name, dirs[CLAIMED], name,
		    RENAME_NOREPLACE) == -1)
			err(1, "claim");
		read_away(CLAIMED, name);
		publish(ANSWERED, name);
	}
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "tmp", "pending", "claimed",
		"answered" };
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 3000;
	char dir[256], path[800], name[64];
	double *us = calloc((size_t)n, sizeof *us);
	int bells[2];

	snprintf(dir, sizeof dir, "%s/floor.XXXXXX", argc > 2 ? argv[2] :
	    "/tmp");
	if (us == NULL || n < 1 || mkdtemp(dir) == NULL)
		err(1, "%s", dir);
	for (int i = 0; i < DIRS; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		mkdir(path, 0700);
		dirs[i] = open(path, O_RDONLY | O_DIRECTORY);
		if (i == PENDING || i == ANSWERED)
			bells[i == ANSWERED] = bell_for(path);
	}

	pid_t pid = fork();

	if (pid == 0) {
		answer_all(n, bells[0]);
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		double t = now_us();

		snprintf(name, sizeof name, "%08d", i);
		publish(PENDING, name);
		wait_one(bells[1], path, sizeof path);
		read_away(ANSWERED, name);
		us[i] = now_us() - t;
	}
	waitpid(pid, NULL, 0);
	times_sort(us, (size_t)n);
	printf("floor: rename and inotify alone, median %.1f us\n", us[n / 2]);
	for (int i = 0; i < DIRS; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		rmdir(path);
	}
	rmdir(dir);
	free(us);
	return 0;
}
