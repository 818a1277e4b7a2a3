#include "audit/originals/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define READ_TRIES	3
#define HINT_MIN	4096	/* smaller ones gain nothing from a hint */

/* --- one file ------------------------------------------------------------ */

static int64_t
ctime_us(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000 +
	    st->st_ctim.tv_nsec / 1000;
}

static void
lose(struct file_state *st, enum file_lost why)
{
	st->lost = why;
	memset(&st->content, 0, sizeof st->content);
}

/*
 * All of a file that was `size` long.  One that grows meanwhile is looked at
 * again, not for ever.
 */
static int
read_small(int fd, size_t size, struct str *ret)
{
	struct stat st = { .st_size = (off_t)size };
	char more;

	str_init(ret, STORE_SMALL);
	for (int i = 0; i < READ_TRIES; i++) {
		str_reset(ret);
		if (st.st_size <= STORE_SMALL && lseek(fd, 0, SEEK_SET) == 0 &&
		    io_read_all(fd, (size_t)st.st_size, ret, NULL) == 0 &&
		    read(fd, &more, 1) == 0)
			return 0;
		if (fstat(fd, &st) == -1)
			return -1;
	}
	return -1;
}

static int
keep_small(struct capture *c, int fd, const char *path, struct file_state *st,
    struct err *e)
{
	auto_str struct str text = { 0 };
	bool hints = st->size >= HINT_MIN;
	struct digest last;

	if (read_small(fd, (size_t)st->size, &text) == -1) {
		lose(st, LOST_BUSY);
		return 0;
	}
	st->size = text.len;
	hints = hints && store_hint(c->store, path, &last);
	if (store_put(c->store, text.s, text.len, hints ? &last : NULL,
	    &st->content, e) == -1)
		return -1;
	if (st->size >= HINT_MIN && (!hints || !digest_eq(&last, &st->content)))
		store_note(c->store, path, &st->content);
	return 0;
}

static int
keep_big(struct capture *c, int fd, struct file_state *st, struct err *e)
{
	uint64_t max = c->left.file_bytes < c->left.bytes ?
	    c->left.file_bytes : c->left.bytes;
	struct err why = { 0 };

	if (store_put_fd(c->store, fd, max, &st->content, &st->sparse, &why) ==
	    0)
		return 0;
	if (why.code == ERR_SYSTEM) {
		if (e != NULL)
			*e = why;
		return -1;
	}
	lose(st, why.code == ERR_FORMAT ? LOST_LARGE : LOST_BUSY);
	return 0;
}

/* Does a list say what this inode holds, and has it not changed since? */
static bool
known(const struct capture *c, const char *path, const struct stat *st,
    struct file_state *ret)
{
	const struct file_entry *k = c->known == NULL ? NULL :
	    file_list_find(c->known, path);

	if (k == NULL || k->st.kind != FILE_REGULAR ||
	    k->st.lost != LOST_NOT || k->st.ino != (uint64_t)st->st_ino ||
	    k->st.ctime_us != ctime_us(st) ||
	    k->st.size != (uint64_t)st->st_size ||
	    !store_has(c->store, &k->st.content))
		return false;
	ret->content = k->st.content;
	ret->sparse = k->st.sparse;
	return true;
}

static int
keep_file(struct capture *c, int pathfd, const char *path,
    const struct stat *st, struct file_state *ret, struct err *e)
{
	char self[40];

	if (known(c, path, st, ret))
		return 0;
	if (c->left.files == 0 || clock_boot_ms() > c->left.until_ms) {
		lose(ret, LOST_LIMIT);
		return 0;
	}
	c->left.files--;
	snprintf(self, sizeof self, "/proc/self/fd/%d", pathfd);

	/* The inode that was looked at, whatever the name says by now. */
	auto_close int fd = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC |
	    O_NOCTTY);
	uint64_t data = (uint64_t)st->st_blocks * 512;

	if (fd == -1) {
		lose(ret, LOST_UNREADABLE);
		return 0;
	}
	if (data > (uint64_t)st->st_size)
		data = (uint64_t)st->st_size;
	if (data > c->left.file_bytes || data > c->left.bytes) {
		lose(ret, data > c->left.file_bytes ? LOST_LARGE : LOST_LIMIT);
		return 0;
	}
	if ((st->st_size <= STORE_SMALL ? keep_small(c, fd, path, ret, e) :
	    keep_big(c, fd, ret, e)) == -1)
		return -1;
	c->left.bytes -= data;
	return 0;
}

static int
keep_link(int pathfd, struct file_state *ret)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(pathfd, "", to, sizeof to);

	if (n <= 0 || (size_t)n == sizeof to) {
		ret->kind = FILE_OTHER;
		return 0;
	}
	ret->link = xstrndup(to, (size_t)n);
	return 0;
}

int
capture_fd(struct capture *c, int fd, const char *path,
    struct file_state *ret, struct err *e)
{
	struct file_state s = { 0 };
	struct stat st = { 0 };
	int rc = 0;

	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", path);
	s.kind = S_ISREG(st.st_mode) ? FILE_REGULAR :
	    S_ISLNK(st.st_mode) ? FILE_LINK :
	    S_ISDIR(st.st_mode) ? FILE_DIR : FILE_OTHER;
	s.mode = st.st_mode & 07777;
	s.uid = st.st_uid;
	s.gid = st.st_gid;
	if (s.kind == FILE_REGULAR) {
		s.size = (uint64_t)st.st_size;
		rc = keep_file(c, fd, path, &st, &s, e);
	} else if (s.kind == FILE_LINK) {
		rc = keep_link(fd, &s);
	}
	if (s.kind == FILE_REGULAR && ctime_us(&st) < c->stamp_us) {
		s.ino = (uint64_t)st.st_ino;
		s.ctime_us = ctime_us(&st);
	}
	if (rc == 0)
		*ret = s;
	else
		file_state_clear(&s);
	return rc;
}

int
capture_path(struct capture *c, const char *path, struct file_state *ret,
    struct err *e)
{
	struct err why = { 0 };
	auto_close int fd = fs_beneath(c->root, path, O_PATH, &why);

	if (fd == -1 && (why.sys == ENOENT || why.sys == ENOTDIR)) {
		*ret = (struct file_state){ 0 };
		return 1;
	}
	if (fd == -1)
		return 0;
	return capture_fd(c, fd, path, ret, e) == -1 ? -1 : 1;
}

/* --- a tree -------------------------------------------------------------- */

#define DEPTH_MAX	128
#define CACHE_TAG	"Signature: 8a477f597d28d172789f06886806bc55"

struct walk {
	struct capture		*c;
	enum capture_skip	 skip;
	struct file_list	*list;
	unsigned		 depth;
};

/* Folders that tools fill and can fill again (the tag: bford.info). */
static bool
is_made(int dirfd, const char *name)
{
	static const char *const made[] = { ".git", ".sandbox", ".hg", ".svn",
		"node_modules", "__pycache__", ".venv", "venv", ".tox",
		".cache", ".gradle", ".mypy_cache", ".pytest_cache" };
	char tag[sizeof CACHE_TAG - 1];

	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		if (strcmp(made[i], name) == 0)
			return true;

	auto_close int fd = fs_open_plain(dirfd, "CACHEDIR.TAG", NULL, NULL);

	return fd != -1 && io_pread_full(fd, tag, sizeof tag, 0, NULL) == 0 &&
	    memcmp(tag, CACHE_TAG, sizeof tag) == 0;
}

static int walk_dir(struct walk *, int fd, const char *path, struct err *);

/* One name in a directory. */
static int
walk_name(struct walk *w, int dirfd, const char *path, const char *name,
    struct err *e)
{
	auto_free char *full = *path == '\0' ? xstrdup(name) :
	    xasprintf("%s/%s", path, name);
	struct file_state st = { 0 };
	auto_close int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW |
	    O_CLOEXEC);

	/* Gone since it was listed. */
	if (fd == -1 || !file_path_ok(full))
		return 0;
	if (capture_fd(w->c, fd, full, &st, e) == -1)
		return -1;
	if (st.kind != FILE_DIR) {
		w->list->cut = w->list->cut || st.lost == LOST_LIMIT;
		file_list_add(w->list, full, &st);
		return 0;
	}

	auto_close int dir = openat(dirfd, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);

	if (w->skip == SKIP_MADE && is_made(dir, name))
		return 0;
	file_list_add(w->list, full, &st);
	return dir == -1 ? 0 : walk_dir(w, dir, full, e);
}

static int
walk_dir(struct walk *w, int fd, const char *path, struct err *e)
{
	struct fs_names names = { 0 };
	size_t more = 0;
	int rc = 0;

	if (w->depth == DEPTH_MAX || w->c->left.files == 0 ||
	    clock_boot_ms() > w->c->left.until_ms) {
		w->list->cut = true;
		return 0;
	}
	if (fs_list(fd, NULL, w->c->left.files, &names, &more, NULL) == -1)
		return 0;
	w->list->cut = w->list->cut || more > 0;
	w->depth++;
	for (size_t i = 0; i < names.n && rc == 0; i++)
		rc = walk_name(w, fd, path, names.names[i], e);
	w->depth--;
	fs_names_clear(&names);
	return rc;
}

int
capture_tree(struct capture *c, const char *path, enum capture_skip skip,
    struct file_list *ret, struct err *e)
{
	struct walk w = { .c = c, .skip = skip, .list = ret };
	auto_free char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	const char *name = slash == NULL ? path : path + (slash - dir) + 1;
	auto_close int parent = -1;

	if (slash != NULL)
		*slash = '\0';
	parent = fs_beneath(c->root, slash == NULL ? "." : dir, O_RDONLY |
	    O_DIRECTORY, NULL);
	if (parent == -1)
		return 0;
	return *path == '\0' ? walk_dir(&w, parent, "", e) :
	    walk_name(&w, parent, slash == NULL ? "" : dir, name, e);
}
