/* The loop: look, judge, draw, hear, do. */
#include "approver/screen_inside.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define RUNNING_MS	200
#define KEYS_MAX	256
#define PAST_ROWS	128
#define DETAIL_MAX	(16 * 1024 * 1024)
#define CHAIN_MAX	(64 * 1024)

static void
sign_off(struct screen *s, struct model_item *it)
{
	struct follow_end end = { 0 };
	struct err e = { 0 };

	if (follow_look(s->on->desks[it->place].home, it->id, &end, &e) == 0 &&
	    end.state == FOLLOW_RUNNING)
		s->ending = true;	/* answered, and its last file is due */
	else if (e.text[0] == '\0' && end.state != FOLLOW_NONE)
		follow_say(&end, it->end, sizeof it->end);
	else
		snprintf(it->end, sizeof it->end, "gone: withdrawn, expired "
		    "or decided elsewhere");
}

static void
meet(struct screen *s, const struct sighting *seen, size_t *more)
{
	const struct request *req = &seen->entry->req;
	struct model_item *it = model_meet(&s->m, seen->place, req->id,
	    req->session, seen->entry->state == ENTRY_PENDING ? AT_WAITS :
	    AT_RUNS);

	if (it == NULL) {
		(*more)++;
		return;
	}
	it->since_ms = req->created_boot_ms;
	snprintf(it->tool, sizeof it->tool, "%s", req->tool);
}

static int
scan(struct screen *s, struct err *e)
{
	struct sightings seen;
	bool busy = model_count(&s->m, AT_RUNS) > 0;
	struct err lost;

	if (watched_sweep(s->on, busy, &s->swept, e) == -1 ||
	    watched_look(s->on, &seen, e) == -1)
		return -1;
	for (size_t i = 0; i < seen.n; i++)
		meet(s, &seen.s[i], &seen.more);
	for (size_t i = 0; i < s->m.n; i++)
		if (watched_is_lost(s->on, s->m.items[i].place))
			s->m.items[i].met = true;
	model_met(&s->m, seen.more);
	sightings_clear(&seen);
	if (watched_trouble(s->on, &lost))
		screen_say_err(s, &lost);
	s->ending = false;
	for (size_t i = 0; i < s->m.n; i++)
		if (s->m.items[i].state == AT_OVER &&
		    s->m.items[i].end[0] == '\0')
			sign_off(s, &s->m.items[i]);
	return 0;
}

static struct notify_state
waiting(const struct screen *s)
{
	struct notify_state st = NOTIFY_STATE;

	for (size_t i = 0; i < s->m.n; i++) {
		const struct model_item *it = &s->m.items[i];

		if (it->state != AT_WAITS || it->put_off || !it->judged)
			continue;
		notify_count(&st, it->tier, it->tool, it->id);
	}
	return st;
}

/* True when the terminal is gone or a person wants to leave. */
static bool
hear(struct screen *s, unsigned events, bool *ret_acted)
{
	int keys[KEYS_MAX];
	struct model_act act;
	size_t n = term_keys(keys, ARRAY_LEN(keys));

	*ret_acted = false;
	if (n == 0)
		return (events & WATCH_INPUT) != 0 && term_is_gone();
	model_keys(&s->m, keys, n, clock_boot_ms(), &act);
	*ret_acted = act.what != DO_NOTHING;
	return screen_act(s, &act);
}

static int
sooner(int a, int b)
{
	return a == -1 || (b != -1 && b < a) ? b : a;
}

/* When something changes on the screen without a ring; -1: never. */
static int
patience(struct screen *s)
{
	const struct notify_state st = waiting(s);
	int64_t now = clock_boot_ms();
	int ms = sooner(model_live_in(&s->m, now),
	    notify_patience(&s->notify, s->on->notify, &st, now));

	return s->ending || model_count(&s->m, AT_RUNS) > 0 ?
	    sooner(ms, RUNNING_MS) : ms;
}

static int
loop(struct screen *s, struct err *e)
{
	bool look = true, quit = false;

	while (!quit && !term_must_end()) {
		struct notify_state st;
		unsigned events;
		bool acted;

		if (look && scan(s, e) == -1)
			return -1;
		shelf_look(s);
		screen_judge(s);
		screen_draw(s);
		st = waiting(s);
		notify_now(&s->notify, s->on->notify, &st);
		events = watch_wait(s->watch, STDIN_FILENO, patience(s));
		if (term_must_stop()) {
			term_lend();
			raise(SIGSTOP);
			screen_take_back(s);
		}
		quit = hear(s, events, &acted);
		look = acted || (events & WATCH_INPUT) == 0;
	}
	return 0;
}

struct past_rows {
	struct screen	*s;
	unsigned	 place;
};

static void
add_past(void *arg, const struct decided_before *d)
{
	struct past_rows *rows = arg;
	struct model_item *it = model_meet(&rows->s->m, rows->place, d->id,
	    d->session, AT_OVER);

	if (it == NULL)
		return;
	it->line = visible_line(d->line.s);
	snprintf(it->end, sizeof it->end, "%s", d->how);
}

/* What was over before this watch began; never more than a few. */
static void
remember_past(struct screen *s)
{
	for (size_t i = 0; i < s->on->n; i++) {
		const struct desk *d = &s->on->desks[i];
		struct past_rows rows = { s, (unsigned)i };

		history_each(d->home, d->queue, PAST_ROWS / s->on->n, add_past,
		    &rows);
	}
}

int
screen_run(const struct watched *on, struct err *e)
{
	struct screen s = { .on = on };
	const struct home **homes;
	int got;

	if (term_enter(e) == -1)
		return -1;
	homes = watched_homes(on);
	model_init(&s.m);
	str_init(&s.detail, DETAIL_MAX);
	str_init(&s.side_text, DETAIL_MAX);
	remember_past(&s);
	s.shelf.homes = homes;
	str_init(&s.shelf.chain, CHAIN_MAX);
	s.watch = watch_open(homes, on->n);
	got = loop(&s, e);
	term_leave();
	watch_close(s.watch);
	tail_close(&s.own);
	tail_close(&s.side);
	shelf_close(&s.shelf);
	model_clear(&s.m);
	str_clear(&s.detail);
	str_clear(&s.side_text);
	free(homes);
	return got;
}
