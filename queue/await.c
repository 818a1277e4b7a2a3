/*
 * The asker's wait.  Events are a doorbell, nothing more: every ring, and a
 * timer, makes us look at the folders again, so an event that was lost, a
 * queue that overflowed or a file system without events costs a second, not
 * the answer.
 */
#include "queue/inside.h"

#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define LOOK_MS		1000	/* with a doorbell */
#define LOOK_REMOTE_MS	200	/* others may write without a ring */
#define LOOK_BLIND_MS	100	/* without one */

struct await {
	struct queue	*q;
	int		 bell;		/* inotify, or -1 */
	int		 look_ms;
};

bool
queue_is_remote(int dirfd)
{
	static const unsigned long kinds[] = { NFS_SUPER_MAGIC,
		FUSE_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, V9FS_MAGIC,
		SMB2_SUPER_MAGIC, CIFS_SUPER_MAGIC };
	struct statfs fs;

	if (fstatfs(dirfd, &fs) == -1)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((unsigned long)fs.f_type == kinds[i])
			return true;
	return false;
}

static int
watch(int bell, int dirfd)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", dirfd);
	return inotify_add_watch(bell, path, IN_MOVED_TO);
}

struct await *
await_open(struct queue *q)
{
	struct await *a = xcalloc(1, sizeof *a);

	a->q = q;
	a->look_ms = queue_is_remote(q->dir[DIR_ANSWERED]) ? LOOK_REMOTE_MS :
	    LOOK_MS;
	a->bell = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (a->bell == -1 || watch(a->bell, q->dir[DIR_ANSWERED]) == -1 ||
	    watch(a->bell, q->dir[DIR_CLOSED]) == -1) {
		mem_close_fd(&a->bell);
		a->bell = -1;
		a->look_ms = LOOK_BLIND_MS;
	}
	return a;
}

void
await_free(struct await *a)
{
	if (a == NULL)
		return;
	mem_close_fd(&a->bell);
	free(a);
}

static void
drain(int bell)
{
	char buf[4096] __attribute__((aligned(8)));

	while (read(bell, buf, sizeof buf) > 0)
		;
}

int
await_fd(const struct await *a, int *ret_ms)
{
	*ret_ms = a->look_ms;
	return a->bell;
}

void
await_hush(struct await *a)
{
	if (a->bell != -1)
		drain(a->bell);
}

enum look { LOOK_WAITS, LOOK_ANSWER, LOOK_OVER };

/* An answer to what nobody consumed is a forgery: not worth waking. */
static bool
is_answered(const struct queue *q, const char *id)
{
	char answer[ANSWER_NAME];

	queue_answer_name(id, answer);
	return queue_ledger_has(q, id, LEDGER_USED) &&
	    (queue_has(q->dir[DIR_ANSWERED], answer) ||
	    queue_has(q->dir[DIR_CLOSED], answer));
}

/*
 * "Closed without an answer" is final, because an answer is there before its
 * request is closed: so it is looked for once more behind the folders.
 */
static enum look
look(const struct queue *q, const char *id)
{
	enum queue_dir at;

	if (is_answered(q, id))
		return LOOK_ANSWER;
	at = queue_find(q, id);
	if (at == DIR_PENDING || at == DIR_CLAIMED)
		return LOOK_WAITS;
	return is_answered(q, id) ? LOOK_ANSWER : LOOK_OVER;
}

static int
wait_ms(const struct await *a, int64_t deadline_ms)
{
	int64_t left = deadline_ms - clock_boot_ms();

	return left < 0 ? 0 : left < a->look_ms ? (int)left : a->look_ms;
}

enum await_result
await_wait(struct await *a, const char *id, int64_t deadline_ms, int stop_fd)
{
	struct pollfd p[2] = {
		{ .fd = a->bell, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
	};

	for (;;) {
		switch (look(a->q, id)) {
		case LOOK_ANSWER:
			return AWAIT_ANSWER;
		case LOOK_OVER:
			return AWAIT_OVER;
		case LOOK_WAITS:
			break;
		}
		if (clock_boot_ms() >= deadline_ms)
			return AWAIT_DEADLINE;
		/* poll skips a descriptor of -1: no bell, nobody to stop us. */
		if (poll(p, 2, wait_ms(a, deadline_ms)) == -1 &&
		    errno != EINTR)
			return AWAIT_DEADLINE;
		if (p[1].revents != 0)
			return AWAIT_FD;
		if (p[0].revents != 0)
			drain(a->bell);
	}
}
