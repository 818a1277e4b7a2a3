#include "audit/logset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

void
logset_archive_name(uint64_t seq, char ret[static LOGSET_NAME])
{
	snprintf(ret, LOGSET_NAME, "audit-%012" PRIu64 ".jsonl", seq);
}

bool
logset_archive_seq(const char *name, uint64_t *ret)
{
	char again[LOGSET_NAME];
	uint64_t seq;

	if (sscanf(name, "audit-%12" SCNu64, &seq) != 1)
		return false;
	logset_archive_name(seq, again);
	if (strcmp(name, again) != 0)
		return false;
	*ret = seq;
	return true;
}

static bool
is_archive(const char *name)
{
	uint64_t seq;

	return logset_archive_seq(name, &seq);
}

/* Twelve digits each: the order of the names is that of the numbers. */
static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
push(struct logset *s, const char *name, int fd, uint64_t size)
{
	struct logset_part *p;

	s->part = xrealloc(s->part, s->n + 1, sizeof *s->part);
	p = &s->part[s->n++];
	*p = (struct logset_part){ .fd = fd, .start = s->size, .size = size };
	snprintf(p->name, sizeof p->name, "%s", name);
	s->size += size;
}

static int
push_archives(struct logset *s, int dir, struct err *e)
{
	struct fs_names l;
	size_t more;
	int rc = 0;

	if (fs_list(dir, is_archive, LOGSET_PARTS, &l, &more, e) == -1)
		return -1;
	if (more > 0)
		rc = err_set(e, ERR_FORMAT, "too many archives in 'audit'");
	if (l.n > 0)
		qsort(l.names, l.n, sizeof *l.names, by_name);
	for (size_t i = 0; rc == 0 && i < l.n; i++) {
		struct stat st;
		int fd = fs_open_own(dir, l.names[i], &st, e);

		if (fd == -1)
			rc = -1;
		else
			push(s, l.names[i], fd, (uint64_t)st.st_size);
	}
	fs_names_clear(&l);
	return rc;
}

bool
logset_first_seq(int fd, uint64_t *ret)
{
	char head[32] = "";

	return io_pread_full(fd, head, sizeof head - 1, 0, NULL) == 0 &&
	    sscanf(head, "{\"v\":1,\"seq\":\"%12" SCNu64, ret) == 1;
}

/* The older file of a rotation that was killed between its two renames. */
static void
push_unfinished(struct logset *s, int dir, int current)
{
	struct stat st;
	uint64_t old, now;
	int fd = fs_open_own(dir, LOGSET_NEW, &st, NULL);

	if (fd != -1 && logset_first_seq(fd, &old) &&
	    logset_first_seq(current, &now) && old < now)
		push(s, LOGSET_NEW, fd, (uint64_t)st.st_size);
	else
		mem_close_fd(&fd);
}

int
logset_open(int privfd, int current, uint64_t size, struct logset *ret,
    struct err *e)
{
	struct err why = { 0 };
	auto_close int dir = fs_open_dir(privfd, "audit", &why);
	struct logset s = { 0 };
	int fd;

	if (dir == -1 && why.sys != ENOENT)
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	if (dir != -1 && push_archives(&s, dir, e) == -1) {
		logset_clear(&s);
		return -1;
	}
	if (dir != -1 && current != -1)
		push_unfinished(&s, dir, current);
	if (current != -1) {
		fd = fcntl(current, F_DUPFD_CLOEXEC, 3);
		if (fd == -1) {
			logset_clear(&s);
			return err_sys(e, "cannot keep the log open");
		}
		push(&s, LOGSET_CURRENT, fd, size);
	}
	*ret = s;
	return 0;
}

void
logset_one(int fd, uint64_t size, struct logset *ret)
{
	*ret = (struct logset){ 0 };
	push(ret, LOGSET_CURRENT, fcntl(fd, F_DUPFD_CLOEXEC, 3), size);
}

void
logset_clear(struct logset *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_close_fd(&s->part[i].fd);
	free(s->part);
	*s = (struct logset){ 0 };
}

const struct logset_part *
logset_find(const struct logset *s, uint64_t at)
{
	size_t low = 0, high = s->n;

	if (s->n == 0)
		BUG("a log of no files");
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (s->part[mid].start <= at)
			low = mid;
		else
			high = mid;
	}
	return &s->part[low];
}

int
logset_pread(const struct logset *s, void *buf, size_t n, uint64_t at,
    struct err *e)
{
	const struct logset_part *p = logset_find(s, at);

	if (io_pread_full(p->fd, buf, n, (long long)(at - p->start), e) == -1)
		return err_add(e, "'%s'", p->name);
	return 0;
}
