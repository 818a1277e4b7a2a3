#include "audit/originals/change.h"

#include <string.h>

#include "common/diff.h"
#include "common/mem.h"

#include "common/banned.h"

const char *
change_word(const struct change *c)
{
	if (c->now == NULL)
		return "unconfirmed";
	if (c->was->kind == FILE_ABSENT)
		return "created";
	if (c->now->kind == FILE_ABSENT)
		return "deleted";
	if (c->was->kind != c->now->kind)
		return "replaced";
	if (c->was->kind == FILE_DIR || (c->was->kind == FILE_REGULAR &&
	    c->was->lost == LOST_NOT && c->now->lost == LOST_NOT &&
	    digest_eq(&c->was->content, &c->now->content)))
		return "mode";
	return "changed";
}

bool
change_is_kept(const struct timeline *t, const struct deed *d)
{
	return d->kind != DEED_BASELINE && d->seq > t->forgotten;
}

int
change_each(struct store *store, const struct deed *d, change_fn *fn,
    void *arg, struct err *e)
{
	static const struct file_state nothing = { 0 };
	struct deed_lists l = { 0 };
	int rc = 0;

	if (deed_read(store, d, &l, e) == -1)
		return -1;
	for (size_t i = 0; i < l.now.n && rc == 0; i++) {
		const struct file_entry *was = file_list_find(&l.was,
		    l.now.e[i].path);
		const struct change c = { d, l.now.e[i].path,
		    was == NULL ? &nothing : &was->st, &l.now.e[i].st };

		rc = fn(arg, &c, e);
	}
	for (size_t i = 0; i < l.was.n && rc == 0 && d->done_ms == 0; i++) {
		const struct change c = { d, l.was.e[i].path,
		    &l.was.e[i].st, NULL };

		rc = fn(arg, &c, e);
	}
	deed_lists_clear(&l);
	return rc;
}

/* 0 and the text; 1: there is none to show. */
static int
text_of(struct store *store, const struct file_state *s, struct str *ret,
    struct err *e)
{
	str_init(ret, CHANGE_TEXT);
	if (s->kind == FILE_LINK)
		str_add(ret, s->link);
	if (s->kind != FILE_REGULAR)
		return 0;
	if (s->lost != LOST_NOT || s->sparse || s->size > CHANGE_TEXT)
		return 1;
	if (store_get(store, &s->content, CHANGE_TEXT, ret, e) == -1)
		return -1;
	return memchr(ret->s, '\0', ret->len) == NULL ? 0 : 1;
}

int
change_diff(struct store *store, const struct change *c, struct str *ret,
    struct err *e)
{
	auto_str struct str was = { 0 }, now = { 0 };
	int a, b;

	if (c->now == NULL)
		return 0;
	a = text_of(store, c->was, &was, e);
	b = a == -1 ? -1 : text_of(store, c->now, &now, e);
	if (b == -1)
		return err_add(e, "'%s'", c->path);
	if (a == 1 || b == 1)
		return 1;
	diff_lines(c->path, &was, &now, ret);
	return 0;
}
