#include "jail/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define TEXT_MAX	65536
#define NAMES_MAX	1000
#define PREFIX		"sandbox-jail-"

char *
cgroup_above(const char *text)
{
	const char *line = str_starts(text, "0::/") ? text :
	    strstr(text, "\n0::/");
	auto_free char *path = NULL;
	char *slash;

	if (line == NULL)
		return NULL;
	line = strchr(line, '/');
	path = xstrndup(line, strcspn(line, "\n"));
	slash = strrchr(path, '/');
	slash[slash == path] = '\0';
	return mem_steal(&path);
}

static int
read_small(int dirfd, const char *name, struct str *ret)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);

	return fd == -1 ? -1 : io_read_all(fd, TEXT_MAX, ret, NULL);
}

static bool
has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += len)
		if ((p == text || p[-1] == ' ') &&
		    strchr(" \n", p[len]) != NULL)
			return true;
	return false;
}

/* The group beside which ours shall lie. */
static int
open_parent(struct err *e)
{
	static const char *const mounts[] = {
		"/sys/fs/cgroup", "/sys/fs/cgroup/unified",
	};
	auto_str struct str text = { 0 };
	auto_free char *above = NULL;

	str_init(&text, TEXT_MAX);
	if (read_small(AT_FDCWD, "/proc/self/cgroup", &text) == 0)
		above = cgroup_above(text.s);
	for (size_t i = 0; above != NULL && i < ARRAY_LEN(mounts); i++) {
		auto_free char *path = xasprintf("%s%s", mounts[i], above);
		auto_close int fd = open(path, O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC);
		struct statfs st;

		if (fd != -1 && fstatfs(fd, &st) == 0 &&
		    st.f_type == CGROUP2_SUPER_MAGIC)
			return fd_steal(&fd);
	}
	return err_set(e, ERR_SYSTEM, "there are no control groups of "
	    "version 2 here");
}

static int
check_parent(int parent, struct err *e)
{
	auto_str struct str text = { 0 };

	str_init(&text, TEXT_MAX);
	if (read_small(parent, "cgroup.subtree_control", &text) == -1 ||
	    !has_word(text.s, "memory") || !has_word(text.s, "pids"))
		return err_set(e, ERR_SYSTEM, "the control group we are in "
		    "does not hand memory and pids on");
	if (faccessat(parent, "cgroup.procs", W_OK, AT_EACCESS) == -1)
		return err_set(e, ERR_SYSTEM, "the control group we are in "
		    "is not ours to divide");
	return 0;
}

/* Left by a run that was killed; one that is in use cannot be removed. */
static void
remove_left(int parent)
{
	struct fs_names l = { 0 };

	if (fs_list(parent, NULL, NAMES_MAX, &l, NULL, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++) {
		long pid = str_starts(l.names[i], PREFIX) ?
		    strtol(l.names[i] + strlen(PREFIX), NULL, 10) : 0;

		if (pid > 0 && kill((pid_t)pid, 0) == -1 && errno == ESRCH)
			unlinkat(parent, l.names[i], AT_REMOVEDIR);
	}
	fs_names_clear(&l);
}

/* Written, and read again: a limit that did not take is none. */
static int
set(int dir, const char *name, int64_t value, struct err *e)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%" PRId64 "\n", value);
	auto_close int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	auto_str struct str now = { 0 };

	str_init(&now, TEXT_MAX);
	if (fd == -1 || write(fd, text, (size_t)n) != n ||
	    read_small(dir, name, &now) == -1 ||
	    (value != 0 && strtoll(now.s, NULL, 10) <= 0))
		return err_sys(e, "cannot set '%s'", name);
	return 0;
}

int
cgroup_make(const struct spec *s, struct cgroup *ret, struct err *e)
{
	struct cgroup c = CGROUP_NONE;

	*ret = c;
	if (s->memory == 0)
		return 0;
	snprintf(c.name, sizeof c.name, PREFIX "%d", (int)getpid());
	c.parent = open_parent(e);
	if (c.parent == -1)
		return -1;
	if (check_parent(c.parent, e) == -1) {
		close(c.parent);
		return -1;
	}
	remove_left(c.parent);
	if (mkdirat(c.parent, c.name, 0700) == -1) {
		err_sys(e, "cannot make a control group");
		close(c.parent);
		return -1;
	}
	c.fd = openat(c.parent, c.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (c.fd == -1 || set(c.fd, "memory.max", s->memory, e) == -1 ||
	    set(c.fd, "pids.max", s->processes, e) == -1) {
		cgroup_end(&c);
		return -1;
	}
	/* Not there where swap is not counted: then it is not limited. */
	set(c.fd, "memory.swap.max", 0, NULL);
	*ret = c;
	return 1;
}

void
cgroup_end(struct cgroup *c)
{
	if (c->parent == -1)
		return;
	unlinkat(c->parent, c->name, AT_REMOVEDIR);
	mem_close_fd(&c->fd);
	mem_close_fd(&c->parent);
	*c = (struct cgroup)CGROUP_NONE;
}
