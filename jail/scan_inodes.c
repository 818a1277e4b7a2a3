#include "jail/scan_inodes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/list.h"
#include "jail/mountinfo.h"
#include "jail/scan.h"
#include "jail/walk.h"

#include "common/banned.h"

/* Entries of one denied directory that are looked at. */
#define DENIED_MAX	50000
#define GUARDED	(MARK_DENY_READ | MARK_CLOSED | MARK_DENY_WRITE | MARK_NAME)

struct inode {
	dev_t		dev;
	ino_t		ino;
	unsigned	why;
};

struct inodes {
	struct inode	*v;
	size_t		 n;
	unsigned	 why;		/* of the mark being looked at */
	struct marks	*marks;
};

static void
add(struct inodes *l, const struct stat *st, unsigned why)
{
	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return;
	if ((l->n & (l->n - 1)) == 0)
		l->v = xrealloc(l->v, l->n == 0 ? 1 : l->n * 2, sizeof *l->v);
	l->v[l->n++] = (struct inode){ st->st_dev, st->st_ino, why };
}

static enum walk_next
collect(void *arg, const struct walk_entry *ent)
{
	struct inodes *l = arg;
	struct stat st;

	if (ent->type == DT_REG && fstatat(ent->dirfd, ent->name, &st,
	    AT_SYMLINK_NOFOLLOW) == 0)
		add(l, &st, l->why);
	return WALK_ON;
}

/* A name that may be read is none for what may not: `ln .env .env.sample`. */
static void
mark_second(struct marks *m, const char *path, unsigned why)
{
	struct mark *at = marks_find(m, path, strlen(path));

	if (at != NULL && (why & MARK_DENY_READ) != 0)
		at->why &= ~(unsigned)MARK_READ;
	marks_add(m, path, why == MARK_NAME ? MARK_DENY_WRITE : why, false);
}

static int
compare(const void *a, const void *b)
{
	ino_t x = ((const struct inode *)a)->ino;
	ino_t y = ((const struct inode *)b)->ino;

	return x < y ? -1 : x > y;
}

/* The first that has not a smaller number; all files are asked about. */
static size_t
first(const struct inodes *l, ino_t ino)
{
	size_t from = 0, n = l->n;

	while (from < n) {
		size_t mid = from + (n - from) / 2;

		if (l->v[mid].ino < ino)
			from = mid + 1;
		else
			n = mid;
	}
	return from;
}

static enum walk_next
match(void *arg, const struct walk_entry *ent)
{
	struct inodes *l = arg;
	struct stat st;

	if (ent->type != DT_REG)
		return WALK_ON;
	for (size_t i = first(l, ent->ino); i < l->n &&
	    l->v[i].ino == ent->ino; i++)
		if (fstatat(ent->dirfd, ent->name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == l->v[i].dev)
			mark_second(l->marks, ent->path, l->v[i].why);
	return WALK_ON;
}

/* "Nothing of home but the project": what is in it is not all denied. */
static bool
has_openings(const struct marks *m, const char *dir)
{
	size_t len = strlen(dir);

	for (size_t i = path_from(m->v, m->settled, sizeof *m->v, dir, len);
	    i < m->settled && strncmp(m->v[i].path, dir, len) == 0; i++)
		if ((m->v[i].why & (MARK_WRITE | MARK_READ)) != 0 &&
		    path_in(m->v[i].path, dir))
			return true;
	return false;
}

void
mounts_mark(struct marks *m, const struct mountinfo *mounts)
{
	size_t n = m->n;

	for (size_t i = 0; i < n; i++) {
		unsigned why = m->v[i].why & (GUARDED | MARK_SOCKET);
		struct list pairs = { 0 };
		struct stat a, b;

		if (why != 0)
			mountinfo_aliases(mounts, m->v[i].path, &pairs);
		for (size_t k = 0; k + 1 < pairs.n; k += 2)
			if (scan_mountable(pairs.v[k]) &&
			    lstat(pairs.v[k], &a) == 0 &&
			    lstat(pairs.v[k + 1], &b) == 0 &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				marks_add(m, pairs.v[k], why,
				    S_ISDIR(a.st_mode));
		list_clear(&pairs);
	}
}

int
inodes_mark(struct marks *m, const struct list *roots, long *budget,
    struct err *e)
{
	struct inodes l = { .marks = m };
	size_t n = m->n;
	struct stat st;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		long few = DENIED_MAX;

		l.why = m->v[i].why & GUARDED;
		/* Of equal rules the allowance counts. */
		if ((m->v[i].why & MARK_READ) != 0)
			l.why &= ~(unsigned)MARK_DENY_READ;
		if (l.why == 0 || lstat(m->v[i].path, &st) == -1)
			continue;
		add(&l, &st, l.why);
		if (m->v[i].dir && ((l.why & MARK_CLOSED) != 0 ||
		    !has_openings(m, m->v[i].path)))
			walk(m->v[i].path, collect, &l, &few, NULL);
	}
	if (l.n > 0)
		qsort(l.v, l.n, sizeof *l.v, compare);
	for (size_t i = 0; i < roots->n && l.n > 0 && rc == 0; i++)
		rc = walk(roots->v[i], match, &l, budget, e);
	free(l.v);
	return rc;
}
