#include "audit/originals/hold.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define MB	((uint64_t)1024 * 1024)

static const struct {
	struct capture_limits	call;	/* until_ms: how long */
	struct capture_limits	baseline;
} patience[] = {
	[ORIGINALS_HOOK] = {
		{ 256 * MB, 512 * MB, 4096, 4000 },
		{ 64 * MB, 1024 * MB, 100000, 4000 },
	},
	[ORIGINALS_RUNNER] = {
		{ 4096 * MB, 16384 * MB, 200000, 120000 },
		{ 64 * MB, 1024 * MB, 100000, 4000 },
	},
};

int
originals_open(int privfd, int rootfd, const char *root_path,
    enum originals_patience p, struct originals **ret, struct err *e)
{
	struct store *s = NULL;
	struct originals *o;

	if (digest_setup(e) == -1 ||
	    store_open(privfd, true, STORE_SHARED, &s, e) == -1)
		return -1;
	o = xcalloc(1, sizeof *o);
	*o = (struct originals){ s, rootfd, xstrdup(root_path), p, 0 };
	*ret = o;
	return 0;
}

void
originals_close(struct originals *o)
{
	if (o == NULL)
		return;
	store_free(o->store);
	free(o->root_path);
	free(o);
}

void
originals_budget(struct originals *o, uint64_t bytes)
{
	o->budget = bytes;
}

/* What is left of the budget, if that is less than a call may keep. */
static struct capture
capture_call(struct originals *o)
{
	struct capture c = originals_capture(o, false);
	uint64_t counted, left;

	if (o->budget == 0)
		return c;
	counted = store_counted(o->store);
	left = counted < o->budget ? o->budget - counted : 0;
	if (left < c.left.bytes)
		c.left.bytes = left;
	return c;
}

struct capture
originals_capture(const struct originals *o, bool baseline)
{
	struct capture c = { .store = o->store, .root = o->root };

	c.left = baseline ? patience[o->patience].baseline :
	    patience[o->patience].call;
	c.left.until_ms += clock_boot_ms();
	return c;
}

/* --- before -------------------------------------------------------------- */

/* The part of an absolute path below the project, or NULL. */
static const char *
below(const struct originals *o, const char *path)
{
	size_t n = strlen(o->root_path);

	if (strncmp(path, o->root_path, n) != 0 || path[n] != '/' ||
	    !file_path_ok(path + n + 1))
		return NULL;
	path += n + 1;
	return strncmp(path, ".sandbox", 8) == 0 &&
	    (path[8] == '/' || path[8] == '\0') ? NULL : path;
}

/*
 * `rm link` changes the link, not what it leads to.  The name's directory is
 * walked as it is, links and all; the caller frees, NULL: not in the project.
 */
static char *
named_path(const struct originals *o, const char *named)
{
	auto_free char *copy = xstrdup(named);
	auto_free char *real = NULL, *full = NULL;
	char *slash = strrchr(copy, '/');
	const char *rel;

	if (slash == NULL || slash == copy || slash[1] == '\0')
		return NULL;
	*slash = '\0';
	real = realpath(copy, NULL);
	if (real == NULL)
		return NULL;
	full = xasprintf("%s/%s", real, slash + 1);
	rel = below(o, full);
	return xstrdup(rel);
}

/*
 * A path that is not there will bring its missing parents along; the topmost
 * of them is enough to know that all were missing.
 */
static int
add_missing_parent(struct capture *c, const char *path, struct file_list *l,
    struct err *e)
{
	auto_free char *copy = xstrdup(path);

	for (char *p = strchr(copy, '/'); p != NULL; p = strchr(p + 1, '/')) {
		struct file_state st = { 0 };
		int got;

		*p = '\0';
		got = capture_path(c, copy, &st, e);
		if (got == -1)
			return -1;
		if (got == 1 && st.kind == FILE_ABSENT) {
			file_list_add(l, copy, &st);
			return 0;
		}
		file_state_clear(&st);
		*p = '/';
	}
	return 0;
}

static int
add_path(struct capture *c, const char *path, bool whole, struct file_list *l,
    struct err *e)
{
	struct file_state st = { 0 };
	size_t n = l->n;
	int got;

	if (whole && capture_tree(c, path, SKIP_NONE, l, e) == -1)
		return -1;
	if (l->n > n)
		return 0;
	got = capture_path(c, path, &st, e);
	if (got != 1)
		return got;
	if (st.kind == FILE_ABSENT && add_missing_parent(c, path, l, e) == -1)
		return -1;
	file_list_add(l, path, &st);
	return 0;
}

static int
add_target(const struct originals *o, struct capture *c,
    const struct originals_target *t, struct file_list *l, struct err *e)
{
	const char *path = below(o, t->path);
	auto_free char *named = NULL;

	if (t->named != NULL && !str_eq(t->named, t->path))
		named = named_path(o, t->named);
	if (named != NULL && !str_eq(named, path) &&
	    add_path(c, named, false, l, e) == -1)
		return -1;
	return path == NULL ? 0 : add_path(c, path, t->whole, l, e);
}

/* What a busy file held a moment ago is nobody's only version of it. */
static bool
has_lost(const struct file_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->e[i].st.lost != LOST_NOT && l->e[i].st.lost != LOST_BUSY)
			return true;
	return l->cut;
}

int
originals_before(struct originals *o, const struct originals_target *t,
    size_t n, char ret[static DIGEST_HEX + 1], bool *ret_lost,
    struct err *e)
{
	struct capture c = capture_call(o);
	auto_list struct file_list l = { 0 };
	struct digest d;

	for (size_t i = 0; i < n; i++)
		if (add_target(o, &c, &t[i], &l, e) == -1)
			return err_add(e, "the original could not be kept");
	ret[0] = '\0';
	if (ret_lost != NULL)
		*ret_lost = has_lost(&l);
	if (l.n == 0)
		return 0;
	file_list_sort(&l);
	if (file_list_put(o->store, &l, NULL, &d, e) == -1)
		return err_add(e, "the original could not be kept");
	store_count(o->store);
	digest_hex(&d, ret);
	return 0;
}

/* --- behind -------------------------------------------------------------- */

static int
add_change(struct capture *c, const struct file_entry *was,
    struct file_list *l, struct err *e)
{
	struct file_state st = { 0 };
	int got = capture_path(c, was->path, &st, e);

	if (got != 1)
		return got;
	if (file_state_same(&was->st, &st)) {
		file_state_clear(&st);
		return 0;
	}
	if (st.kind == FILE_DIR && was->st.kind != FILE_DIR)
		return capture_tree(c, was->path, SKIP_NONE, l, e);
	file_list_add(l, was->path, &st);
	return 0;
}

int
originals_after(struct originals *o, const char *before,
    char ret[static DIGEST_HEX + 1], struct err *e)
{
	struct capture c = capture_call(o);
	auto_list struct file_list was = { 0 }, now = { 0 };
	struct digest d;

	ret[0] = '\0';
	if (digest_parse(before, &d) == -1)
		return err_set(e, ERR_FORMAT, "not the name of a list");
	if (file_list_get(o->store, &d, &was, e) == -1)
		return -1;
	for (size_t i = 0; i < was.n; i++)
		if (add_change(&c, &was.e[i], &now, e) == -1)
			return -1;
	if (now.n == 0)
		return 0;
	file_list_sort(&now);
	if (file_list_put(o->store, &now, NULL, &d, e) == -1)
		return -1;
	store_count(o->store);
	digest_hex(&d, ret);
	return 0;
}
