#include "jail/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/gitconfig.h"
#include "jail/glob.h"
#include "jail/names.h"
#include "jail/walk.h"

#include "common/banned.h"

#define CONFIG_MAX	(1 << 20)
#define TRIES		64

struct sweeper {
	const struct spec	*spec;
	const struct scene	*scene;
	struct list		*notes;
};

static void
say(struct sweeper *s, const char *path, const char *what)
{
	auto_free char *shown = visible_line(path);

	list_add(s->notes, xasprintf("'%s' %s", shown, what));
}

/* A name that nobody could have taken before, and that is never too long. */
static char *
unforeseen(void)
{
	unsigned long long r = 0;

	if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
		return xstrdup("set-aside");
	return xasprintf("set-aside-%016llx", r);
}

/* NAME.set-aside, NAME.set-aside-2, ..., then whatever name is free. */
static int
rename_aside(struct sweeper *s, int dirfd, const char *name, const char *path,
    const char *why)
{
	int rc = -1;

	for (int i = 1; i < TRIES && rc == -1; i++) {
		auto_free char *to = i == 1 ? xasprintf("%s.set-aside", name) :
		    i < TRIES / 2 && errno == EEXIST ?
		    xasprintf("%s.set-aside-%d", name, i) : unforeseen();
		auto_free char *what = xasprintf("%s: it is now '%s'", why,
		    to);

		rc = renameat2(dirfd, name, dirfd, to, RENAME_NOREPLACE);
		if (rc == 0)
			say(s, path, what);
		else if (errno != EEXIST && errno != ENAMETOOLONG)
			break;
	}
	return rc;
}

/*
 * Give it another name, and say so.  Returns 0 if it is gone.  Its directory
 * may have been closed so that it stays.
 */
static int
set_aside(struct sweeper *s, int dirfd, const char *name, const char *path,
    const char *why)
{
	struct stat st;
	bool closed = fstat(dirfd, &st) == 0 && (st.st_mode & 0200) == 0 &&
	    fchmod(dirfd, (st.st_mode & 07777) | 0300) == 0;
	int rc = rename_aside(s, dirfd, name, path, why);

	if (rc == -1 && unlinkat(dirfd, name, 0) == 0) {
		say(s, path, "was removed: it could not be set aside");
		rc = 0;
	}
	if (rc == -1)
		say(s, path, "COULD NOT BE SET ASIDE: look at it before you "
		    "go on");
	if (closed)
		fchmod(dirfd, st.st_mode & 07777);
	return rc;
}

/* Who closed a directory to its owner hides what is in it from us. */
static void
open_up(struct sweeper *s, int dirfd, const char *name, const char *path)
{
	struct stat st;

	if (faccessat(dirfd, name, R_OK | X_OK, 0) == 0)
		return;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && fchmodat(dirfd, name,
	    (st.st_mode & 07777) | 0700, 0) == 0)
		say(s, path, "was closed to its owner: it was opened, to look "
		    "into it");
	else
		say(s, path, "COULD NOT BE LOOKED INTO");
}

static bool
in_roots(const struct sweeper *s, const char *path)
{
	for (size_t i = 0; i < s->scene->roots.n; i++)
		if (path_in(path, s->scene->roots.v[i]))
			return true;
	return false;
}

/* Was it there, and held by a mount or a record, from the beginning? */
static bool
was_there(const struct sweeper *s, const char *path)
{
	const struct marks *m = &s->scene->marks;

	for (size_t i = 0; i < m->n; i++)
		if ((m->v[i].why & (MARK_NAME | MARK_DENY_WRITE)) != 0 &&
		    strcmp(m->v[i].path, path) == 0)
			return true;
	for (size_t i = 0; i < s->scene->n_links; i++)
		if (strcmp(s->scene->links[i].path, path) == 0)
			return true;
	return false;
}

static bool
is_denied(const struct sweeper *s, const char *path)
{
	const struct list *l = &s->spec->list[SPEC_DENY_WRITE];

	for (size_t i = 0; i < l->n; i++)
		if (glob_is(l->v[i]) ? glob_match(l->v[i], path) :
		    strcmp(l->v[i], path) == 0)
			return true;
	return false;
}

static void
filter_config(struct sweeper *s, const struct walk_entry *ent)
{
	auto_close int fd = openat(ent->dirfd, ent->name, O_RDONLY |
	    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_str struct str old = { 0 }, kept = { 0 };
	struct err why;
	size_t dropped;

	str_init(&old, CONFIG_MAX);
	str_init(&kept, CONFIG_MAX + 1);
	if (ent->type != DT_REG || fd == -1 ||
	    io_read_all(fd, CONFIG_MAX, &old, &why) == -1) {
		set_aside(s, ent->dirfd, ent->name, ent->path,
		    "is a git configuration that cannot be read");
		return;
	}
	dropped = gitconfig_filter(old.s, old.len, &kept);
	if (dropped == 0)
		return;
	if (set_aside(s, ent->dirfd, ent->name, ent->path, "is a new git "
	    "configuration that could start programs; it was cleaned") == 0 &&
	    fs_write_new(ent->dirfd, ent->name, kept.s, kept.len, false,
	    &why) == -1)
		say(s, ent->path, "could not be written again");
}

/* Does the path a git file names stay where this sweep looks? */
static bool
leads_inside(const struct sweeper *s, const struct walk_entry *ent,
    const char *prefix)
{
	auto_close int fd = openat(ent->dirfd, ent->name, O_RDONLY |
	    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_str struct str text = { 0 };
	auto_free char *dir = NULL, *path = NULL, *real = NULL;

	str_init(&text, PATH_MAX);
	if (fd == -1 || io_read_all(fd, PATH_MAX, &text, NULL) == -1 ||
	    !str_starts(text.s, prefix) || strlen(text.s) != text.len)
		return false;
	while (text.len > 0 && strchr("\r\n", text.s[text.len - 1]) != NULL)
		text.s[--text.len] = '\0';
	dir = xstrndup(ent->path, strlen(ent->path) - strlen(ent->name) - 1);
	path = path_normal(text.s + strlen(prefix), dir, "/");
	real = realpath(path, NULL);
	return real != NULL && in_roots(s, real);
}

static enum walk_next
sweep_git(struct sweeper *s, const struct walk_entry *ent)
{
	switch (names_git_part(ent->name)) {
	case GIT_CONFIG:
		if (!s->spec->git_config || strcmp(ent->name, "config") != 0)
			filter_config(s, ent);
		return WALK_SKIP;
	case GIT_HOOKS:
		if (ent->type != DT_DIR)
			set_aside(s, ent->dirfd, ent->name, ent->path,
			    "stands for git's hooks");
		return WALK_ON;
	case GIT_LEADS:
		if (strcmp(ent->name, "commondir") == 0 &&
		    !leads_inside(s, ent, ""))
			set_aside(s, ent->dirfd, ent->name, ent->path,
			    "leads git out of the writable places");
		return WALK_SKIP;
	case GIT_PLAIN:
		break;
	}
	return WALK_ON;
}

static bool
is_new_hook(const struct walk_entry *ent)
{
	size_t n = strlen(ent->path) - strlen(ent->name);

	return n > 7 && strncmp(ent->path + n - 7, "/hooks/", 7) == 0 &&
	    !str_ends(ent->name, ".sample") &&
	    strstr(ent->name, ".set-aside") == NULL;
}

/* Is the directory of this hook a git directory?  Its siblings tell. */
static bool
below_git(const struct walk_entry *ent)
{
	return (faccessat(ent->dirfd, "../objects", F_OK, 0) == 0 &&
	    faccessat(ent->dirfd, "../refs", F_OK, 0) == 0) ||
	    strstr(ent->path, "/.git/hooks/") != NULL;
}

static bool
git_link_leads_out(const struct sweeper *s, const struct walk_entry *ent)
{
	auto_free char *real = NULL;

	if (strcmp(ent->name, ".git") != 0 || ent->type == DT_DIR)
		return false;
	if (ent->type == DT_REG)
		return !leads_inside(s, ent, "gitdir: ");
	real = realpath(ent->path, NULL);
	return real == NULL || !in_roots(s, real);
}

static enum walk_next	look_into(void *, const struct walk_entry *);

/* What is set aside is looked at by people: it must not bite them either. */
static void
take_away(struct sweeper *s, const struct walk_entry *ent, const char *why)
{
	long budget = LONG_MAX;
	struct err e;

	if (ent->type == DT_DIR) {
		open_up(s, ent->dirfd, ent->name, ent->path);
		if (walk(ent->path, look_into, s, &budget, &e) == -1)
			say(s, ent->path, e.text);
	}
	set_aside(s, ent->dirfd, ent->name, ent->path, why);
}

static enum walk_next
look(struct sweeper *s, const struct walk_entry *ent)
{
	if (was_there(s, ent->path))
		return WALK_SKIP;
	if (is_denied(s, ent->path))
		take_away(s, ent, "is new where writing is denied");
	else if (git_link_leads_out(s, ent))
		take_away(s, ent, "leads git out of the writable places");
	else if (ent->in_git)
		return sweep_git(s, ent);
	else if (names_guarded(ent->path) != GUARD_NONE)
		take_away(s, ent, "is new and a protected name");
	else if (is_new_hook(ent) && below_git(ent))
		take_away(s, ent, "is a new git hook");
	else
		return WALK_ON;
	return WALK_SKIP;
}

static enum walk_next
look_into(void *arg, const struct walk_entry *ent)
{
	struct sweeper *s = arg;
	enum walk_next next = look(s, ent);

	if (next == WALK_ON && ent->type == DT_DIR) {
		open_up(s, ent->dirfd, ent->name, ent->path);
		if (ent->deepest)
			say(s, ent->path, "lies too deep to be looked into");
	}
	return next;
}

/* A denied path may have come to exist behind a link. */
static void
look_behind_links(struct sweeper *s, const char *denied)
{
	auto_free char *real = realpath(denied, NULL), *dir = NULL;
	char *slash;

	if (real == NULL || glob_is(denied) || !in_roots(s, real) ||
	    was_there(s, real))
		return;
	dir = xstrdup(real);
	slash = strrchr(dir, '/');
	*slash = '\0';

	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd != -1)
		set_aside(s, fd, slash + 1, real,
		    "is new where writing is denied");
}

static void
restore_link(struct sweeper *s, const struct link *l)
{
	auto_free char *dir = xstrdup(l->path);
	char *slash = strrchr(dir, '/'), now[PATH_MAX];
	ssize_t n;

	*slash = '\0';

	auto_close int fd = open(*dir == '\0' ? "/" : dir,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd == -1) {
		say(s, l->path, "is gone with its directory: it was a "
		    "protected link");
		return;
	}
	n = readlinkat(fd, slash + 1, now, sizeof now);
	if (n == (ssize_t)strlen(l->text) &&
	    memcmp(now, l->text, (size_t)n) == 0)
		return;
	if (faccessat(fd, slash + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    set_aside(s, fd, slash + 1, l->path, "took the place of a "
	    "protected link") == -1)
		return;
	if (symlinkat(l->text, fd, slash + 1) == 0)
		say(s, l->path, "is again the link that it was");
	else
		say(s, l->path, "could not be put back");
}

int
sweep(const struct spec *spec, const struct scene *scene, struct list *notes,
    struct err *e)
{
	struct sweeper s = { spec, scene, notes };
	const struct list *deny = &spec->list[SPEC_DENY_WRITE];
	long budget = LONG_MAX;	/* nothing may hide behind a number */
	struct rlimit files;
	int rc = 0;

	/* A descriptor for each directory on the way down. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (size_t i = 0; i < scene->n_links; i++)
		restore_link(&s, &scene->links[i]);
	for (size_t i = 0; i < scene->roots.n && rc == 0; i++) {
		const char *root = scene->roots.v[i];

		open_up(&s, AT_FDCWD, root, root);
		rc = walk(root, look_into, &s, &budget, e);
	}
	for (size_t i = 0; i < deny->n; i++)
		look_behind_links(&s, deny->v[i]);
	return rc;
}
