/* The text of one item, and the row that stands for it. */
#include "approver/screen_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/approve.h"
#include "approver/fold.h"
#include "approver/show.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define POLICY_MAX	(1024 * 1024)

/* Which project, where there are several. */
static void
add_project(const struct screen *s, unsigned place, struct str *ret)
{
	const char *root = s->on->desks[place].home->root_path;
	const char *slash = strrchr(root, '/');

	if (s->on->n == 1)
		return;
	str_addc(ret, '[');
	visible(slash == NULL ? root : slash + 1, strnlen(slash == NULL ?
	    root : slash + 1, 16), VISIBLE_LINE, ret);
	str_add(ret, "] ");
}

static void
row_of(const struct showing *s, struct str *ret)
{
	const struct request *req = s->view->req;
	auto_str struct str summary = { 0 };

	str_addf(ret, "%.4s ", req->id);
	visible(req->agent, strnlen(req->agent, 12), VISIBLE_LINE, ret);
	str_addc(ret, '/');
	visible(req->session, strnlen(req->session, 4), VISIBLE_LINE, ret);
	str_add(ret, s->waiter ? "  " : " (gone)  ");
	if (s->view->outside)
		str_add(ret, "[elsewhere] ");
	str_init(&summary, 1024);
	if (s->view->edited != NULL)
		str_addf(&summary, "%.200s", s->view->edited);
	else
		summary_line(req, &summary);
	visible(summary.s, summary.len, VISIBLE_LINE, ret);
}

void
detail_fold(struct screen *s, const struct str *text)
{
	auto_str struct str plain = { 0 };

	str_init(&plain, s->detail.max);
	paint_text(text->s, text->len, &plain);
	str_reset(&s->detail);
	s->detail.full = plain.full;
	fold(plain.s, plain.len, s->columns, &s->detail);
}

/* What would be remembered, above everything else. */
static int
add_wish(struct screen *s, struct model_item *it, const struct showing *show,
    struct str *ret)
{
	struct remembered r = { 0 };
	const char *until;
	struct err e;

	if (it->wish == NULL)
		return 0;
	if (remember_prepare(&s->on->desks[it->place], show->view->req,
	    it->wish, &show->now, &r, &e) == -1) {
		free(it->wish);
		it->wish = NULL;
		screen_say_err(s, &e);
		return -1;
	}
	until = strchr(it->wish, ':');
	str_addf(ret, "REMEMBERS %s, %s%s%s: ", remember_scope_name(r.scope),
	    until == NULL ? "" : until + 1, until == NULL ||
	    !r.has_session ? "" : ", ", r.has_session ? "in this session" :
	    "");
	visible(r.what, strlen(r.what), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
	remembered_clear(&r);
	return 0;
}

static void
judged(const struct screen *s, struct model_item *it,
    const struct showing *show)
{
	const struct view *v = show->view;
	auto_str struct str row = { 0 };
	char like[sizeof it->like];
	bool ours = v->executor != NULL && v->executor->start != NULL;

	str_init(&row, 4096);
	add_project(s, it->place, &row);
	row_of(show, &row);
	summary_like(v->req, like, sizeof like);
	model_judged(it, &(struct model_look){
		.tier = v->tier, .digest = &v->digest, .line = row.s,
		.command = ours ? json_str(v->req->input, "command") : NULL,
		.like = like,
	});
}

static int
write_detail(struct screen *s, struct model_item *it,
    const struct showing *show, struct err *e)
{
	auto_str struct str text = { 0 };

	str_init(&text, s->detail.max / 4);
	/* A wish that cannot be: the item is what it was without it. */
	if (add_wish(s, it, show, &text) == -1)
		judged(s, it, show);
	show_detail(show, &text);
	detail_fold(s, &text);
	/* Cut short, it would pass for all of it. */
	return text.full || s->detail.full ? err_set(e, ERR_FORMAT, "more text "
	    "than this screen can show: `sandbox show`") : 0;
}

int
detail_judge(struct screen *s, struct model_item *it, bool detail,
    struct err *e)
{
	struct desk *desk = &s->on->desks[it->place];
	struct request req = { 0 };
	struct view view;
	struct showing show = { .home = desk->home,
	    .history = desk->history, .queue = desk->queue,
	    .policy = desk->policy, .view = &view,
	    .options = "" };
	int got;

	if (queue_read(desk->queue, it->id, &req, &show.state, &show.waiter,
	    e) == -1)
		return -1;
	got = clock_now(&show.now, e);
	if (got == 0)
		got = view_make_edited(desk, &req, it->edited, &view, e);
	if (got == 0) {
		judged(s, it, &show);
		if (detail)
			got = write_detail(s, it, &show, e);
		view_clear(&view);
	}
	request_clear(&req);
	return got;
}

/* --- pages --- */

static void
add_policy(const struct home *home, struct str *ret)
{
	auto_str struct str text = { 0 };
	auto_free char *root = visible_line(home->root_path);
	const char *rules;

	str_init(&text, POLICY_MAX);
	str_addf(ret, "the rules in force in %s\n\n", root);
	if (fs_read_own(home->view, "policy.accepted", POLICY_MAX, &text,
	    NULL) == -1) {
		str_add(ret, "  nothing was accepted yet: the built-in strict "
		    "rules\n\n");
		return;
	}
	/* The seal is a line of its own. */
	rules = memchr(text.s, '\n', text.len);
	rules = rules == NULL ? text.s : rules + 1;
	visible(rules, text.len - (size_t)(rules - text.s), VISIBLE_TEXT, ret);
	str_addc(ret, '\n');
}

void
detail_rules(struct screen *s)
{
	auto_str struct str text = { 0 };

	str_init(&text, s->detail.max);
	for (size_t i = 0; i < s->on->n; i++)
		add_policy(s->on->desks[i].home, &text);
	detail_fold(s, &text);
}

void
detail_help(struct screen *s)
{
	auto_str struct str text = { 0 };

	str_init(&text, s->detail.max);
	for (size_t i = 0; model_help[i] != NULL; i++)
		str_addf(&text, "%s\n", model_help[i]);
	detail_fold(s, &text);
}
