/* The loop: look, judge, draw, hear, do. */
#include "approver/screen_inside.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/approve.h"
#include "approver/sweep.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define SWEEP_MS	2000
#define RUNNING_MS	200
#define KEYS_MAX	256
#define DETAIL_MAX	(16 * 1024 * 1024)

extern char **environ;

static void
say_err(struct screen *s, const struct err *e)
{
	auto_free char *text = visible_line(e->text);

	model_say(&s->m, text);
}

static void
sign_off(struct screen *s, struct model_item *it)
{
	struct follow_end end = { 0 };
	struct err e = { 0 };

	if (follow_look(s->desk->home, it->id, &end, &e) == 0 &&
	    end.state == FOLLOW_RUNNING)
		s->ending = true;	/* answered, and its last file is due */
	else if (e.text[0] == '\0' && end.state != FOLLOW_NONE)
		follow_say(&end, it->end, sizeof it->end);
	else
		snprintf(it->end, sizeof it->end, "gone: withdrawn, expired "
		    "or decided elsewhere");
}

static int
sweep(struct screen *s, struct err *e)
{
	int64_t now = clock_boot_ms();

	if (now - s->swept < SWEEP_MS)
		return 0;
	s->swept = now;
	return sweep_run(s->desk, NULL, e) == -1 ? -1 :
	    audit_sync(s->desk->audit, e);
}

static int
scan(struct screen *s, struct err *e)
{
	struct entries list = { 0 };
	struct clock now;

	if (sweep(s, e) == -1 || clock_now(&now, e) == -1 ||
	    queue_list(s->desk->queue, &now, false, &list, e) == -1)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		const struct entry *en = &list.e[i];

		if (en->state == ENTRY_ANSWERED || en->state == ENTRY_CLOSED)
			continue;
		if (model_meet(&s->m, en->req.id, en->req.session,
		    en->state == ENTRY_PENDING ? AT_WAITS : AT_RUNS) == NULL)
			list.more++;
	}
	model_met(&s->m, list.more);
	entries_clear(&list);
	s->ending = false;
	for (size_t i = 0; i < s->m.n; i++)
		if (s->m.items[i].state == AT_OVER &&
		    s->m.items[i].end[0] == '\0')
			sign_off(s, &s->m.items[i]);
	return 0;
}

/* Every row once, what is focused at every look; by the rules of now. */
static void
judge(struct screen *s)
{
	struct model_item *focus = model_focused(&s->m);
	struct err e;
	bool good = desk_refresh(s->desk, &e) == 0;

	for (size_t i = 0; i < s->m.n && good; i++)
		if (!s->m.items[i].judged && s->m.items[i].state != AT_OVER)
			detail_judge(s, &s->m.items[i], false, &e);
	str_reset(&s->detail);
	s->columns = screen_columns(s);
	if (focus == NULL || focus->state == AT_WAITS)
		detail_close(s);
	if (focus == NULL)
		return;
	if (focus->state != AT_WAITS) {
		detail_run(s, focus);
		return;
	}
	if (good && detail_judge(s, focus, true, &e) == 0)
		return;
	/* What cannot be judged, or not be shown, is not approved. */
	focus->judged = false;
	str_reset(&s->detail);
	visible(e.text, strlen(e.text), VISIBLE_LINE, &s->detail);
}

static void
take_back(struct screen *s)
{
	term_take_back();
	model_hid(&s->m);
}

static void
do_decide(struct screen *s, const struct model_act *act)
{
	struct model_item *it = model_find(&s->m, act->id);
	bool deny = act->what == DO_DENY, lend = !deny && it != NULL &&
	    it->tier == TIER_CRITICAL;
	const struct deed deed = {
		.id = act->id,
		.shown = &act->digest,
		.deny = deny,
		.text = act->text[0] == '\0' ? NULL : act->text,
		.own_env = environ,
	};
	struct decided done;
	struct err e;
	int got;

	if (lend)
		term_lend();
	got = decide(s->desk, s->signer, &deed, &done, &e);
	if (lend)
		take_back(s);
	if (got == -1) {
		say_err(s, &e);
		return;
	}
	if (it != NULL && done.decision != DECISION_RUN)
		snprintf(it->end, sizeof it->end, "%s", deny ? "denied" :
		    "allowed once");
	if (s->m.said[0] == '\0')
		model_say(&s->m, deny ? "denied" : done.decision ==
		    DECISION_RUN ? "approved, running" :
		    "approved, the agent may do it once");
}

static void
act_on(struct screen *s, const struct model_act *act, bool *ret_quit)
{
	struct err e;

	switch (act->what) {
	case DO_NOTHING:
		return;
	case DO_APPROVE:
	case DO_DENY:
		do_decide(s, act);
		return;
	case DO_STOP:
		if (follow_stop(s->desk->home, act->id, &e) == -1)
			say_err(s, &e);
		else
			model_say(&s->m, "asked to stop");
		return;
	case DO_QUIT:
		*ret_quit = true;
		return;
	}
}

/* True when the terminal is gone or a person wants to leave. */
static bool
hear(struct screen *s, unsigned events, bool *ret_acted)
{
	int keys[KEYS_MAX];
	struct model_act act;
	bool quit = false;
	size_t n = term_keys(keys, ARRAY_LEN(keys));

	*ret_acted = false;
	if (n == 0)
		return (events & WATCH_INPUT) != 0 && term_is_gone();
	model_keys(&s->m, keys, n, clock_boot_ms(), &act);
	act_on(s, &act, &quit);
	*ret_acted = act.what != DO_NOTHING;
	return quit;
}

/* When something changes on the screen without a ring; -1: never. */
static int
patience(struct screen *s)
{
	int live = model_live_in(&s->m, clock_boot_ms());

	if (!s->ending && model_count(&s->m, AT_RUNS) == 0)
		return live;
	return live != -1 && live < RUNNING_MS ? live : RUNNING_MS;
}

static int
loop(struct screen *s, struct err *e)
{
	bool look = true, quit = false;

	while (!quit && !term_must_end()) {
		unsigned events;
		bool acted;

		if (look && scan(s, e) == -1)
			return -1;
		judge(s);
		screen_draw(s);
		events = watch_wait(s->watch, STDIN_FILENO, patience(s));
		if (term_must_stop()) {
			term_lend();
			raise(SIGSTOP);
			take_back(s);
		}
		quit = hear(s, events, &acted);
		look = acted || (events & WATCH_INPUT) == 0;
	}
	return 0;
}

int
screen_run(struct desk *d, struct signer *signer, struct err *e)
{
	struct screen s = { .desk = d, .signer = signer };
	int got;

	if (term_enter(e) == -1)
		return -1;
	model_init(&s.m);
	str_init(&s.detail, DETAIL_MAX);
	str_init(&s.output, 2 * 64 * 1024);
	s.watch = watch_open(d->home);
	s.swept = clock_boot_ms() - SWEEP_MS;
	got = loop(&s, e);
	term_leave();
	watch_close(s.watch);
	detail_close(&s);
	model_clear(&s.m);
	str_clear(&s.detail);
	str_clear(&s.output);
	return got;
}
