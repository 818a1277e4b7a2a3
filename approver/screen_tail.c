/* The end of what runs say, as the detail and as the third column. */
#include "approver/screen_inside.h"

#include <stdio.h>
#include <string.h>

#include "approver/fold.h"
#include "common/mem.h"

#include "common/banned.h"

#define OUTPUT_KEPT	(64 * 1024)

/* The end of what it says is what a person wants to see. */
static int
keep(void *arg, int fd, const char *text, size_t len, struct err *e)
{
	struct tail *t = arg;
	size_t drop;

	(void)fd;
	(void)e;
	if (len > OUTPUT_KEPT) {
		t->dropped += len - OUTPUT_KEPT;
		text += len - OUTPUT_KEPT;
		len = OUTPUT_KEPT;
		/* Not in the midst of a character. */
		while (len > 0 && (*text & 0xc0) == 0x80) {
			text++;
			len--;
		}
	}
	drop = t->output.len + len > OUTPUT_KEPT ?
	    t->output.len + len - OUTPUT_KEPT : 0;
	while (drop < t->output.len && drop > 0 &&
	    (t->output.s[drop] & 0xc0) == 0x80)
		drop++;
	if (drop > 0) {
		t->dropped += drop;
		t->output.len -= drop;
		memmove(t->output.s, t->output.s + drop, t->output.len + 1);
	}
	str_addn(&t->output, text, len);
	return 0;
}

void
tail_close(struct tail *t)
{
	follow_close(t->follow);
	if (t->output.s != NULL)
		str_clear(&t->output);
	*t = (struct tail){ 0 };
}

/* What it said so far; how it stands into `how`, "" when that is not known. */
static void
tail_read(const struct screen *s, struct tail *t, const struct model_item *it,
    char *how, size_t len)
{
	const struct home *home = s->on->desks[it->place].home;
	struct follow_end end = { 0 };
	struct err e;

	if (strcmp(t->id, it->id) != 0 || t->place != it->place) {
		tail_close(t);
		t->place = it->place;
		snprintf(t->id, sizeof t->id, "%s", it->id);
		str_init(&t->output, 2 * OUTPUT_KEPT);
		if (follow_open(home, it->id, keep, t, &t->follow, &e) == -1)
			t->follow = NULL;	/* it never ran here */
	}
	if (t->follow != NULL && follow_more(t->follow, &end, &e) == 0 &&
	    end.state != FOLLOW_NONE)
		follow_say(&end, how, len);
}

static void
write_tail(const struct screen *s, struct tail *t,
    const struct model_item *it, struct str *ret)
{
	auto_str struct str text = { 0 }, plain = { 0 };
	char how[64] = "";
	bool side = ret == &s->side_text;

	tail_read(s, t, it, how, sizeof how);
	str_init(&text, 4 * OUTPUT_KEPT);
	str_init(&plain, ret->max);
	str_addf(&text, "%s\n%s\n\n", it->state == AT_OVER && it->end[0] !=
	    '\0' ? it->end : how[0] != '\0' ? how : "being decided",
	    it->line == NULL ? "" : it->line);
	if (t->dropped > 0)
		str_addf(&text, "[%zu bytes before: sandbox output %s]\n",
		    t->dropped, it->id);
	str_addn(&text, t->output.s, t->output.len);
	paint_text(text.s, text.len, &plain);
	str_reset(ret);
	fold(plain.s, plain.len, side ? screen_side_columns(s) : s->columns,
	    ret);
}

void
detail_run(struct screen *s, const struct model_item *it)
{
	write_tail(s, &s->own, it, &s->detail);
}

/* The newest that runs, where there is a column for it. */
void
detail_side(struct screen *s)
{
	const struct model_item *run = NULL;

	for (size_t i = 0; i < s->m.n; i++)
		if (s->m.items[i].state == AT_RUNS &&
		    !model_has_focus(&s->m, &s->m.items[i]))
			run = &s->m.items[i];
	str_reset(&s->side_text);
	if (run == NULL || screen_side_columns(s) == 0)
		tail_close(&s->side);
	else
		write_tail(s, &s->side, run, &s->side_text);
}
