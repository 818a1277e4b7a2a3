/*
 * What libinotifytools 3.22 does that one must know: next_event(0) waits for
 * ever and other timeouts are whole seconds, so it is asked only when poll(2)
 * says that it would not wait; its descriptor is global, has no accessor and
 * is inherited by what we exec; it select(2)s, which a descriptor of 1024 or
 * more turns into an abort; an overflow has wd -1; a removed folder still
 * counts as watched.
 */
#include "queue/watch.h"

#include <fcntl.h>
#include <inotifytools/inotify.h>
#include <inotifytools/inotifytools.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/mem.h"
#include "queue/inside.h"

#include "common/banned.h"

#define LOOK_MS		1000
#define LOOK_REMOTE_MS	200
#define GAP_MS		20	/* between two rings */
#define AGAIN_MS	2000	/* folders that went away are tried again */
#define DRAIN_MAX	20000	/* more than the kernel queues */

/* Where a request, and the end of a run, comes in or goes out. */
static const char *const folders[] = { "pending", "claimed", "answered" };
#define FOLDERS	ARRAY_LEN(folders)

#define RINGS	(IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | \
		IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

struct watch {
	const struct home *const *homes;
	size_t			 n;		/* of homes */
	int			 bell;		/* or -1 */
	int			 look_ms;
	bool			 stale;		/* a folder was replaced */
	int64_t			 looked, rang, hung;
	struct stat		*seen;		/* FOLDERS for each home */
};

static bool taken;

/*
 * The library does not tell its descriptor: it is the lowest free one, and
 * /proc must agree that it is what we think.
 */
static int
bell_begin(void)
{
	char path[40], is[32] = "";
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		return -1;
	close(fd);
	if (fd >= FD_SETSIZE || !inotifytools_initialize())
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (readlink(path, is, sizeof is - 1) == -1 ||
	    strcmp(is, "anon_inode:inotify") != 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) == -1) {
		inotifytools_cleanup();
		return -1;
	}
	return fd;
}

static int
bus(const struct watch *w, size_t i)
{
	return w->homes[i / FOLDERS]->bus;
}

/* By our descriptor, so that nobody can lead the last step elsewhere. */
static void
hang(struct watch *w)
{
	w->stale = false;
	w->hung = clock_boot_ms();
	for (size_t i = 0; i < w->n * FOLDERS; i++) {
		const char *folder = folders[i % FOLDERS];
		char path[64];

		w->seen[i] = (struct stat){ 0 };
		if (fstatat(bus(w, i), folder, &w->seen[i],
		    AT_SYMLINK_NOFOLLOW) == -1)
			w->stale = true;
		snprintf(path, sizeof path, "/proc/self/fd/%d/%s", bus(w, i),
		    folder);
		inotifytools_remove_watch_by_filename(path);
		if (!inotifytools_watch_file(path, RINGS))
			w->stale = true;
	}
}

/*
 * A folder that is gone does not say so while anyone, we for one, has it open.
 */
static bool
is_replaced(const struct watch *w)
{
	struct stat st;

	for (size_t i = 0; i < w->n * FOLDERS; i++)
		if (fstatat(bus(w, i), folders[i % FOLDERS], &st,
		    AT_SYMLINK_NOFOLLOW) == -1 ||
		    st.st_ino != w->seen[i].st_ino ||
		    st.st_dev != w->seen[i].st_dev)
			return true;
	return false;
}

struct watch *
watch_open(const struct home *const *homes, size_t n)
{
	struct watch *w = xcalloc(1, sizeof *w);

	if (taken)
		BUG("a second watch");
	taken = true;
	w->homes = homes;
	w->n = n;
	w->seen = xcalloc(n * FOLDERS, sizeof *w->seen);
	w->bell = bell_begin();
	w->look_ms = w->bell == -1 ? LOOK_REMOTE_MS : LOOK_MS;
	for (size_t i = 0; i < n; i++)
		if (queue_is_remote(homes[i]->bus))
			w->look_ms = LOOK_REMOTE_MS;
	if (w->bell != -1)
		hang(w);
	w->looked = clock_boot_ms();
	return w;
}

void
watch_close(struct watch *w)
{
	if (w == NULL)
		return;
	if (w->bell != -1)
		inotifytools_cleanup();
	taken = false;
	free(w->seen);
	free(w);
}

bool
watch_has_bell(const struct watch *w)
{
	return w->bell != -1 && !w->stale;
}

static bool
can_read(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLIN) != 0;
}

/*
 * Empty the kernel's queue.  What the library still holds in its buffer comes
 * out with the next ring: a hint too many, never one too few.
 */
static void
drain(struct watch *w)
{
	for (int i = 0; i < DRAIN_MAX && can_read(w->bell); i++) {
		const struct inotify_event *ev = inotifytools_next_event(1);

		if (ev == NULL || ev->wd == -1 || (ev->mask & (IN_DELETE_SELF |
		    IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0)
			w->stale = true;
	}
}

static int
least(int64_t a, int64_t b)
{
	int64_t n = a < b ? a : b;

	return n < 0 ? 0 : n > LOOK_MS ? LOOK_MS : (int)n;
}

unsigned
watch_wait(struct watch *w, int in, int most_ms)
{
	int64_t now = clock_boot_ms(), due = w->looked + w->look_ms - now;
	struct pollfd p[2] = { { .fd = in, .events = POLLIN },
		{ .fd = w->bell, .events = POLLIN } };
	unsigned ret = 0;

	if (now - w->rang < GAP_MS) {
		p[1].fd = -1;	/* not listening; keys still come through */
		due = least(due, w->rang + GAP_MS - now);
	}
	if (poll(p, 2, least(due, most_ms < 0 ? due : most_ms)) == -1)
		return 0;
	now = clock_boot_ms();
	if (p[0].revents != 0)
		ret |= WATCH_INPUT;
	if (p[1].revents != 0) {
		drain(w);
		w->rang = now;
		ret |= WATCH_LOOK;
	}
	if (now - w->looked >= w->look_ms)
		ret |= WATCH_LOOK;
	if ((ret & WATCH_LOOK) != 0) {
		w->looked = now;
		w->stale = w->stale || is_replaced(w);
	}
	if (w->stale && w->bell != -1 && now - w->hung >= AGAIN_MS)
		hang(w);
	return ret;
}
