#include "audit/originals/restore.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/originals/crew.h"
#include "audit/originals/put_back.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define HOUR_MS	(60 * 60 * 1000)

static struct put_back
worker(struct store *s, int rootfd)
{
	const struct put_back p = { .c = { .store = s, .root = rootfd,
	    .left = { UINT64_MAX, UINT64_MAX, SIZE_MAX,
	    clock_boot_ms() + HOUR_MS } } };

	return p;
}

static void
refuse(struct restore *r, struct restore_item *it, const char *why)
{
	it->step = STEP_REFUSED;
	snprintf(it->why, sizeof it->why, "%s", why);
	r->refused++;
}

void
restore_clear(struct restore *r)
{
	for (size_t i = 0; i < r->n; i++)
		file_state_clear(&r->items[i].now);
	free(r->items);
	*r = (struct restore){ 0 };
}

/* --- planning ------------------------------------------------------------ */

static enum restore_step
step_to(const struct file_state *want, const struct file_state *now)
{
	if (file_state_same(want, now))
		return STEP_SAME;
	switch (want->kind) {
	case FILE_ABSENT:
		return STEP_REMOVE;
	case FILE_REGULAR:
		return STEP_WRITE;
	case FILE_LINK:
		return STEP_LINK;
	case FILE_DIR:
		return now->kind == FILE_DIR ? STEP_MODE : STEP_FOLDER;
	case FILE_OTHER:
	default:
		return STEP_REFUSED;
	}
}

/* Will one of the folders above be made again first? */
static bool
parent_comes(const struct file_list *want, const char *path)
{
	auto_free char *copy = xstrdup(path);
	char *slash;

	while ((slash = strrchr(copy, '/')) != NULL) {
		const struct file_entry *e;

		*slash = '\0';
		e = file_list_find(want, copy);
		if (e != NULL)
			return e->st.kind == FILE_DIR;
	}
	return false;
}

static void
judge(struct restore *r, struct restore_item *it)
{
	static const char *const lost[] = {
		[LOST_NOT] = "", [LOST_LARGE] = "it was too large to be kept",
		[LOST_UNREADABLE] = "it could not be read and was not kept",
		[LOST_LIMIT] = "there was too much to keep all of it",
		[LOST_BUSY] = "it was being written and was not kept",
	};

	if (it->want->lost != LOST_NOT) {
		refuse(r, it, lost[it->want->lost]);
		return;
	}
	it->step = step_to(it->want, &it->now);
	if (it->step == STEP_REFUSED)
		refuse(r, it, "it was no file, folder or link");
	else if (it->step != STEP_SAME && (it->now.lost != LOST_NOT ||
	    it->now.kind == FILE_OTHER))
		refuse(r, it, "what is there now cannot be kept");
	else if (it->step != STEP_SAME)
		r->steps++;
}

struct planning {
	struct store		*store;
	int			 root;
	const struct file_list	*want;
	struct restore_item	*items;
	struct look {
		int		 got;
		struct err	 e;
	}			*looks;
};

static void
look(void *arg, size_t i)
{
	struct planning *g = arg;
	struct put_back p = worker(g->store, g->root);

	g->looks[i].got = capture_path(&p.c, g->want->e[i].path,
	    &g->items[i].now, &g->looks[i].e);
}

static int
judge_all(const struct planning *g, struct restore *r, struct err *e)
{
	for (size_t i = 0; i < g->want->n; i++) {
		struct restore_item *it = &r->items[i];

		it->path = g->want->e[i].path;
		it->want = &g->want->e[i].st;
		if (g->looks[i].got == -1) {
			if (e != NULL)
				*e = g->looks[i].e;
			return -1;
		}
		if (g->looks[i].got == 0 && it->want->kind != FILE_ABSENT &&
		    !parent_comes(g->want, it->path))
			refuse(r, it, "a link is in the way, or a folder "
			    "that nobody may enter");
		else
			judge(r, it);
	}
	return 0;
}

/* What is in a folder that is to go, and does not go itself. */
static bool
stays_full(const struct planning *g, const struct restore_item *it)
{
	auto_close int fd = fs_beneath(g->root, it->path, O_RDONLY |
	    O_DIRECTORY, NULL);
	struct fs_names in = { 0 };
	bool full = false;

	if (fd == -1 || fs_list(fd, NULL, g->want->n + 1, &in, NULL, NULL) ==
	    -1)
		return false;	/* told when it is tried */
	for (size_t i = 0; i < in.n && !full; i++) {
		auto_free char *path = xasprintf("%s/%s", it->path,
		    in.names[i]);
		const struct file_entry *e = file_list_find(g->want, path);

		full = e == NULL ||
		    g->items[e - g->want->e].step != STEP_REMOVE;
	}
	fs_names_clear(&in);
	return full;
}

/* From the deepest on: a folder that stays keeps those above it. */
static void
judge_folders(const struct planning *g, struct restore *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct restore_item *it = &r->items[i];

		if (it->now.kind != FILE_DIR || it->step == STEP_REFUSED ||
		    it->want->kind == FILE_DIR || !stays_full(g, it))
			continue;
		r->steps--;
		refuse(r, it, it->want->kind == FILE_ABSENT ? "there is "
		    "something in it that no change made" :
		    "a folder with files is in its place");
	}
}

int
restore_plan(struct store *s, int rootfd, const struct file_list *want,
    struct restore *ret, struct err *e)
{
	auto_restore struct restore r = { .n = want->n };
	struct planning g = { .store = s, .root = rootfd, .want = want };
	auto_free struct look *looks = xcalloc(want->n + 1, sizeof *looks);

	r.items = xcalloc(want->n + 1, sizeof *r.items);
	g.items = r.items;
	g.looks = looks;
	crew_run(want->n, look, &g);
	if (judge_all(&g, &r, e) == -1)
		return -1;
	judge_folders(&g, &r);
	*ret = r;
	r = (struct restore){ 0 };
	return 0;
}

int
restore_keep(struct store *s, const struct restore *r, struct digest *ret,
    struct err *e)
{
	auto_list struct file_list l = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		struct file_state st;

		if (r->items[i].step == STEP_SAME ||
		    r->items[i].step == STEP_REFUSED)
			continue;
		file_state_copy(&r->items[i].now, &st);
		file_list_add(&l, r->items[i].path, &st);
	}
	return file_list_put(s, &l, NULL, ret, e);
}

int
restore_left(struct store *s, const struct restore *r, struct digest *ret,
    struct err *e)
{
	auto_list struct file_list l = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		struct file_state st;

		if (!r->items[i].done)
			continue;
		file_state_copy(r->items[i].want, &st);
		file_list_add(&l, r->items[i].path, &st);
	}
	return file_list_put(s, &l, NULL, ret, e);
}

/* --- doing --------------------------------------------------------------- */

struct doing {
	struct store	*store;
	int		 root;
	struct restore	*r;
};

/* Of item i, by any thread. */
typedef int step_fn(struct put_back *, const struct restore_item *,
    struct err *);

static void
do_it(struct doing *d, struct restore_item *it, step_fn *fn)
{
	struct put_back p = worker(d->store, d->root);
	struct err e = { 0 };

	it->done = fn(&p, it, &e) == 0;
	if (!it->done)
		snprintf(it->why, sizeof it->why, "%.150s", e.text);
}

/* A folder that forbids us to work in it opens for the while. */
static void
open_up(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];
	struct put_back p = worker(d->store, d->root);

	if (it->now.kind == FILE_DIR && it->want->kind == FILE_DIR &&
	    (it->now.mode & 0700) != 0700)
		put_back_mode(&p, it->path, it->now.mode | 0700, NULL);
}

static void
remove_file(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];

	if (it->step == STEP_REMOVE && it->now.kind != FILE_DIR)
		do_it(d, it, put_back_remove);
}

static void
remove_folder(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];

	if (it->step == STEP_REMOVE && it->now.kind == FILE_DIR)
		do_it(d, it, put_back_remove);
}

static void
make_folder(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];

	if (it->step == STEP_FOLDER)
		do_it(d, it, put_back_make);
}

static void
make_rest(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];

	if (it->step == STEP_WRITE || it->step == STEP_LINK)
		do_it(d, it, put_back_make);
}

static int
set_mode(struct put_back *p, const struct restore_item *it, struct err *e)
{
	return put_back_mode(p, it->path, it->want->mode, e);
}

static void
close_up(void *arg, size_t i)
{
	struct doing *d = arg;
	struct restore_item *it = &d->r->items[i];

	if (it->want->kind != FILE_DIR || (it->step == STEP_FOLDER &&
	    !it->done) || it->step == STEP_REFUSED ||
	    (it->step == STEP_SAME && (it->now.mode & 0700) == 0700))
		return;
	do_it(d, it, set_mode);
	/* What stays as it was is in no list. */
	it->done = it->done && it->step != STEP_SAME;
}

int
restore_run(struct store *s, int rootfd, struct restore *r, struct err *e)
{
	enum order { ANY, PARENTS_FIRST, DEEPEST_FIRST };
	static const struct {
		crew_fn		*fn;
		enum order	 order;
	} phases[] = {
		{ open_up, PARENTS_FIRST }, { remove_file, ANY },
		{ remove_folder, DEEPEST_FIRST },
		{ make_folder, PARENTS_FIRST }, { make_rest, ANY },
		{ close_up, DEEPEST_FIRST },
	};
	struct doing d = { s, rootfd, r };

	for (size_t p = 0; p < ARRAY_LEN(phases); p++) {
		if (phases[p].order == ANY) {
			crew_run(r->n, phases[p].fn, &d);
			continue;
		}
		for (size_t i = 0; i < r->n; i++)
			phases[p].fn(&d, phases[p].order == DEEPEST_FIRST ?
			    r->n - 1 - i : i);
	}
	for (size_t i = 0; i < r->n; i++)
		r->refused += r->items[i].step != STEP_REFUSED &&
		    r->items[i].why[0] != '\0';
	/* One for all of them. */
	return syncfs(rootfd) == -1 ? err_sys(e, "cannot sync") : 0;
}
