/*
 * What `sandbox init` makes.  Doing it twice is doing it once.
 */
#include "queue/home.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "queue/inside.h"

#include "common/banned.h"

static int
make_checked(int dirfd, const char *name, int *ret, struct err *e)
{
	*ret = fs_make_private(dirfd, name, e);
	return *ret == -1 ? -1 : 0;
}

/* mkdir -p: the state directory of a fresh account does not exist yet. */
static int
make_path(const char *path, struct err *e)
{
	auto_free char *p = xstrdup(path);

	for (char *q = p + 1; ; q++) {
		char c = *q;

		if (c != '/' && c != '\0')
			continue;
		*q = '\0';
		if (mkdir(p, 0700) == -1 && errno != EEXIST)
			return err_sys(e, "cannot make '%s'", p);
		*q = c;
		if (c == '\0')
			return 0;
	}
}

static int
make_record(struct home *h, struct err *e)
{
	unsigned char bin[HOME_PROJECT / 2];
	struct timespec t;
	struct stat st;
	auto_record struct home_record r = { .uid = (int64_t)geteuid() };

	/* Somebody else's queue is not ours to adopt. */
	if (fstatat(h->root, ".sandbox", &st, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(e, ERR_SETUP, "'%s/.sandbox' was not made here "
		    "(cloned, copied or moved): look at it, remove it and run "
		    "'sandbox init' again", h->root_path);
	if (!utf8_ok(h->root_path, strlen(h->root_path)))
		return err_set(e, ERR_SETUP, "the folder's path is not valid "
		    "UTF-8: choose another place");
	clock_gettime(CLOCK_REALTIME, &t);
	randombytes_buf(bin, sizeof bin);
	hex_put(bin, sizeof bin, r.project);
	r.root = xstrdup(h->root_path);
	r.created_wall_ms = (int64_t)t.tv_sec * 1000;
	return home_record_write(h->priv, &r, e);
}

static int
make_bus(const struct home *h, struct err *e)
{
	static const char *const names[] = { "tmp", "pending", "claimed",
		"answered", "closed", "blobs", "spool", "aside" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		auto_close int fd = fs_make_private(h->bus, names[i], e);

		if (fd == -1)
			return err_add(e, "'.sandbox/escalations'");
	}

	auto_close int out = fs_make_private(h->sandbox, "out", e);

	return out == -1 ? err_add(e, "'.sandbox'") : 0;
}

/* For people: what this folder is.  Nothing of ours reads them. */
static int
make_notes(const struct home *h, struct err *e)
{
	auto_json cJSON *j = json_object();
	auto_str struct str text = { 0 };

	str_init(&text, HOME_RECORD_MAX);
	json_add_str(j, "project", h->project);
	json_add_str(j, "root", h->root_path);
	json_print(j, &text);
	str_addc(&text, '\n');
	if (fs_replace(h->sandbox, "project.json", text.s, text.len, 0600, e)
	    == -1 || fs_replace(h->sandbox, ".gitignore", "*\n", 2, 0600, e)
	    == -1)
		return err_add(e, "'.sandbox'");
	return 0;
}

/*
 * The private record first: an init that died half-way is finished by the
 * next one, and a `.sandbox` without a record stays a stranger's.
 */
int
home_create(const char *root, const char *base, struct home *ret,
    struct err *e)
{
	auto_home struct home h = HOME_INIT;
	struct stat st;

	if (home_open_root(&h, root, e) == -1 || make_path(base, e) == -1)
		return -1;

	auto_free char *state = home_state_path(base, h.root_path);
	auto_close int basefd = fs_open_dir_follow(base, e);

	if (basefd == -1)
		return -1;

	auto_close int all = fs_make_private(basefd, "sandbox", e);

	if (all == -1)
		return err_add(e, "'%s'", base);

	auto_close int made = fs_make_private(all, strrchr(state, '/') + 1, e);

	if (made == -1 || home_open_priv(&h, state, e) == -1)
		return -1;
	if (fstatat(h.priv, "record.json", &st, AT_SYMLINK_NOFOLLOW) == -1 &&
	    make_record(&h, e) == -1)
		return -1;
	if (home_record_adopt(&h, e) == -1)
		return home_setup_err(e);
	if (home_private_folders(&h, make_checked, e) == -1 ||
	    home_shared_folders(&h, make_checked, e) == -1 ||
	    make_bus(&h, e) == -1 || make_notes(&h, e) == -1)
		return -1;
	*ret = h;
	h = (struct home)HOME_INIT;
	return 0;
}

