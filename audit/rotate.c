#include "audit/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define FIRST_BYTES	512	/* of a line: its time is in them */

static int
month_of(int64_t wall_ms)
{
	time_t t = (time_t)(wall_ms / 1000);
	struct tm tm;

	return gmtime_r(&t, &tm) == NULL ? -1 :
	    tm.tm_year * 12 + tm.tm_mon;
}

/* When did the file's first record come? */
static int64_t
began_ms(int fd, uint64_t size)
{
	static const char name[] = "\"t_wall_ms\":";
	char head[FIRST_BYTES + 1] = "";
	size_t n = size < FIRST_BYTES ? (size_t)size : FIRST_BYTES;
	const char *p;

	if (io_pread_full(fd, head, n, 0, NULL) == -1)
		return -1;
	p = strstr(head, name);
	return p == NULL ? -1 : strtoll(p + sizeof name - 1, NULL, 10);
}

bool
rotate_due(const struct logfile *f, const struct clock *clock, bool sync,
    char ret[static LOGSET_NAME])
{
	uint64_t limit = f->rotate_at == 0 ? ROTATE_BYTES : f->rotate_at;
	uint64_t first;
	int64_t began;

	/* What a crash left must be closed in its own file. */
	if (f->tail.torn.bytes > 0 || f->tail.torn.lost > 0)
		return false;
	if (f->size < limit) {
		/* The month is only looked at where a sync is paid anyway. */
		began = sync ? began_ms(f->log, f->size) : -1;
		if (began < 0 || month_of(began) >= month_of(clock->wall_ms))
			return false;
	}
	if (!logset_first_seq(f->log, &first))
		return false;
	logset_archive_name(first, ret);
	return true;
}

/* The new file, whole and on disk, under its temporary name. */
static int
prepare(int dir, const struct str *line)
{
	auto_close int fd = -1;

	unlinkat(dir, LOGSET_NEW, 0);
	fd = openat(dir, LOGSET_NEW, O_RDWR | O_APPEND | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	if (io_write_all(fd, line->s, line->len, NULL) == -1 ||
	    fdatasync(fd) == -1) {
		unlinkat(dir, LOGSET_NEW, 0);
		return -1;
	}
	return fd_steal(&fd);
}

bool
rotate(struct logfile *f, const char *after, const struct str *line)
{
	auto_close int dir = fs_open_dir(f->privfd, "audit", NULL);
	auto_close int fd = -1;

	if (dir == -1)
		return false;
	rotate_finish(f);
	fd = prepare(dir, line);
	if (fd == -1)
		return false;
	if (renameat2(dir, LOGSET_NEW, dir, LOGSET_CURRENT,
	    RENAME_EXCHANGE) == -1) {
		unlinkat(dir, LOGSET_NEW, 0);
		return false;
	}
	fs_rename_new(dir, LOGSET_NEW, dir, after, NULL);
	fsync(dir);
	mem_close_fd(&f->log);
	f->log = fd_steal(&fd);
	f->size = line->len;
	f->pid = 0;		/* logfile_keep learns which file it is */
	return true;
}

void
rotate_finish(const struct logfile *f)
{
	auto_close int dir = fs_open_dir(f->privfd, "audit", NULL);
	auto_close int fd = -1;
	uint64_t old, now;
	char name[LOGSET_NAME];

	if (dir == -1)
		return;
	fd = openat(dir, LOGSET_NEW, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (fd == -1 || !logset_first_seq(fd, &old) ||
	    !logset_first_seq(f->log, &now) || old >= now)
		return;
	logset_archive_name(old, name);
	fs_rename_new(dir, LOGSET_NEW, dir, name, NULL);
}
