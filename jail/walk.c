#include "jail/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"
#include "jail/list.h"

#include "common/banned.h"

/*
 * A path of more directories is longer than PATH_MAX, so that no program is
 * given it by accident.
 */
#define DEPTH_MAX	2100

/* A directory that there is no room for; nothing of it has been told. */
#define FULL		1

struct item {
	char		*name;
	ino_t		 ino;
	unsigned char	 type;
};

struct dir {
	struct item	*items;
	size_t		 n;
	bool		 git;
	bool		 objects;	/* of a ".git": nobody works in there */
};

struct walker {
	walk_fn		*fn;
	void		*arg;
	long		*budget;
	struct str	 path;
	unsigned	 depth;
	bool		 all;		/* for who must see everything */
};

static unsigned char
type_of(int fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return DT_REG;
	return (unsigned char)IFTODT(st.st_mode);
}

static void
dir_add(struct dir *l, const struct dirent *d, unsigned char type)
{
	if ((l->n & (l->n - 1)) == 0)
		l->items = xrealloc(l->items, l->n == 0 ? 1 : l->n * 2,
		    sizeof *l->items);
	l->items[l->n++] = (struct item){ xstrdup(d->d_name), d->d_ino, type };
}

static void
dir_clear(struct dir *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].name);
	free(l->items);
}

bool
walk_is_git(const char *path)
{
	size_t n = strlen(path);

	return n >= 5 && strcasecmp(path + n - 5, "/.git") == 0;
}

/*
 * Git wants to see no more than this to read a directory's configuration.  Case
 * is no way around, as there are file systems that know none.
 */
static bool
has_git_shape(const struct dir *l)
{
	unsigned seen = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->items[i].name;

		if (strcasecmp(name, "objects") == 0)
			seen |= 1;
		else if (strcasecmp(name, "refs") == 0)
			seen |= 2;
		else if (strcasecmp(name, "commondir") == 0)
			seen |= 3;
	}
	return seen == 3;
}

static int
too_many(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "more than %d files below the places it "
	    "may write or the patterns: name smaller ones", WALK_MAX);
}

static int
dir_read(struct walker *w, int fd, struct dir *ret, struct err *e)
{
	int own = dup(fd);
	DIR *d = own == -1 ? NULL : fdopendir(own);
	const struct dirent *ent;

	if (d == NULL) {
		if (own != -1)
			close(own);
		return err_sys(e, "cannot read a directory");
	}
	while ((ent = readdir(d)) != NULL) {
		if (strcmp(ent->d_name, ".") == 0 ||
		    strcmp(ent->d_name, "..") == 0)
			continue;
		dir_add(ret, ent, type_of(fd, ent));
		if (--*w->budget < 0)
			break;
	}
	closedir(d);
	if (*w->budget < 0)
		return w->all ? FULL : too_many(e);
	ret->objects = str_ends(w->path.s, "/.git/objects");
	ret->git = has_git_shape(ret) || walk_is_git(w->path.s);
	return 0;
}

/*
 * Git's own directories of objects hold thousands of files and no directory,
 * which the count of links says where a file system keeps one.
 */
static bool
holds_objects(int fd, const char *name)
{
	struct stat st;

	return strlen(name) == 2 && strspn(name, "0123456789abcdef") == 2 &&
	    fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_nlink == 2;
}

/* -1 too where no descriptor is left to read it by. */
static int
dir_open(const struct walk_entry *ent)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(ent->dirfd, ent->name, flags | O_NOATIME), own;

	if (fd == -1 && errno == EPERM)
		fd = openat(ent->dirfd, ent->name, flags);
	own = fd == -1 ? -1 : dup(fd);
	if (own != -1)
		close(own);
	else if (fd != -1) {
		int why = errno;

		close(fd);
		fd = -1;
		errno = why;
	}
	return fd;
}

void
walk_raise(struct rlimit *ret_before)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, ret_before) == -1)
		BUG("no limit of descriptors");
	files = *ret_before;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

bool
walk_is_short(void)
{
	return errno == EMFILE || errno == ENFILE;
}

/* The same, and until it can be opened. */
static int
dir_open_at_last(const struct walker *w, struct walk_entry *ent)
{
	int fd = dir_open(ent);

	while (fd == -1 && w->all && errno != ENOENT && errno != ENOTDIR &&
	    errno != ELOOP && !walk_is_short()) {
		ent->refused++;
		if (w->fn(w->arg, ent) == WALK_SKIP) {
			errno = 0;
			break;
		}
		fd = dir_open(ent);
	}
	return fd;
}

static int	walk_dir(struct walker *, int fd, struct err *);

static int
walk_item(struct walker *w, int fd, const struct dir *l, const struct item *it,
    struct err *e)
{
	struct walk_entry ent = {
		.path = w->path.s, .name = it->name, .dirfd = fd,
		.type = it->type, .ino = it->ino, .in_git = l->git,
		.depth = w->depth, .deepest = w->depth >= DEPTH_MAX,
	};

	if (w->fn(w->arg, &ent) == WALK_SKIP || it->type != DT_DIR ||
	    ent.deepest || (l->objects && holds_objects(fd, it->name)))
		return 0;

	auto_close int sub = dir_open_at_last(w, &ent);

	if (sub == -1 && walk_is_short()) {
		/* The machine's are not used up by how deep we are. */
		if (!w->all || errno == ENFILE)
			return err_sys(e, "cannot look %u directories deep",
			    w->depth);
		ent.deepest = true;
		w->fn(w->arg, &ent);
	}
	if (sub == -1)
		return 0;
	w->depth++;

	int rc = walk_dir(w, sub, e);

	w->depth--;
	if (rc != FULL)
		return rc;
	ent.deepest = true;
	w->fn(w->arg, &ent);
	return 0;
}

static int
walk_dir(struct walker *w, int fd, struct err *e)
{
	struct dir l = { 0 };
	size_t len = w->path.len;
	int rc = dir_read(w, fd, &l, e);

	for (size_t i = 0; rc == 0 && i < l.n; i++) {
		if (w->path.s[w->path.len - 1] != '/')
			str_addc(&w->path, '/');
		str_add(&w->path, l.items[i].name);
		if (!w->path.full)
			rc = walk_item(w, fd, &l, &l.items[i], e);
		w->path.len = len;
		w->path.s[len] = '\0';
		w->path.full = false;
	}
	if (w->all)
		*w->budget += (long)l.n;
	dir_clear(&l);
	return rc;
}

static int
begin(struct walker *w, int fd, const char *top, struct err *e)
{
	int rc;

	str_init(&w->path, (DEPTH_MAX + 16UL) * (NAME_MAX + 1));
	str_add(&w->path, top);
	rc = walk_dir(w, fd, e);
	str_clear(&w->path);
	if (rc == FULL)
		rc = too_many(e);
	if (rc == -1) {
		auto_free char *shown = visible_line(top);

		return err_add(e, "'%.120s'", shown);
	}
	return 0;
}

int
walk(const char *top, walk_fn *fn, void *arg, long *budget, struct err *e)
{
	struct walker w = { .fn = fn, .arg = arg, .budget = budget };
	auto_close int fd = open(top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);

	if (fd == -1 && walk_is_short())
		return err_sys(e, "cannot open a directory");
	/* A file, or closed to us: nothing below. */
	return fd == -1 ? 0 : begin(&w, fd, top, e);
}

int
walk_below(const struct walk_entry *ent, walk_fn *fn, void *arg, long *budget,
    struct err *e)
{
	struct walker w = { .fn = fn, .arg = arg, .budget = budget,
	    .depth = ent->depth + 1, .all = true };
	struct walk_entry top = *ent;
	auto_close int fd = -1;

	if (ent->deepest)
		return 0;
	fd = dir_open_at_last(&w, &top);
	if (fd == -1 && walk_is_short())
		return err_sys(e, "cannot look %u directories deep", w.depth);
	return fd == -1 ? 0 : begin(&w, fd, ent->path, e);
}
