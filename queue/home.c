#include "queue/home.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "queue/inside.h"

#include "common/banned.h"

/* What only `init` can mend is ERR_SETUP and says so. */
int
home_setup_err(struct err *e)
{
	if (e != NULL && (e->code == ERR_FORMAT || e->sys == ENOENT ||
	    e->sys == ENOTDIR || e->sys == ELOOP || e->sys == EACCES)) {
		size_t n = strlen(e->text);

		e->code = ERR_SETUP;
		snprintf(e->text + n, sizeof e->text - n,
		    ": run 'sandbox init'");
	}
	return -1;
}

/* Open `root` and learn its real path. */
int
home_open_root(struct home *h, const char *root, struct err *e)
{
	auto_str struct str real = { 0 };

	str_init(&real, HOME_ROOT_MAX);
	h->root = fs_open_dir_follow(root, e);
	if (h->root == -1 || fs_path_of(h->root, &real, e) == -1)
		return -1;
	h->root_path = str_take(&real);
	return 0;
}

char *
home_state_path(const char *base, const char *real_root)
{
	char hex[DIGEST_HEX + 1];
	struct digest d;

	digest_of(real_root, strlen(real_root), NULL, &d);
	digest_hex(&d, hex);
	return xasprintf("%s/sandbox/%.32s", base, hex);
}

int
home_open_priv(struct home *h, const char *state, struct err *e)
{
	auto_str struct str real = { 0 };

	str_init(&real, HOME_ROOT_MAX);
	h->priv = fs_open_dir_follow(state, e);
	if (h->priv == -1 || fs_check_private(h->priv, state, e) == -1 ||
	    fs_path_of(h->priv, &real, e) == -1)
		return -1;
	h->priv_path = str_take(&real);
	return 0;
}

/*
 * Only whoever built the walls can put a closed file system where we keep our
 * own; a missing folder alone is damage, and refused.
 */
static bool
is_jailed(int priv)
{
	struct statvfs v;

	return fstatvfs(priv, &v) == 0 && (v.f_flag & ST_RDONLY) != 0 &&
	    faccessat(priv, "audit", F_OK, AT_SYMLINK_NOFOLLOW) == -1 &&
	    errno == ENOENT;
}

static int
open_checked(int dirfd, const char *name, int *ret, struct err *e)
{
	auto_close int fd = fs_open_dir(dirfd, name, e);

	if (fd == -1 || fs_check_private(fd, name, e) == -1)
		return -1;
	*ret = fd_steal(&fd);
	return 0;
}

int
home_private_folders(struct home *h, home_folder_fn *get, struct err *e)
{
	if (get(h->priv, "view", &h->view, e) == -1)
		return err_add(e, "'%s'", h->priv_path);
	h->jailed = is_jailed(h->priv);
	if (h->jailed)
		return 0;
	if (get(h->priv, "ledger", &h->ledger, e) == -1 ||
	    get(h->priv, "run", &h->run, e) == -1 ||
	    get(h->run, "clients", &h->clients, e) == -1 ||
	    get(h->priv, "audit", &h->audit, e) == -1)
		return err_add(e, "'%s'", h->priv_path);
	return 0;
}

int
home_shared_folders(struct home *h, home_folder_fn *get, struct err *e)
{
	if (get(h->root, ".sandbox", &h->sandbox, e) == -1 ||
	    get(h->sandbox, "escalations", &h->bus, e) == -1)
		return err_add(e, "'%s'", h->root_path);
	return 0;
}

int
home_open(const char *root, const char *state, const char *base,
    struct home *ret, struct err *e)
{
	auto_home struct home h = HOME_INIT;
	auto_free char *path = NULL;

	if (home_open_root(&h, root, e) == -1)
		return home_setup_err(e);
	path = state != NULL ? xstrdup(state) :
	    home_state_path(base, h.root_path);
	if (home_open_priv(&h, path, e) == -1 ||
	    home_record_adopt(&h, e) == -1 ||
	    home_private_folders(&h, open_checked, e) == -1 ||
	    home_shared_folders(&h, open_checked, e) == -1)
		return home_setup_err(e);
	*ret = h;
	h = (struct home)HOME_INIT;
	return 0;
}

int
home_open_state(const char *state, struct home *ret, struct err *e)
{
	auto_record struct home_record r = { 0 };
	auto_close int priv = fs_open_dir_follow(state, e);

	if (priv == -1 || fs_check_private(priv, state, e) == -1 ||
	    home_record_read(priv, &r, e) == -1)
		return home_setup_err(e);
	return home_open(r.root, state, NULL, ret, e);
}

int
home_find(const char *dir, const char *base, struct home *ret, struct err *e)
{
	auto_close int fd = fs_open_dir_follow(dir, e);
	auto_str struct str path = { 0 };

	str_init(&path, HOME_ROOT_MAX);
	if (fd == -1 || fs_path_of(fd, &path, e) == -1)
		return -1;
	for (;;) {
		auto_free char *state = home_state_path(base, path.s);

		/* No private record: not ours, whatever lies in the folder. */
		if (access(state, F_OK) == 0)
			return home_open(path.s, state, base, ret, e);
		if (path.len <= 1)
			break;
		path.len = (size_t)(strrchr(path.s, '/') - path.s);
		if (path.len == 0)
			path.len = 1;
		path.s[path.len] = '\0';
	}
	err_set(e, ERR_SETUP,
	    "no project here or above: run 'sandbox init' in its folder");
	return 1;
}

void
home_close(struct home *h)
{
	int *const fds[] = { &h->root, &h->sandbox, &h->bus, &h->priv,
		&h->view, &h->ledger, &h->run, &h->clients, &h->audit };

	free(h->root_path);
	free(h->priv_path);
	free(h->keys_path);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		mem_close_fd(fds[i]);
	*h = (struct home)HOME_INIT;
}

/*
 * The file before the name service: every hook asks, and the service opens
 * sockets and configuration before it reads that file.
 */
static char *
listed_dir(uid_t uid, char *buf, size_t size)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd pw, *found = NULL;
	char *dir = NULL;

	if (f == NULL)
		return NULL;
	while (dir == NULL && fgetpwent_r(f, &pw, buf, size, &found) == 0)
		if (pw.pw_uid == uid && pw.pw_dir[0] == '/')
			dir = xstrdup(pw.pw_dir);
	fclose(f);
	return dir;
}

char *
home_user_dir(void)
{
	char buf[16384];	/* not zeroed: most of it is never touched */
	auto_free char *listed = listed_dir(geteuid(), buf, sizeof buf);
	struct passwd pw, *found = NULL;

	if (listed != NULL)
		return mem_steal(&listed);
	if (getpwuid_r(geteuid(), &pw, buf, sizeof buf, &found) != 0 ||
	    found == NULL || found->pw_dir == NULL || found->pw_dir[0] != '/')
		return NULL;
	return xstrdup(found->pw_dir);
}

char *
home_base(bool use_env)
{
	const char *env = use_env ? getenv("XDG_STATE_HOME") : NULL;
	auto_free char *dir = NULL;

	/* The XDG specification: a relative path is to be ignored. */
	if (env != NULL && env[0] == '/')
		return xstrdup(env);
	dir = home_user_dir();
	return dir == NULL ? NULL : xasprintf("%s/.local/state", dir);
}

static bool
is_named(int fd, int dirfd, const char *name)
{
	struct stat open, named;

	return fstat(fd, &open) == 0 &&
	    fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

int
home_still_here(const struct home *h, struct err *e)
{
	const struct {
		int		 fd, dirfd;
		const char	*name;
	} all[] = {
		{ h->root, AT_FDCWD, h->root_path },
		{ h->sandbox, h->root, ".sandbox" },
		{ h->bus, h->sandbox, "escalations" },
		{ h->priv, AT_FDCWD, h->priv_path },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!is_named(all[i].fd, all[i].dirfd, all[i].name))
			return err_set(e, ERR_SETUP, "'%s' was moved, removed "
			    "or replaced while it was open", all[i].name);
	return 0;
}
