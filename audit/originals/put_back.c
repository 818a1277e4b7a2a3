#include "audit/originals/put_back.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define TMP_LEN	64

struct spot {
	int	 dir;
	char	*path;		/* owns the text of name */
	char	*name;
	char	 tmp[TMP_LEN];	/* beside it, nobody's yet */
};

static void
spot_clear(struct spot *s)
{
	mem_close_fd(&s->dir);
	free(s->path);
}
#define auto_spot	__attribute__((cleanup(spot_clear)))

/* The folder `path`, making what is missing of it. */
static int
open_folder(int root, char *path, struct err *e)
{
	struct err why = { 0 };
	int fd = fs_open_dir(root, path, &why);
	char *slash;

	if (fd != -1 || why.sys != ENOENT) {
		if (fd == -1 && e != NULL)
			*e = why;
		return fd;
	}
	slash = strrchr(path, '/');
	if (slash != NULL)
		*slash = '\0';

	auto_close int parent = slash == NULL ? fs_open_dir(root, ".", e) :
	    open_folder(root, path, e);

	if (slash != NULL)
		*slash = '/';
	if (parent == -1)
		return -1;
	if (mkdirat(parent, slash == NULL ? path : slash + 1, 0777) == -1 &&
	    errno != EEXIST)
		return err_sys(e, "cannot make its folder");
	return fs_open_dir(root, path, e);
}

static int
spot_open(struct put_back *p, const char *path, bool make, struct spot *s,
    struct err *e)
{
	char *slash;

	*s = (struct spot){ .dir = -1, .path = xstrdup(path) };
	slash = strrchr(s->path, '/');
	s->name = slash == NULL ? s->path : slash + 1;
	if (slash != NULL)
		*slash = '\0';
	s->dir = slash == NULL ? fs_open_dir(p->c.root, ".", e) :
	    make ? open_folder(p->c.root, s->path, e) :
	    fs_open_dir(p->c.root, s->path, e);
	snprintf(s->tmp, sizeof s->tmp, PUT_BACK_TMP "%08x%08x",
	    randombytes_random(), randombytes_random());
	return s->dir == -1 ? -1 : 0;
}

/* --- what came out ------------------------------------------------------- */

/* Is the thing at tmp what the plan saw (and thereby kept)? */
static bool
is_kept(struct put_back *p, const struct spot *s,
    const struct restore_item *it)
{
	struct file_state now = { 0 };
	auto_close int fd = openat(s->dir, s->tmp, O_PATH | O_NOFOLLOW |
	    O_CLOEXEC);
	bool same = fd != -1 &&
	    capture_fd(&p->c, fd, it->path, &now, NULL) == 0 &&
	    file_state_same(&now, &it->now);

	file_state_clear(&now);
	return same;
}

static int
drop(const struct spot *s, const struct restore_item *it)
{
	return unlinkat(s->dir, s->tmp, it->now.kind == FILE_DIR ?
	    AT_REMOVEDIR : 0);
}

static int
interfered(const struct spot *s, bool back, struct err *e)
{
	return back ? err_set(e, ERR_LOST, "it changed while it was being "
	    "restored, and is as that left it") :
	    err_set(e, ERR_LOST, "it changed while it was being restored; "
	    "that version is beside it as '%s'", s->tmp);
}

/* --- making -------------------------------------------------------------- */

static void
own(int fd, const struct file_state *want)
{
	/* Only root can; another's file is the human's from here on. */
	if (geteuid() == 0 && fchown(fd, want->uid, want->gid) == -1)
		return;
}

static int
make_file(struct put_back *p, const struct spot *s,
    const struct file_state *want, struct err *e)
{
	auto_close int fd = fs_create(s->dir, s->tmp, e);

	if (fd == -1)
		return -1;
	if (store_get_fd(p->c.store, &want->content, want->sparse, fd, e) ==
	    -1)
		return -1;
	own(fd, want);
	return fchmod(fd, want->mode) == 0 ? 0 : err_sys(e, "cannot set its "
	    "mode");
}

static int
make_thing(struct put_back *p, const struct spot *s,
    const struct file_state *want, struct err *e)
{
	if (want->kind == FILE_REGULAR)
		return make_file(p, s, want, e);
	if (want->kind == FILE_LINK)
		return symlinkat(want->link, s->dir, s->tmp) == 0 ? 0 :
		    err_sys(e, "cannot make the link");
	/* Its own mode comes last: it may forbid what goes into it. */
	return mkdirat(s->dir, s->tmp, 0700) == 0 ? 0 :
	    err_sys(e, "cannot make the folder");
}

static void
unmake(const struct spot *s)
{
	if (unlinkat(s->dir, s->tmp, 0) == -1)
		unlinkat(s->dir, s->tmp, AT_REMOVEDIR);
}

static int
exchange(struct put_back *p, struct spot *s, const struct restore_item *it,
    struct err *e)
{
	bool full = false;

	if (renameat2(s->dir, s->tmp, s->dir, s->name, RENAME_EXCHANGE) == -1)
		return err_sys(e, "cannot put it in place");
	if (is_kept(p, s, it)) {
		if (drop(s, it) == 0)
			return 0;
		full = errno == ENOTEMPTY || errno == EEXIST;
	}
	/* A folder that is not empty, or what nobody kept. */
	if (renameat2(s->dir, s->tmp, s->dir, s->name, RENAME_EXCHANGE) == -1)
		return interfered(s, false, e);
	unmake(s);
	return full ? err_set(e, ERR_LOST, "a folder with files is in its "
	    "place") : interfered(s, true, e);
}

int
put_back_make(struct put_back *p, const struct restore_item *it,
    struct err *e)
{
	auto_spot struct spot s = { .dir = -1 };

	if (spot_open(p, it->path, true, &s, e) == -1)
		return -1;
	if (make_thing(p, &s, it->want, e) == -1) {
		unmake(&s);
		return -1;
	}
	if (it->now.kind != FILE_ABSENT)
		return exchange(p, &s, it, e);
	if (fs_rename_new(s.dir, s.tmp, s.dir, s.name, e) == -1) {
		unmake(&s);
		return e != NULL && e->sys == EEXIST ?
		    interfered(&s, true, e) : -1;
	}
	return 0;
}

int
put_back_remove(struct put_back *p, const struct restore_item *it,
    struct err *e)
{
	auto_spot struct spot s = { .dir = -1 };

	if (spot_open(p, it->path, false, &s, e) == -1)
		return -1;
	if (it->now.kind == FILE_DIR)
		return unlinkat(s.dir, s.name, AT_REMOVEDIR) == 0 ? 0 :
		    err_set(e, ERR_LOST, errno == ENOTEMPTY ? "there is "
		    "something in it that no change made" : "cannot remove it");
	if (fs_rename_new(s.dir, s.name, s.dir, s.tmp, e) == -1)
		return -1;
	if (is_kept(p, &s, it) && drop(&s, it) == 0)
		return 0;
	return interfered(&s, fs_rename_new(s.dir, s.tmp, s.dir, s.name,
	    NULL) == 0, e);
}

int
put_back_mode(struct put_back *p, const char *path, mode_t mode,
    struct err *e)
{
	auto_close int fd = fs_beneath(p->c.root, path, O_PATH | O_DIRECTORY,
	    e);
	char self[40];

	if (fd == -1)
		return -1;
	/* The very folder: it has no second name outside the project. */
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return fchmodat(AT_FDCWD, self, mode, 0) == 0 ? 0 :
	    err_sys(e, "cannot set its mode");
}
