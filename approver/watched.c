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

int
watched_look(const struct watched *w, struct sightings *ret, struct err *e)
{
	struct sightings all = { 0 };
	struct clock now;

	if (clock_now(&now, e) == -1)
		return -1;
	all.lists = xcalloc(w->n, sizeof *all.lists);
	for (; all.n_lists < w->n; all.n_lists++) {
		struct entries *list = &all.lists[all.n_lists];

		if (queue_list(w->desks[all.n_lists].queue, &now, false, list,
		    e) == -1) {
			sightings_clear(&all);
			return -1;
		}
		gather(&all, (unsigned)all.n_lists, list);
	}
	if (all.n > 1)
		qsort(all.s, all.n, sizeof *all.s, by_age);
	*ret = all;
	return 0;
}

int
watched_sweep(const struct watched *w, bool busy, int64_t *last,
    struct err *e)
{
	int64_t now = clock_boot_ms();

	/* Not before the first screen: it reads all that ever ran. */
	if (*last == 0)
		*last = now - IDLE_MS + FIRST_MS;
	if (now - *last < (busy ? BUSY_MS : IDLE_MS))
		return 0;
	*last = now;
	for (size_t i = 0; i < w->n; i++)
		if (sweep_run(&w->desks[i], NULL, e) == -1 ||
		    audit_sync(w->desks[i].audit, e) == -1)
			return -1;
	for (size_t i = 0; i < w->n; i++)
		seal_log(&w->desks[i], w->signer);
	return 0;
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
