/* The keys that decide, or lead to a decision. */
#include <stdio.h>
#include <string.h>

#include "approver/model_inside.h"

#include "common/banned.h"

static void
fill(struct model *m, enum model_do what, struct model_act *ret)
{
	*ret = (struct model_act){ .what = what, .digest = m->drawn.digest };
	memcpy(ret->id, m->drawn.id, sizeof ret->id);
	ret->shown = model_focused(m)->shown;
	ret->place = m->drawn.place;
}

/* Has a person seen what they are about to allow?  Says what is missing. */
static bool
is_read(struct model *m)
{
	if (!m->drawn.whole)
		model_say(m, "look at all of it first (enter, space)");
	return m->drawn.whole;
}

void
model_do_approve(struct model *m, long critical, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	if (it->state != AT_WAITS)
		return;
	if ((it->tier == TIER_CRITICAL) != (critical == 1)) {
		model_say(m, critical == 1 ? "not critical: a approves" :
		    "critical: A approves");
		return;
	}
	if (is_read(m))
		fill(m, DO_APPROVE, ret);
}

void
model_do_attach(struct model *m, long arg, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	(void)arg;
	if (it->state != AT_WAITS)
		return;
	if (it->command == NULL)
		model_say(m, "only a command can have this terminal");
	else if (is_read(m))
		fill(m, DO_ATTACH, ret);
}

void
model_do_edit(struct model *m, long arg, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	(void)arg;
	(void)ret;
	if (it->state != AT_WAITS)
		return;
	if (it->command == NULL || strlen(it->command) > MODEL_EDIT) {
		model_say(m, "only a command that is not too long can be "
		    "edited here");
		return;
	}
	fill(m, DO_NOTHING, &m->asked);
	model_ask(m, ASK_EDIT, it->edited != NULL ? it->edited : it->command);
}

/* It decides nothing yet: what it would mean is drawn first. */
void
model_do_remember(struct model *m, long arg, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	(void)arg;
	(void)ret;
	if (it->state != AT_WAITS)
		return;
	fill(m, DO_NOTHING, &m->asked);
	model_ask(m, ASK_WISH, it->wish == NULL ? "" : it->wish);
}

/* Space goes on reading until there is nothing left to read. */
void
model_do_tick(struct model *m, long arg, struct model_act *ret)
{
	struct model_item *it = model_focused(m);

	if (!m->drawn.whole) {
		model_do_page(m, arg, ret);
		return;
	}
	it->ticked = !model_is_ticked(it);
	it->tick = m->drawn.digest;
}

void
model_do_ticked(struct model *m, long arg, struct model_act *ret)
{
	size_t n = 0;

	(void)arg;
	for (size_t i = 0; i < m->n; i++)
		n += model_is_ticked(&m->items[i]);
	if (n == 0)
		model_say(m, "nothing is ticked (space)");
	else
		ret->what = DO_APPROVE_TICKED;
}

void
model_do_deny(struct model *m, long with_reason, struct model_act *ret)
{
	if (model_focused(m)->state != AT_WAITS)
		return;
	if (with_reason == 0) {
		fill(m, DO_DENY, ret);
		return;
	}
	fill(m, DO_DENY, &m->asked);
	model_ask(m, ASK_REASON, "");
}

void
model_do_drop(struct model *m, long arg, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	(void)arg;
	(void)ret;
	if (it->state != AT_WAITS)
		return;
	fill(m, DO_DROP, &m->asked);
	snprintf(m->asked.text, sizeof m->asked.text, "%s", it->session);
	model_ask(m, ASK_DROP, "");
}

void
model_do_undo(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	(void)ret;
	if (model_focused(m)->state != AT_FILE)
		return;
	fill(m, DO_UNDO, &m->asked);
	model_ask(m, ASK_UNDO, "");
}

void
model_do_stop(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	if (model_focused(m)->state == AT_RUNS ||
	    model_focused(m)->state == AT_OVER)
		fill(m, DO_STOP, ret);
}
