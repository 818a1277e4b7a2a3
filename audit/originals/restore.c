#include "audit/originals/restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/originals/put_back.h"
#include "common/clock.h"
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

int
restore_plan(struct store *s, int rootfd, const struct file_list *want,
    struct restore *ret, struct err *e)
{
	struct put_back p = worker(s, rootfd);
	auto_restore struct restore r = { 0 };

	r.items = xcalloc(want->n + 1, sizeof *r.items);
	for (r.n = 0; r.n < want->n; r.n++) {
		struct restore_item *it = &r.items[r.n];
		int got;

		it->path = want->e[r.n].path;
		it->want = &want->e[r.n].st;
		got = capture_path(&p.c, it->path, &it->now, e);
		if (got == -1)
			return -1;
		if (got == 0 && it->want->kind != FILE_ABSENT &&
		    !parent_comes(want, it->path))
			refuse(&r, it, "a link is in the way, or a folder "
			    "that nobody may enter");
		else
			judge(&r, it);
	}
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
	struct put_back	 p;
	struct restore	*r;
};

static void
note(struct doing *d, struct restore_item *it, int got, const struct err *e)
{
	it->done = got == 0;
	if (got == 0)
		return;
	snprintf(it->why, sizeof it->why, "%.150s", e->text);
	d->r->refused++;
}

/* A folder that forbids us to work in it opens for the while. */
static void
open_up(struct doing *d, struct restore_item *it)
{
	if (it->now.kind == FILE_DIR && it->want->kind == FILE_DIR &&
	    (it->now.mode & 0700) != 0700)
		put_back_mode(&d->p, it->path, it->now.mode | 0700, NULL);
}

static void
remove_it(struct doing *d, struct restore_item *it)
{
	struct err e = { 0 };

	if (it->step == STEP_REMOVE)
		note(d, it, put_back_remove(&d->p, it, &e), &e);
}

static void
make_folder(struct doing *d, struct restore_item *it)
{
	struct err e = { 0 };

	if (it->step == STEP_FOLDER)
		note(d, it, put_back_make(&d->p, it, &e), &e);
}

static void
make_rest(struct doing *d, struct restore_item *it)
{
	struct err e = { 0 };

	if (it->step == STEP_WRITE || it->step == STEP_LINK)
		note(d, it, put_back_make(&d->p, it, &e), &e);
}

static void
close_up(struct doing *d, struct restore_item *it)
{
	struct err e = { 0 };
	int got;

	if (it->want->kind != FILE_DIR || (it->step == STEP_FOLDER &&
	    !it->done) || it->step == STEP_REFUSED ||
	    (it->step == STEP_SAME && (it->now.mode & 0700) == 0700))
		return;
	got = put_back_mode(&d->p, it->path, it->want->mode, &e);
	if (it->step == STEP_MODE || got == -1)
		note(d, it, got, &e);
}

int
restore_run(struct store *s, int rootfd, struct restore *r, struct err *e)
{
	static const struct {
		void	(*fn)(struct doing *, struct restore_item *);
		bool	deepest_first;
	} phases[] = {
		{ open_up, false }, { remove_it, true }, { make_folder, false },
		{ make_rest, false }, { close_up, true },
	};
	struct doing d = { worker(s, rootfd), r };

	for (size_t p = 0; p < ARRAY_LEN(phases); p++)
		for (size_t i = 0; i < r->n; i++)
			phases[p].fn(&d, &r->items[
			    phases[p].deepest_first ? r->n - 1 - i : i]);
	/* One for all of them. */
	return syncfs(rootfd) == -1 ? err_sys(e, "cannot sync") : 0;
}
