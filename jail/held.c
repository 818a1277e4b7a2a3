#include "jail/held.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/mem.h"
#include "jail/list.h"

#include "common/banned.h"

static int
look(int dirfd, const char *name, struct statx *ret)
{
	return statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS |
	    STATX_BTIME, ret);
}

void
held_add(struct helds *l, const char *path)
{
	struct statx st;

	if (look(AT_FDCWD, path, &st) == -1)
		return;
	if ((l->n & (l->n - 1)) == 0)
		l->v = xrealloc(l->v, l->n == 0 ? 1 : l->n * 2, sizeof *l->v);
	l->v[l->n++] = (struct held){ xstrdup(path),
	    st.stx_dev_major, st.stx_dev_minor, st.stx_ino,
	    st.stx_btime.tv_sec, st.stx_btime.tv_nsec,
	    st.stx_ctime.tv_sec, st.stx_ctime.tv_nsec };
}

void
held_clear(struct helds *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
	*l = (struct helds){ 0 };
}

static bool
is_same(const struct held *h, const struct statx *st)
{
	return st->stx_ino == h->ino && st->stx_dev_major == h->major &&
	    st->stx_dev_minor == h->minor &&
	    st->stx_btime.tv_sec == h->born_s &&
	    st->stx_btime.tv_nsec == h->born_ns;
}

static bool
is_unchanged(const struct held *h, const struct statx *st)
{
	return S_ISDIR(st->stx_mode) || (st->stx_ctime.tv_sec ==
	    h->changed_s && st->stx_ctime.tv_nsec == h->changed_ns);
}

static bool
lies_read_only(int dirfd, const char *name)
{
	auto_close int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW |
	    O_CLOEXEC);
	struct statvfs st;

	return fd != -1 && fstatvfs(fd, &st) == 0 &&
	    (st.f_flag & ST_RDONLY) != 0;
}

static enum held_now
compare(const struct held *h, int dirfd, const char *name, bool mounts)
{
	struct statx st;

	if (look(dirfd, name, &st) == -1)
		return HELD_OTHER;
	/* Nobody else can mount there: where it is hidden, that is a cover. */
	if ((st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
		return HELD_STILL;
	return is_same(h, &st) && (mounts ? lies_read_only(dirfd, name) :
	    is_unchanged(h, &st)) ? HELD_STILL : HELD_OTHER;
}

enum held_now
held_ask(const struct helds *l, int dirfd, const char *name, const char *path)
{
	const struct held *h = path_find(l->v, l->n, sizeof *l->v, path,
	    strlen(path));

	return h == NULL ? HELD_NEW : compare(h, dirfd, name, l->mounts);
}

bool
held_covers(const struct helds *l, const char *path)
{
	for (size_t len = strlen(path); len > 0; len = path_up(path, len)) {
		const struct held *h = path_find(l->v, l->n, sizeof *l->v,
		    path, len);

		if (h != NULL && compare(h, AT_FDCWD, h->path, l->mounts) ==
		    HELD_STILL)
			return true;
	}
	return false;
}
