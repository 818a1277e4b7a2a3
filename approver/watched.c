#include "approver/watched.h"

#include <stdlib.h>
#include <string.h>

#include "approver/seal.h"
#include "approver/sweep.h"
#include "common/clock.h"
#include "common/mem.h"

#include "common/banned.h"

extern char **environ;

#define BUSY_MS		2000
#define IDLE_MS		300000
#define FIRST_MS	500

void
sightings_clear(struct sightings *s)
{
	for (size_t i = 0; i < s->n_lists; i++)
		entries_clear(&s->lists[i]);
	free(s->lists);
	free(s->s);
	*s = (struct sightings){ 0 };
}

static int
by_age(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;
	const char *p = x->entry->req.id, *q = y->entry->req.id;

	return id_compare(&p, &q);
}

static void
gather(struct sightings *all, unsigned place, const struct entries *list)
{
	all->s = xrealloc(all->s, all->n + list->n + 1, sizeof *all->s);
	for (size_t i = 0; i < list->n; i++)
		if (list->e[i].state != ENTRY_ANSWERED &&
		    list->e[i].state != ENTRY_CLOSED)
			all->s[all->n++] = (struct sighting){ place,
			    &list->e[i] };
	all->more += list->more;
}

static void
note(struct desk_trouble *t, const struct err *e)
{
	if (strcmp(t->text, e->text) == 0)
		return;
	*t = (struct desk_trouble){ .told = false };
	memcpy(t->text, e->text, sizeof t->text);
}

static int
look(struct desk *d, const struct clock *now, struct entries *ret,
    struct err *e)
{
	if (home_still_here(d->home, e) == 0 &&
	    queue_list(d->queue, now, false, ret, e) == 0) {
		d->looking.text[0] = '\0';
		return 0;
	}
	note(&d->looking, e);
	return -1;
}

int
watched_look(const struct watched *w, struct sightings *ret, struct err *e)
{
	struct sightings all = { 0 };
	struct clock now;
	struct err one = { 0 };
	size_t lost = 0;

	if (clock_now(&now, e) == -1)
		return -1;
	all.lists = xcalloc(w->n, sizeof *all.lists);
	for (; all.n_lists < w->n; all.n_lists++) {
		struct entries *list = &all.lists[all.n_lists];

		if (look(&w->desks[all.n_lists], &now, list, &one) == 0)
			gather(&all, (unsigned)all.n_lists, list);
		else
			lost++;
	}
	if (lost == w->n) {
		sightings_clear(&all);
		*e = one;
		return -1;
	}
	if (all.n > 1)
		qsort(all.s, all.n, sizeof *all.s, by_age);
	*ret = all;
	return 0;
}

static int
sweep(struct desk *d, struct err *e)
{
	if (sweep_run(d, NULL, e) == 0 && audit_sync(d->audit, e) == 0) {
		d->sweeping.text[0] = '\0';
		return 0;
	}
	note(&d->sweeping, e);
	return -1;
}

int
watched_sweep(const struct watched *w, bool busy, int64_t *last,
    struct err *e)
{
	int64_t now = clock_boot_ms();
	struct err one = { 0 };
	size_t lost = 0;

	/* Not before the first screen: it reads all that ever ran. */
	if (*last == 0)
		*last = now - IDLE_MS + FIRST_MS;
	if (now - *last < (busy ? BUSY_MS : IDLE_MS))
		return 0;
	*last = now;
	for (size_t i = 0; i < w->n; i++)
		if (sweep(&w->desks[i], &one) == 0)
			seal_log(&w->desks[i], w->signer);
		else
			lost++;
	if (lost < w->n)
		return 0;
	*e = one;
	return -1;
}

bool
watched_is_lost(const struct watched *w, unsigned place)
{
	return w->desks[place].looking.text[0] != '\0';
}

bool
watched_trouble(const struct watched *w, struct err *ret)
{
	for (size_t i = 0; i < w->n; i++) {
		struct desk *d = &w->desks[i];
		bool lost = d->looking.text[0] != '\0' && !d->looking.told;
		struct desk_trouble *t = lost ? &d->looking : &d->sweeping;

		if (t->told || t->text[0] == '\0')
			continue;
		t->told = true;
		err_set(ret, ERR_SETUP, "not %s, %.200s: %s", lost ?
		    "watched" : "tidied", t->text, d->home->root_path);
		return true;
	}
	return false;
}

int
watched_decide(const struct watched *on, unsigned place, struct deed *deed,
    struct decided *ret, struct err *e)
{
	deed->own_env = environ;
	if (deed->deny)
		deed->remember = NULL;
	return decide(&on->desks[place], on->signer, deed, ret, e);
}

const char *
watched_said(const struct deed *deed, const struct decided *done)
{
	return deed->deny ? "denied" : done->decision == DECISION_RUN ?
	    "approved, running" : "approved, the agent may do it once";
}

const struct home **
watched_homes(const struct watched *w)
{
	const struct home **homes = xcalloc(w->n, sizeof *homes);

	for (size_t i = 0; i < w->n; i++)
		homes[i] = w->desks[i].home;
	return homes;
}
