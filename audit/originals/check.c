#include "audit/originals/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audit/originals/timeline.h"
#include "common/mem.h"

#include "common/banned.h"

struct item {
	struct digest	 name;
	uint64_t	 seq;
	char		*path;
	bool		 sparse;
};

struct checking {
	struct store	*store;
	bool		 full;
	struct item	*i;
	size_t		 n, cap;
	originals_finding_fn *fn;
	void		*arg;
	size_t		 checked;
};

static void
add(struct checking *c, uint64_t seq, const struct file_entry *e)
{
	if (e->st.kind != FILE_REGULAR || e->st.lost != LOST_NOT)
		return;
	if (c->n == c->cap) {
		c->cap = c->cap == 0 ? 256 : c->cap * 2;
		c->i = xrealloc(c->i, c->cap, sizeof *c->i);
	}
	c->i[c->n++] = (struct item){ e->st.content, seq, xstrdup(e->path),
	    e->st.sparse };
}

static void
find(struct checking *c, const struct item *i, const struct err *why)
{
	const struct originals_finding f = { .seq = i->seq,
	    .missing = why->code == ERR_NO_ID, .path = i->path,
	    .name = i->name };

	c->fn(c->arg, &f);
}

static void
check_list(struct checking *c, uint64_t seq, const struct digest *d)
{
	struct file_list l = { 0 };
	struct err e = { 0 };
	const struct item it = { .name = *d, .seq = seq };

	c->checked++;
	if (file_list_get(c->store, d, &l, &e) == -1) {
		find(c, &it, &e);
		return;
	}
	for (size_t i = 0; i < l.n; i++)
		add(c, seq, &l.e[i]);
	file_list_clear(&l);
}

/* By content, the newest record that names it first. */
static int
compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = memcmp(x->name.b, y->name.b, DIGEST_BYTES);

	return c != 0 ? c : x->seq > y->seq ? -1 : x->seq < y->seq;
}

static int
read_content(struct checking *c, const struct item *i, struct err *e)
{
	auto_close int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	auto_close int mem = i->sparse ? memfd_create("", MFD_CLOEXEC) : -1;

	if (null == -1 || (i->sparse && mem == -1))
		return err_sys(e, "cannot check the originals");
	return store_get_fd(c->store, &i->name, i->sparse,
	    i->sparse ? mem : null, e);
}

static void
check_content(struct checking *c, const struct item *i)
{
	struct object_info info;
	struct err e = { .code = ERR_NO_ID };

	c->checked++;
	if (c->full ? read_content(c, i, &e) == -1 :
	    !store_info(c->store, &i->name, &info))
		find(c, i, &e);
}

static void
check_all(struct checking *c, const struct timeline *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct deed *d = &t->d[i];

		if (d->seq <= t->forgotten)
			continue;
		check_list(c, d->seq, &d->before);
		if (d->has_after)
			check_list(c, d->seq, &d->after);
	}
	if (c->n > 0)
		qsort(c->i, c->n, sizeof *c->i, compare);
	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || !digest_eq(&c->i[i].name, &c->i[i - 1].name))
			check_content(c, &c->i[i]);
}

/* A log that names lists, and no store. */
static void
all_gone(struct checking *c, const struct timeline *t)
{
	const struct err gone = { .code = ERR_NO_ID };

	for (size_t i = 0; i < t->n; i++)
		if (t->d[i].seq > t->forgotten) {
			const struct item it = { .name = t->d[i].before,
			    .seq = t->d[i].seq };

			find(c, &it, &gone);
		}
}

int
originals_verify(int privfd, bool full, originals_finding_fn *fn, void *arg,
    size_t *ret_checked, struct err *e)
{
	struct checking c = { .full = full, .fn = fn, .arg = arg };
	auto_timeline struct timeline t = { 0 };
	struct err why = { 0 };

	/* The store first: what the log names by then is not let go. */
	if (store_open(privfd, false, STORE_SHARED, &c.store, &why) == -1 &&
	    why.code != ERR_SETUP)
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	if (timeline_read(privfd, &t, e) == -1) {
		store_free(c.store);
		return -1;
	}
	if (c.store == NULL)
		all_gone(&c, &t);
	else
		check_all(&c, &t);
	for (size_t i = 0; i < c.n; i++)
		free(c.i[i].path);
	free(c.i);
	store_free(c.store);
	*ret_checked = c.checked;
	return 0;
}
