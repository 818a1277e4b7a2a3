#include "approver/changed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/human.h"
#include "audit/originals/change.h"
#include "audit/originals/undo.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

/* --- rows ---------------------------------------------------------------- */

struct gather {
	struct changed	*to;
	unsigned	 place;
	size_t		 max;		/* rows of this place */
	size_t		 n;
};

static void
name_row(const struct deed *d, struct changed_row *r)
{
	struct digest path, all[4] = { 0 };
	char hex[DIGEST_HEX + 1];
	uint64_t seq = d->seq;

	digest_of(r->path, strlen(r->path), NULL, &path);
	digest_hex(&path, hex);
	snprintf(r->id, sizeof r->id, "%" PRIu64 "-%.12s", seq, hex);
	memcpy(all[0].b, &seq, sizeof seq);
	all[1] = path;
	all[2] = d->before;
	all[3] = d->after;
	digest_of(all, sizeof all, NULL, &r->digest);
}

static void
write_row(const struct change *c, struct changed_row *r)
{
	auto_str struct str text = { 0 };
	char when[CLOCK_NEAR];

	str_init(&text, 16384);
	clock_near(c->deed->wall_ms, when);
	str_addf(&text, "%6" PRIu64 "  %5s  %-11s  ", c->deed->seq, when,
	    change_word(c));
	visible(c->path, strlen(c->path), VISIBLE_LINE, &text);
	if (c->deed->kind == DEED_RESTORE) {
		str_add(&text, "  (restore)");
	} else {
		str_add(&text, "  (");
		visible(c->deed->tool, strnlen(c->deed->tool, 40),
		    VISIBLE_LINE, &text);
		str_add(&text, ", ");
		visible(c->deed->session, strnlen(c->deed->session, 8),
		    VISIBLE_LINE, &text);
		str_addc(&text, ')');
	}
	r->line = xstrdup(text.s);
}

static int
add_row(void *arg, const struct change *c, struct err *e)
{
	struct gather *g = arg;
	struct changed *to = g->to;
	struct changed_row *r;

	(void)e;
	if (g->n == g->max)
		return 0;
	to->row = xrealloc(to->row, to->n + 1, sizeof *to->row);
	r = &to->row[to->n++];
	*r = (struct changed_row){ .place = g->place, .seq = c->deed->seq,
		.wall_ms = c->deed->wall_ms, .path = xstrdup(c->path) };
	snprintf(r->session, sizeof r->session, "%s", c->deed->session);
	name_row(c->deed, r);
	write_row(c, r);
	g->n++;
	return 0;
}

static int
read_place(struct changed *c, unsigned place, size_t max, struct err *e)
{
	const struct home *home = c->homes[place];
	struct gather g = { .to = c, .place = place, .max = max };
	struct timeline *t = &c->time[place];
	struct store *store = NULL;
	int rc;

	if (store_open(home->priv, false, STORE_SHARED, &store, e) == -1)
		return e->code == ERR_SETUP ? 0 : -1;
	rc = timeline_read(home->priv, t, e);
	for (size_t i = t->n; rc == 0 && i-- > 0 && g.n < max;)
		if (change_is_kept(t, &t->d[i]))
			rc = change_each(store, &t->d[i], add_row, &g, e);
	store_free(store);
	return rc;
}

/* The newest first; of one deed in the order of its list. */
static int
newer(const void *a, const void *b)
{
	const struct changed_row *x = a, *y = b;

	if (x->wall_ms != y->wall_ms)
		return x->wall_ms < y->wall_ms ? 1 : -1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void
row_clear(struct changed_row *r)
{
	free(r->path);
	free(r->line);
}

static void
order(struct changed *c, size_t max)
{
	if (c->n > 1)
		qsort(c->row, c->n, sizeof *c->row, newer);
	while (c->n > max)
		row_clear(&c->row[--c->n]);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = i; k-- > 0 && c->row[i].again == 0;)
			if (c->row[k].place == c->row[i].place &&
			    strcmp(c->row[k].path, c->row[i].path) == 0)
				c->row[i].again = c->row[k].seq;
}

int
changed_read(const struct home *const *homes, size_t n, size_t max,
    struct changed *ret, struct err *e)
{
	struct changed c = { .homes = homes, .n_homes = n,
		.time = xcalloc(n, sizeof *c.time) };

	for (size_t i = 0; i < n; i++)
		if (read_place(&c, (unsigned)i, max, e) == -1) {
			changed_clear(&c);
			return -1;
		}
	order(&c, max);
	*ret = c;
	return 0;
}

void
changed_clear(struct changed *c)
{
	for (size_t i = 0; i < c->n; i++)
		row_clear(&c->row[i]);
	for (size_t i = 0; i < c->n_homes; i++)
		timeline_clear(&c->time[i]);
	free(c->row);
	free(c->time);
	*c = (struct changed){ 0 };
}

const struct changed_row *
changed_find(const struct changed *c, unsigned place, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].place == place &&
		    strcmp(c->row[i].id, id) == 0)
			return &c->row[i];
	return NULL;
}

static const struct deed *
deed_of(const struct timeline *t, uint64_t seq)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->d[i].seq == seq && t->d[i].kind != DEED_BASELINE)
			return &t->d[i];
	return NULL;
}

/* --- one of them --------------------------------------------------------- */

struct wanted {
	const struct changed_row *row;
	struct store		*store;
	struct str		*ret;
	bool			 found;
};

static void
line(struct str *ret, const char *label, const char *text)
{
	if (text[0] == '\0')
		return;
	str_addf(ret, "%-8s ", label);
	visible(text, strlen(text), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
}

static void
write_head(const struct change *c, const struct changed_row *row,
    struct str *ret)
{
	const struct deed *d = c->deed;
	char when[21];

	clock_format(d->wall_ms, when);
	str_addf(ret, "%s ", change_word(c));
	visible(c->path, strlen(c->path), VISIBLE_LINE, ret);
	str_addf(ret, "\n%-8s %" PRIu64 ", %s%s\n", "change", d->seq, when,
	    d->kind == DEED_RESTORE ? ", a restore" : "");
	line(ret, "session", d->session);
	line(ret, "agent", d->agent);
	line(ret, "tool", d->tool);
	line(ret, "call", d->summary);
	line(ret, "request", d->id);
	if (c->was->lost != LOST_NOT)
		line(ret, "not kept", file_lost_name(c->was->lost));
	if (row->again != 0)
		str_addf(ret, "%-8s changed again by change %" PRIu64 "\n",
		    "since", row->again);
	str_addc(ret, '\n');
}

static int
write_change(void *arg, const struct change *c, struct err *e)
{
	struct wanted *w = arg;
	int got;

	if (strcmp(c->path, w->row->path) != 0)
		return 0;
	w->found = true;
	write_head(c, w->row, w->ret);
	got = change_diff(w->store, c, w->ret, e);
	if (got == 1)
		str_add(w->ret, "(no text, too long to show, or not kept)\n");
	return got == -1 ? -1 : 0;
}

int
changed_text(const struct changed *c, const struct changed_row *row,
    struct str *ret, struct err *e)
{
	const struct deed *d = deed_of(&c->time[row->place], row->seq);
	struct wanted w = { .row = row, .ret = ret };
	int rc;

	if (d == NULL)
		return err_set(e, ERR_NO_ID, "no such change");
	if (store_open(c->homes[row->place]->priv, false, STORE_SHARED,
	    &w.store, e) == -1)
		return -1;
	rc = change_each(w.store, d, write_change, &w, e);
	store_free(w.store);
	return rc != 0 || w.found ? rc :
	    err_set(e, ERR_NO_ID, "not in that change");
}

/* --- and back ------------------------------------------------------------ */

static void
say(const struct undo *u, uint64_t seq, const char *path, struct str *ret)
{
	const char *why = u->plan.n > 0 ? u->plan.items[0].why : "";

	for (size_t i = 0; i < u->plan.n; i++)
		if (u->plan.items[i].why[0] != '\0')
			why = u->plan.items[i].why;
	if (u->plan.refused > 0) {
		str_add(ret, "NOT restored: ");
		visible(why, strlen(why), VISIBLE_LINE, ret);
	} else if (seq == 0) {
		str_add(ret, "nothing to do: it is as it was");
	} else {
		str_addf(ret, "restored; change %" PRIu64 " takes it back: ",
		    seq);
		visible(path, strlen(path), VISIBLE_LINE, ret);
	}
}

int
changed_restore(const struct home *home, const struct changed_row *row,
    struct str *ret_said, struct err *e)
{
	auto_undo struct undo u = { 0 };
	char *only[] = { row->path };
	struct restore_ask ask = { .only = only, .n_only = 1 };
	const struct deed *d;
	uint64_t seq = 0;

	if (human_only(home, e) == -1 || undo_open(&u, home->priv, home->root,
	    home->project, e) == -1)
		return -1;
	ask.store = u.store;
	ask.time = &u.time;
	d = deed_of(&u.time, row->seq);
	if (d == NULL)
		return err_set(e, ERR_NO_ID, "no such change");
	if (restore_want_deed(&ask, d, &u.want, e) == -1 ||
	    undo_plan(&u, e) == -1 ||
	    (u.plan.steps > 0 && undo_run(&u, &seq, e) == -1))
		return -1;
	say(&u, seq, row->path, ret_said);
	return 0;
}
