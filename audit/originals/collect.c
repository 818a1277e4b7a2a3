/*
 * What is kept, and for how long.
 *
 * From the newest record back, every list and content it names is marked until
 * there is too much or it is too old; the record where that happens and all
 * before it are forgotten.  What no mark reached goes.  That the store is held
 * exclusively meanwhile means that no hook is between keeping and recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/originals/originals.h"
#include "audit/originals/timeline.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define SWEPT		"swept"		/* its time: when it was done last */
#define DAY_MS		((int64_t)24 * 3600 * 1000)
#define PENDING_MS	(30 * DAY_MS)

struct object {
	struct digest	name;
	struct object_info info;
	bool		marked;
};

struct sweep {
	struct store	*store;
	struct object	*o;		/* sorted by name once all are there */
	size_t		 n, cap;
	uint64_t	 bytes;		/* marked */
	const struct clock *now;
	const struct originals_keep *keep;
};

static int
by_name(const void *a, const void *b)
{
	return memcmp(((const struct object *)a)->name.b,
	    ((const struct object *)b)->name.b, DIGEST_BYTES);
}

static int
add_object(void *arg, const struct digest *d)
{
	struct sweep *s = arg;

	if (s->n == s->cap) {
		s->cap = s->cap == 0 ? 1024 : s->cap * 2;
		s->o = xrealloc(s->o, s->cap, sizeof *s->o);
	}
	s->o[s->n] = (struct object){ .name = *d };
	/* One that cannot be read is nobody's base and goes unless named. */
	store_info(s->store, d, &s->o[s->n].info);
	s->n++;
	return 0;
}

/* --- marking ------------------------------------------------------------- */

static void
mark(struct sweep *s, const struct digest *d)
{
	const struct object key = { .name = *d };
	struct object *o = s->n == 0 ? NULL :
	    bsearch(&key, s->o, s->n, sizeof *s->o, by_name);

	if (o == NULL || o->marked)
		return;
	o->marked = true;
	s->bytes += o->info.bytes;
	if (o->info.delta)
		mark(s, &o->info.base);
}

/* A list that cannot be read keeps its name, so that verify can tell. */
static void
mark_list(struct sweep *s, const struct digest *d)
{
	auto_list struct file_list l = { 0 };

	mark(s, d);
	if (file_list_get(s->store, d, &l, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++)
		if (l.e[i].st.kind == FILE_REGULAR &&
		    l.e[i].st.lost == LOST_NOT)
			mark(s, &l.e[i].st.content);
}

static void
mark_pending(struct sweep *s)
{
	auto_close int dir = fs_open_dir(store_dir(s->store), "pending", NULL);
	struct fs_names l = { 0 };

	if (dir == -1 || fs_list(dir, NULL, 1000, &l, NULL, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++) {
		struct digest d;
		struct stat st;

		if (digest_parse(l.names[i], &d) == 0 && fstatat(dir,
		    l.names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    s->now->wall_ms - (int64_t)st.st_mtim.tv_sec * 1000 <
		    PENDING_MS)
			mark_list(s, &d);
		else
			unlinkat(dir, l.names[i], 0);
	}
	fs_names_clear(&l);
}

/* Marks what stays; the number of the newest record that does not. */
static uint64_t
mark_deeds(struct sweep *s, const struct timeline *t)
{
	for (size_t i = t->n; i-- > 0; ) {
		const struct deed *d = &t->d[i];

		if (d->seq <= t->forgotten)
			break;
		if (s->now->wall_ms - d->wall_ms > s->keep->ms ||
		    s->bytes > s->keep->bytes)
			return d->seq;
		mark_list(s, &d->before);
		if (d->has_after)
			mark_list(s, &d->after);
	}
	return t->forgotten;
}

/* --- dropping ------------------------------------------------------------ */

static int
record(struct audit *a, const struct clock *now, uint64_t upto,
    struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = { .kind = "file.forgotten", .fields = fields };

	/* The name of no list: how a reader finds these records too. */
	json_add_str(fields, ORIGINALS_FIELD, "0000000000000000000000000000000"
	    "000000000000000000000000000000000");
	json_add_int(fields, "upto", (int64_t)upto);
	return audit_append(a, &ev, now, NULL, e);
}

static void
drop_unmarked(struct sweep *s, struct originals_gone *ret)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct object *o = &s->o[i];

		if (o->marked)
			ret->left += o->info.bytes;
		else if (store_drop(s->store, &o->name, NULL) == 0) {
			ret->objects++;
			ret->bytes += o->info.bytes;
		}
	}
}

/* Everything in a folder that is older than `ms`. */
static void
drop_old(int dirfd, const char *name, const struct clock *now, int64_t ms)
{
	auto_close int dir = fs_open_dir(dirfd, name, NULL);
	struct fs_names l = { 0 };
	struct stat st;

	if (dir == -1 || fs_list(dir, NULL, SIZE_MAX, &l, NULL, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++)
		if (fstatat(dir, l.names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now->wall_ms - (int64_t)st.st_mtim.tv_sec * 1000 >= ms)
			unlinkat(dir, l.names[i], 0);
	fs_names_clear(&l);
}

static void
note_done(int dir)
{
	auto_close int fd = openat(dir, SWEPT, O_WRONLY | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC, 0600);

	if (fd != -1)
		futimens(fd, NULL);
}

static int
collect(struct sweep *s, struct audit *a, const struct timeline *t,
    struct originals_gone *ret, struct err *e)
{
	int dir = store_dir(s->store);
	uint64_t upto;

	if (store_each(s->store, add_object, s, e) == -1)
		return -1;
	if (s->n > 0)
		qsort(s->o, s->n, sizeof *s->o, by_name);
	mark_pending(s);
	upto = mark_deeds(s, t);
	if (upto > t->forgotten && record(a, s->now, upto, e) == -1)
		return -1;
	drop_unmarked(s, ret);
	ret->upto = upto;
	/* Nobody writes now: whatever lies there was left by a crash. */
	drop_old(dir, "tmp", s->now, INT64_MIN);
	drop_old(dir, "last", s->now, s->keep->ms);
	drop_old(dir, "sessions", s->now, s->keep->ms);
	note_done(dir);
	store_count_again(s->store);
	return 0;
}

int
originals_collect(int privfd, struct audit *a, const struct clock *now,
    const struct originals_keep *keep, struct originals_gone *ret,
    struct err *e)
{
	auto_timeline struct timeline t = { 0 };
	struct sweep s = { .now = now, .keep = keep };
	struct err why = { 0 };
	int rc;

	*ret = (struct originals_gone){ 0 };
	if (store_open(privfd, false, STORE_EXCLUSIVE, &s.store, &why) == -1) {
		if (why.code == ERR_LOST || why.code == ERR_SETUP)
			return 0;
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	}
	rc = timeline_read(privfd, &t, e);
	if (rc == 0)
		rc = collect(&s, a, &t, ret, e);
	free(s.o);
	store_free(s.store);
	return rc;
}

bool
originals_collect_due(int privfd, const struct clock *now,
    const struct originals_keep *keep)
{
	struct store *s;
	struct stat st;
	int64_t age;
	bool due;

	if (store_open(privfd, false, STORE_SHARED, &s, NULL) == -1)
		return false;
	due = fstatat(store_dir(s), SWEPT, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    store_counted(s) >= keep->bytes / 2;
	if (!due) {
		age = now->wall_ms - (int64_t)st.st_mtim.tv_sec * 1000;
		due = age >= DAY_MS || age < -DAY_MS;
	}
	store_free(s);
	return due;
}
