/* What a key wants is done: here a person's word leaves the screen. */
#include "approver/screen_inside.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/approve.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define RESULT_MS	5000	/* what an ended run still has to write */

void
screen_say_err(struct screen *s, const struct err *e)
{
	auto_free char *text = visible_line(e->text);

	model_say(&s->m, text);
}

void
screen_take_back(struct screen *s)
{
	term_take_back();
	s->m.pasting = false;		/* its end was dropped, if it came */
	model_hid(&s->m);
}

/* 0: decided; 1: that, but it is not remembered; -1: not.  Said why. */
static int
decide_item(struct screen *s, struct model_item *it, struct deed *deed)
{
	struct decided done;
	struct err e;

	deed->remember = it->wish;
	if (watched_decide(s->on, it->place, deed, &done, &e) == -1) {
		screen_say_err(s, &e);
		return -1;
	}
	if (done.decision != DECISION_RUN)
		snprintf(it->end, sizeof it->end, "%s", deed->deny ? "denied" :
		    "allowed once");
	if (done.unremembered.code != 0) {
		screen_say_err(s, &done.unremembered);
		return 1;
	}
	if (s->m.said[0] == '\0')
		model_say(&s->m, watched_said(deed, &done));
	return 0;
}

static void
do_decide(struct screen *s, const struct model_act *act)
{
	struct model_item *it = model_find(&s->m, act->place, act->id);
	struct deed deed = {
		.id = act->id,
		.shown = &act->shown,
		.deny = act->what == DO_DENY,
		.text = act->text[0] == '\0' ? NULL : act->text,
	};
	bool lend;

	if (it == NULL)
		return;
	/* A deny is of what was asked, whatever was made of it since. */
	if (deed.deny)
		deed.shown = it->edited == NULL ? deed.shown : NULL;
	else
		deed.edited = it->edited;
	lend = !deed.deny && it->tier == TIER_CRITICAL;
	if (lend)
		term_lend();
	decide_item(s, it, &deed);
	if (lend)
		screen_take_back(s);
}

/* Each is its own decision, with its own record. */
static void
do_ticked(struct screen *s)
{
	size_t n = 0;
	char text[80];

	for (size_t i = 0; i < s->m.n; i++) {
		struct model_item *it = &s->m.items[i];
		struct deed deed = { .id = it->id, .shown = &it->shown,
		    .edited = it->edited };

		if (!model_is_ticked(it))
			continue;
		it->ticked = false;
		if (decide_item(s, it, &deed) != 0)
			return;		/* what is left can be ticked again */
		s->m.said[0] = '\0';
		n++;
	}
	snprintf(text, sizeof text, "approved %zu, running", n);
	model_say(&s->m, text);
	s->m.page = PAGE_LIST;
}

static void
do_drop(struct screen *s, const struct model_act *act)
{
	size_t n = 0;
	char text[80];

	for (size_t i = 0; i < s->m.n; i++) {
		struct model_item *it = &s->m.items[i];
		struct deed deed = { .id = it->id, .deny = true };

		if (it->place != act->place || it->state != AT_WAITS ||
		    strcmp(it->session, act->text) != 0)
			continue;
		s->m.said[0] = '\0';
		if (decide_item(s, it, &deed) == -1)
			return;
		n++;
	}
	snprintf(text, sizeof text, "denied %zu of that session", n);
	model_say(&s->m, text);
}

/* --- run attached --- */

static void
tell(const char *text)
{
	auto_str struct str out = { 0 };

	str_init(&out, 8 * strlen(text) + 16);
	paint_text(text, strlen(text), &out);
	puts(out.s);
	fflush(stdout);
}

static void
tell_end(struct screen *s, const struct model_item *it)
{
	int64_t until = clock_boot_ms() + RESULT_MS;
	struct follow_end end = { 0 };
	char how[64] = "its end is not known yet", line[160];

	while (follow_look(s->on->desks[it->place].home, it->id, &end,
	    NULL) == 0 && end.state == FOLLOW_RUNNING &&
	    clock_boot_ms() < until && !term_must_end())
		poll(NULL, 0, 20);
	if (end.state != FOLLOW_NONE)
		follow_say(&end, how, sizeof how);
	snprintf(line, sizeof line, "\n-- %s -- Enter: back to the list", how);
	tell(line);
}

static void
wait_for_enter(void)
{
	char c = 0;

	while (c != '\n' && !term_must_end())
		if (read(STDIN_FILENO, &c, 1) == 0)
			return;
}

static void
do_attach(struct screen *s, const struct model_act *act)
{
	struct model_item *it = model_find(&s->m, act->place, act->id);
	auto_attach struct attach at = ATTACH_INIT;
	struct deed deed = { .id = act->id, .shown = &act->shown,
	    .attach = &at };
	bool left = true;
	struct err e;

	if (it == NULL)
		return;
	deed.edited = it->edited;
	if (attach_open(&at, &e) == -1) {
		screen_say_err(s, &e);
		return;
	}
	term_lend();
	if (decide_item(s, it, &deed) == 0) {
		tell("-- this terminal is the command's now; Ctrl-] leaves it "
		    "running");
		tell(it->line);
		if (attach_run(&at, &left, &e) == -1)
			screen_say_err(s, &e);
		else if (!left) {
			tell_end(s, it);
			wait_for_enter();
		}
	}
	screen_take_back(s);
}

bool
screen_act(struct screen *s, const struct model_act *act)
{
	struct err e;

	switch (act->what) {
	case DO_NOTHING:
		break;
	case DO_APPROVE:
	case DO_DENY:
		do_decide(s, act);
		break;
	case DO_ATTACH:
		do_attach(s, act);
		break;
	case DO_APPROVE_TICKED:
		do_ticked(s);
		break;
	case DO_DROP:
		do_drop(s, act);
		break;
	case DO_STOP:
		if (follow_stop(s->on->desks[act->place].home, act->id,
		    &e) == -1)
			screen_say_err(s, &e);
		else
			model_say(&s->m, "asked to stop");
		break;
	case DO_UNDO:
		shelf_restore(s, act);
		break;
	case DO_QUIT:
		return true;
	}
	return false;
}
