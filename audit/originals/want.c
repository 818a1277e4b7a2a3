/* Which paths are to be as they were, and how they were. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit/originals/put_back.h"
#include "audit/originals/restore.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

static bool
wanted(const struct restore_ask *a, const char *path)
{
	for (size_t i = 0; i < a->n_only; i++) {
		size_t n = strlen(a->only[i]);

		if (strncmp(path, a->only[i], n) == 0 &&
		    (path[n] == '\0' || path[n] == '/'))
			return true;
	}
	return a->n_only == 0;
}

/* Moves what is wanted; the first word about a path counts. */
static void
take(const struct restore_ask *a, struct file_list *from,
    struct file_list *ret)
{
	for (size_t i = 0; i < from->n; i++) {
		if (from->e[i].path[0] == '\0' || !wanted(a, from->e[i].path))
			continue;
		file_list_add(ret, from->e[i].path, &from->e[i].st);
		from->e[i].st = (struct file_state){ 0 };
	}
	file_list_clear(from);
}

/*
 * Of what a baseline did not keep nobody can tell whether it has changed, and
 * no call is known to have changed it.
 */
static void
leave_unknown(struct file_list *baseline)
{
	for (size_t i = 0; i < baseline->n; i++) {
		struct file_entry *e = &baseline->e[i];

		if (e->st.lost != LOST_NOT || e->st.kind == FILE_OTHER)
			e->path[0] = '\0';
	}
}

static int
take_before(const struct restore_ask *a, const struct deed *d,
    struct file_list *ret, struct err *e)
{
	struct deed_lists l = { 0 };
	struct file_list before = { 0 };

	if (d->seq <= a->time->forgotten)
		return 0;
	if (deed_read(a->store, d, &l, e) == -1)
		return -1;
	deed_before(&l, &before);
	deed_lists_clear(&l);
	take(a, &before, ret);
	return 0;
}

/* How it left things, then how it found them. */
static int
take_behind(const struct restore_ask *a, const struct deed *d, bool ended,
    struct file_list *ret, struct err *e)
{
	struct deed_lists l = { 0 };

	if (d->seq <= a->time->forgotten)
		return 0;
	if (deed_read(a->store, d, &l, e) == -1)
		return -1;
	if (ended)
		take(a, &l.now, ret);
	if (d->kind == DEED_BASELINE)
		leave_unknown(&l.was);
	take(a, &l.was, ret);
	deed_lists_clear(&l);
	return 0;
}

int
restore_want_deed(const struct restore_ask *a, const struct deed *d,
    struct file_list *ret, struct err *e)
{
	if (d->seq <= a->time->forgotten)
		return err_set(e, ERR_NO_ID, "what that change replaced is no "
		    "longer kept");
	if (take_before(a, d, ret, e) == -1)
		return -1;
	file_list_sort(ret);
	return 0;
}

static int
add_baseline(const struct restore_ask *a, const struct deed *d,
    struct file_list *ret, struct err *e)
{
	struct file_list l = { 0 };

	if (d->seq <= a->time->forgotten)
		return 0;
	if (file_list_get(a->store, &d->before, &l, e) == -1)
		return err_add(e, "the session's baseline");
	leave_unknown(&l);
	ret->cut = ret->cut || l.cut;
	take(a, &l, ret);
	return 0;
}

int
restore_want_session(const struct restore_ask *a, const char *session,
    bool certain, struct file_list *ret, struct err *e)
{
	const struct deed *b = timeline_baseline(a->time, session);

	for (size_t i = 0; i < a->time->n; i++) {
		const struct deed *d = &a->time->d[i];

		if (d->kind != DEED_BASELINE && d->kind != DEED_RESTORE &&
		    strcmp(d->session, session) == 0 &&
		    take_before(a, d, ret, e) == -1)
			return -1;
	}
	if (!certain && b != NULL && add_baseline(a, b, ret, e) == -1)
		return -1;
	file_list_sort(ret);
	return 0;
}

int
restore_want_time(const struct restore_ask *a, int64_t wall_ms,
    struct file_list *ret, struct err *e)
{
	size_t later = 0;

	while (later < a->time->n && a->time->d[later].wall_ms <= wall_ms)
		later++;
	/* The last word before, then the first one behind. */
	for (size_t i = later; i-- > 0; ) {
		const struct deed *d = &a->time->d[i];

		if (take_behind(a, d, d->done_ms != 0 &&
		    d->done_ms <= wall_ms, ret, e) == -1)
			return -1;
	}
	for (size_t i = later; i < a->time->n; i++)
		if (a->time->d[i].kind != DEED_BASELINE &&
		    take_before(a, &a->time->d[i], ret, e) == -1)
			return -1;
	file_list_sort(ret);
	return 0;
}

int
restore_want_until(const struct restore_ask *a, const struct deed *until,
    struct file_list *ret, struct err *e)
{
	size_t at = (size_t)(until - a->time->d);

	if (until->seq <= a->time->forgotten)
		return err_set(e, ERR_NO_ID, "what that change replaced is no "
		    "longer kept");
	if (take_before(a, until, ret, e) == -1)
		return -1;
	for (size_t i = at; i-- > 0; )
		if (take_behind(a, &a->time->d[i], a->time->d[i].done_ms != 0,
		    ret, e) == -1)
			return -1;
	for (size_t i = at + 1; i < a->time->n; i++)
		if (a->time->d[i].kind != DEED_BASELINE &&
		    take_before(a, &a->time->d[i], ret, e) == -1)
			return -1;
	file_list_sort(ret);
	return 0;
}

static bool
is_leftover(const char *name)
{
	return str_starts(name, PUT_BACK_TMP);
}

/*
 * What an interrupted restore left goes with whatever is restored beside it:
 * that changed nothing of a folder whose last change is asked for.
 */
static bool
meant(const struct restore_ask *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!is_leftover(slash == NULL ? path : slash + 1))
		return wanted(a, path);
	for (size_t i = 0; i < a->n_only; i++)
		if (strcmp(path, a->only[i]) == 0)
			return true;
	return false;
}

/* Did it change one of them, as far as was seen? */
static bool
touched(const struct restore_ask *a, const struct deed *d,
    const struct deed_lists *l)
{
	const struct file_list *look = d->done_ms != 0 ? &l->now : &l->was;

	for (size_t i = 0; i < look->n; i++)
		if (meant(a, look->e[i].path))
			return true;
	return false;
}

static void
tidy_folder(int rootfd, const char *folder, struct file_list *l)
{
	auto_close int fd = fs_open_dir(rootfd, *folder == '\0' ? "." : folder,
	    NULL);
	const struct file_state nothing = { 0 };
	struct fs_names names = { 0 };

	if (fd == -1 || fs_list(fd, is_leftover, 1000, &names, NULL, NULL) ==
	    -1)
		return;
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *path = *folder == '\0' ?
		    xstrdup(names.names[i]) :
		    xasprintf("%s/%s", folder, names.names[i]);

		file_list_add(l, path, &nothing);
	}
	fs_names_clear(&names);
}

void
restore_want_tidy(int rootfd, struct file_list *l)
{
	auto_free char *last = NULL;
	size_t n = l->n;

	for (size_t i = 0; i < n; i++) {
		const char *slash = strrchr(l->e[i].path, '/');
		auto_free char *folder = xstrndup(l->e[i].path,
		    slash == NULL ? 0 : (size_t)(slash - l->e[i].path));

		if (last != NULL && strcmp(last, folder) == 0)
			continue;
		tidy_folder(rootfd, folder, l);
		free(last);
		last = mem_steal(&folder);
	}
	file_list_sort(l);
}

/*
 * Was it killed, or did it fail, before it let go of its list?  It may have
 * done all, some or nothing of that.
 */
static bool
interrupted(const struct restore_ask *a, const struct deed *d)
{
	return d->kind == DEED_RESTORE && d->has_wanted &&
	    (d->done_ms == 0 || store_is_held(a->store, &d->wanted)) &&
	    store_has(a->store, &d->wanted);
}

static int
take_wanted(const struct restore_ask *a, const struct deed *d,
    struct file_list *ret, struct err *e)
{
	struct file_list l = { 0 };

	if (file_list_get(a->store, &d->wanted, &l, e) == -1)
		return err_add(e, "restore %" PRIu64, d->seq);
	take(a, &l, ret);
	return 0;
}

/* Is anything there otherwise than the list says?  1, 0 or -1. */
static int
differs(const struct restore_ask *a, int rootfd, const struct file_list *l,
    struct err *e)
{
	auto_restore struct restore plan = { 0 };

	if (restore_plan(a->store, rootfd, l, &plan, e) == -1)
		return -1;
	return plan.steps > 0 || plan.refused > 0;
}

/*
 * Was it this deed?  1: yes, and how things were; 0: no, with a list that is
 * not empty if it was only about to and left all of it alone.
 */
static int
take_last(const struct restore_ask *a, int rootfd, const struct deed *d,
    struct file_list *ret, struct err *e)
{
	struct deed_lists l = { 0 };
	bool hit;

	if (deed_read(a->store, d, &l, e) == -1)
		return -1;
	hit = touched(a, d, &l);
	deed_lists_clear(&l);
	if (!hit)
		return 0;
	if (interrupted(a, d))
		return take_wanted(a, d, ret, e) == -1 ? -1 : 1;
	/* Nobody knows what it was to leave; what it undid is in the deeds. */
	if (d->kind == DEED_RESTORE && d->done_ms == 0)
		return 0;
	if (restore_want_deed(a, d, ret, e) == -1)
		return -1;
	return d->done_ms != 0 ? 1 : differs(a, rootfd, ret, e);
}

static int
none_kept(const struct restore_ask *a, struct err *e)
{
	return err_set(e, ERR_NO_ID, "no change of '%.200s'%s is kept; "
	    "`sandbox changes` lists those that are",
	    a->n_only == 0 ? "it" : a->only[0],
	    a->n_only > 1 ? " or the others" : "");
}

int
restore_want_last(const struct restore_ask *a, int rootfd,
    struct file_list *ret, const struct deed **ret_deed, struct err *e)
{
	const struct deed *idle = NULL;

	for (size_t i = a->time->n; i-- > 0; ) {
		const struct deed *d = &a->time->d[i];
		int got;

		if (d->kind == DEED_BASELINE || d->seq <= a->time->forgotten)
			continue;
		got = take_last(a, rootfd, d, ret, e);
		if (got == 1) {
			*ret_deed = d;
			return interrupted(a, d);
		}
		if (ret->n > 0 && idle == NULL)
			idle = d;
		file_list_clear(ret);
		if (got == -1)
			return -1;
	}
	if (idle == NULL)
		return none_kept(a, e);
	*ret_deed = idle;
	return restore_want_deed(a, idle, ret, e);
}
