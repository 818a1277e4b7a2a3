#include "approver/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/fs.h"
#include "common/mem.h"
#include "queue/home.h"

#include "common/banned.h"

void
key_protect(void)
{
	struct rlimit none;

	prctl(PR_SET_DUMPABLE, 0);
	if (getrlimit(RLIMIT_CORE, &none) == 0) {
		none.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &none);
	}
}

static int
open_step(int dirfd, const char *name, bool make, struct err *e)
{
	int fd = make ? fs_make_private(dirfd, name, e) :
	    fs_open_dir(dirfd, name, e);

	if (fd == -1 && !make && e != NULL && e->sys == ENOENT)
		return err_set(e, ERR_SETUP, "there is no approver key yet: "
		    "run `sandbox key new`");
	return fd;
}

char *
key_base_path(void)
{
	const char *xdg = getenv("XDG_DATA_HOME");
	auto_free char *home = home_user_dir();

	if (xdg != NULL && xdg[0] == '/')
		return xstrdup(xdg);
	return home == NULL ? NULL : xasprintf("%s/.local/share", home);
}

/* The data home itself may be shared with others; what is below is ours. */
static int
open_base(bool make, struct err *e)
{
	auto_free char *path = key_base_path();

	if (path == NULL)
		return err_set(e, ERR_SETUP, "this user has no home directory");
	for (char *p = path + 1; make && (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	if (make && mkdir(path, 0700) == -1 && errno != EEXIST)
		return err_sys(e, "cannot make '%s'", path);
	int fd = fs_open_dir_follow(path, e);
	if (fd == -1 && !make && e != NULL && e->sys == ENOENT)
		return err_set(e, ERR_SETUP, "there is no approver key yet: "
		    "run `sandbox key new`");
	return fd;
}

int
key_dir_open(bool make, struct err *e)
{
	auto_close int base = open_base(make, e);

	if (base == -1)
		return -1;

	auto_close int mid = open_step(base, "sandbox", make, e);

	if (mid == -1)
		return -1;

	auto_close int dir = open_step(mid, "keys", make, e);

	if (dir == -1 || fs_check_private(dir, "keys", e) == -1)
		return -1;
	return fd_steal(&dir);
}
