/* The text of one item, and the row that stands for it. */
#include "approver/screen_inside.h"

#include <stdio.h>
#include <string.h>

#include "approver/fold.h"
#include "approver/show.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define OUTPUT_KEPT	(64 * 1024)

static void
row_of(const struct showing *s, struct str *ret)
{
	const struct request *req = s->view->req;
	auto_str struct str summary = { 0 };

	str_init(&summary, 1024);
	show_summary(req, &summary);
	str_addf(ret, "%.4s ", req->id);
	visible(req->agent, strnlen(req->agent, 12), VISIBLE_LINE, ret);
	str_addc(ret, '/');
	visible(req->session, strnlen(req->session, 4), VISIBLE_LINE, ret);
	str_add(ret, s->waiter ? "  " : " (gone)  ");
	if (s->view->outside)
		str_add(ret, "[elsewhere] ");
	visible(summary.s, summary.len, VISIBLE_LINE, ret);
}

static void
put(struct screen *s, const struct str *text)
{
	auto_str struct str plain = { 0 };

	str_init(&plain, s->detail.max);
	term_text(text->s, text->len, &plain);
	str_reset(&s->detail);
	s->detail.full = plain.full;
	fold(plain.s, plain.len, s->columns, &s->detail);
}

int
detail_judge(struct screen *s, struct model_item *it, bool detail,
    struct err *e)
{
	struct request req = { 0 };
	struct view view;
	struct showing show = { .home = s->desk->home, .view = &view,
	    .options = "" };
	auto_str struct str row = { 0 }, text = { 0 };
	int got;

	if (queue_read(s->desk->queue, it->id, &req, &show.state,
	    &show.waiter, e) == -1)
		return -1;
	got = clock_now(&show.now, e);
	if (got == 0)
		got = view_make(s->desk, &req, &view, e);
	if (got == 0) {
		str_init(&row, 4096);
		row_of(&show, &row);
		model_judged(it, view.tier, &view.digest, row.s);
		if (detail) {
			str_init(&text, s->detail.max / 4);
			show_detail(&show, &text);
			put(s, &text);
			/* Cut short, it would pass for all of it. */
			if (text.full || s->detail.full)
				got = err_set(e, ERR_FORMAT, "more text than "
				    "this screen can show: `sandbox show`");
		}
		view_clear(&view);
	}
	request_clear(&req);
	return got;
}

/* The end of what it says is what a person wants to see. */
static int
keep(void *arg, int fd, const char *text, size_t len, struct err *e)
{
	struct screen *s = arg;
	size_t drop;

	(void)fd;
	(void)e;
	if (len > OUTPUT_KEPT) {
		s->dropped += len - OUTPUT_KEPT;
		text += len - OUTPUT_KEPT;
		len = OUTPUT_KEPT;
		/* Not in the midst of a character. */
		while (len > 0 && (*text & 0xc0) == 0x80) {
			text++;
			len--;
		}
	}
	drop = s->output.len + len > OUTPUT_KEPT ?
	    s->output.len + len - OUTPUT_KEPT : 0;
	while (drop < s->output.len && drop > 0 &&
	    (s->output.s[drop] & 0xc0) == 0x80)
		drop++;
	if (drop > 0) {
		s->dropped += drop;
		s->output.len -= drop;
		memmove(s->output.s, s->output.s + drop, s->output.len + 1);
	}
	str_addn(&s->output, text, len);
	return 0;
}

void
detail_close(struct screen *s)
{
	follow_close(s->follow);
	s->follow = NULL;
	s->follow_id[0] = '\0';
	str_reset(&s->output);
	s->dropped = 0;
}

void
detail_run(struct screen *s, const struct model_item *it)
{
	struct follow_end end = { 0 };
	auto_str struct str text = { 0 };
	char how[64] = "";
	struct err e;

	if (strcmp(s->follow_id, it->id) != 0) {
		detail_close(s);
		snprintf(s->follow_id, sizeof s->follow_id, "%s", it->id);
		if (follow_open(s->desk->home, it->id, keep, s, &s->follow,
		    &e) == -1)
			s->follow = NULL;	/* it never ran here */
	}
	str_init(&text, 4 * OUTPUT_KEPT);
	if (s->follow != NULL && follow_more(s->follow, &end, &e) == 0 &&
	    end.state != FOLLOW_NONE)
		follow_say(&end, how, sizeof how);
	str_addf(&text, "%s\n%s\n\n", it->state == AT_OVER && it->end[0] !=
	    '\0' ? it->end : how[0] != '\0' ? how : "being decided",
	    it->line == NULL ? "" : it->line);
	if (s->dropped > 0)
		str_addf(&text, "[%zu bytes before: sandbox output %s]\n",
		    s->dropped, it->id);
	str_addn(&text, s->output.s, s->output.len);
	put(s, &text);
}
