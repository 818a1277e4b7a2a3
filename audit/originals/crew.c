#include "audit/originals/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "audit/originals/packing.h"

#include "common/banned.h"

#define CREW_MAX	8
/* In a row: neighbours lie in one folder, which only one can change at once. */
#define CHUNK		32

struct crew {
	crew_fn		*fn;
	void		*arg;
	size_t		 n;
	atomic_size_t	 next;
};

static void *
work(void *arg)
{
	struct crew *c = arg;
	size_t from;

	while ((from = atomic_fetch_add(&c->next, CHUNK)) < c->n)
		for (size_t i = from; i < c->n && i < from + CHUNK; i++)
			c->fn(c->arg, i);
	return NULL;
}

static void *
hand(void *arg)
{
	work(arg);
	packing_release();
	return NULL;
}

void
crew_run(size_t n, crew_fn *fn, void *arg)
{
	struct crew c = { .fn = fn, .arg = arg, .n = n };
	size_t want = n / CHUNK < CREW_MAX ? n / CHUNK : CREW_MAX, got = 0;
	pthread_t hands[CREW_MAX];

	/* Without a thread the one there is does all of it. */
	while (got + 1 < want &&
	    pthread_create(&hands[got], NULL, hand, &c) == 0)
		got++;
	work(&c);
	for (size_t i = 0; i < got; i++)
		pthread_join(hands[i], NULL);
}
