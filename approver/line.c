#include "approver/line_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "approver/approve.h"
#include "approver/fold.h"
#include "approver/follow.h"
#include "approver/show.h"
#include "approver/tty.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"
#include "queue/watch.h"

#include "common/banned.h"

#define RUNNING_MS	200	/* an end is looked for this often */
#define TYPED_MAX	8192

void
line_say(size_t number, const char *text)
{
	time_t now = time(NULL);
	struct tm tm;
	char when[16] = "";
	auto_str struct str all = { 0 }, out = { 0 };

	if (localtime_r(&now, &tm) != NULL)
		strftime(when, sizeof when, "%H:%M:%S ", &tm);
	str_init(&all, strlen(text) + 64);
	str_init(&out, 4 * all.max);
	str_add(&all, when);
	if (number > 0)
		str_addf(&all, "[%zu] ", number);
	str_add(&all, text);
	fold(all.s, all.len, tty_columns(STDOUT_FILENO), &out);
	puts(out.s);
	fflush(stdout);
}

void
line_say_err(size_t number, const struct err *e)
{
	auto_free char *text = visible_line(e->text);

	line_say(number, text);
}

struct desk *
line_desk(const struct line *l, const struct item *it)
{
	return &l->on->desks[it->place];
}

static struct item *
find(struct line *l, unsigned place, const char *id)
{
	for (size_t i = l->n; i-- > 0;)
		if (l->items[i].place == place &&
		    strcmp(l->items[i].id, id) == 0)
			return &l->items[i];
	return NULL;
}

size_t
line_number(const struct line *l, const struct item *it)
{
	return (size_t)(it - l->items) + 1;
}

/* One short line says all there is to say. */
static bool
is_whole(const struct view *v, const struct request *req)
{
	auto_str struct str summary = { 0 };

	str_init(&summary, 1024);
	summary_line(req, &summary);
	return v->kind == CALL_SHELL && v->edited == NULL &&
	    strcmp(summary.s, v->subject) == 0 && !v->outside &&
	    !v->background && v->misdescribed[0] == '\0' &&
	    v->hidden + v->mixed == 0 && v->executor != NULL &&
	    v->scripts.n == 0;
}

static void
add_project(const struct line *l, const struct item *it, struct str *ret)
{
	auto_free char *root = visible_line(
	    line_desk(l, it)->home->root_path);

	if (l->on->n > 1)
		str_addf(ret, "%s: ", root);
}

/* What would be remembered; a wish that cannot be is dropped, and said. */
static void
add_wish(struct line *l, struct item *it, const struct showing *s,
    struct str *ret)
{
	struct remembered r = { 0 };
	struct err e;

	if (it->wish == NULL)
		return;
	if (remember_prepare(line_desk(l, it), s->view->req, it->wish,
	    &s->now, &r, &e) == -1) {
		free(it->wish);
		it->wish = NULL;
		line_say_err(line_number(l, it), &e);
		return;
	}
	str_addf(ret, "REMEMBERS %s: ", it->wish);
	visible(r.what, strlen(r.what), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
	remembered_clear(&r);
}

static void
print(struct line *l, struct item *it, bool full, const struct showing *s,
    struct str *ret)
{
	const struct view *v = s->view;

	it->digest = v->digest;
	it->tier = v->tier;
	snprintf(it->tool, sizeof it->tool, "%s", v->req->tool);
	it->whole = full || is_whole(v, v->req);
	if (!full) {
		add_project(l, it, ret);
		show_pending_line(s, ret);
		return;
	}
	add_wish(l, it, s, ret);
	if (v->edited == NULL)
		show_text(s, ret);
	else
		show_detail(s, ret);	/* no line to paste means that one */
}

/* Read, judge, and remember the digest of what is about to be printed. */
static int
look(struct line *l, struct item *it, bool full, struct str *ret,
    struct err *e)
{
	struct desk *desk = line_desk(l, it);
	struct request req = { 0 };
	struct view view;
	struct showing s = { .home = desk->home,
	    .history = desk->history, .queue = desk->queue, .view = &view,
	    .options = "" };
	int got;

	if (desk_refresh(desk, e) == -1 || queue_read(desk->queue, it->id,
	    &req, &s.state, &s.waiter, e) == -1)
		return -1;
	s.policy = desk->policy;	/* the old one is gone */
	got = clock_now(&s.now, e);
	if (got == 0)
		got = view_make_edited(desk, &req, it->edited, &view, e);
	if (got == 0) {
		/* A short line is folded with its number, by line_say(). */
		s.columns = full ? tty_columns(STDOUT_FILENO) : 0;
		print(l, it, full, &s, ret);
		view_clear(&view);
	}
	if (got == 0 && ret->full) {
		it->whole = false;
		got = err_set(e, ERR_FORMAT, "more text than this watch can "
		    "show: `sandbox show`");
	}
	request_clear(&req);
	return got;
}

void
line_print(struct line *l, struct item *it, bool full)
{
	auto_str struct str text = { 0 };
	struct err e;

	str_init(&text, 4 * BLOB_MAX);
	if (look(l, it, full, &text, &e) == -1) {
		line_say_err(line_number(l, it), &e);
		return;
	}
	if (text.len > 0 && text.s[text.len - 1] == '\n')
		text.s[--text.len] = '\0';
	if (full)
		line_say(line_number(l, it), "");
	if (full)
		puts(text.s);
	else
		line_say(line_number(l, it), text.s);
	fflush(stdout);
}

static void
meet(struct line *l, unsigned place, const char *id)
{
	struct item *it = find(l, place, id);

	if (it != NULL && it->state == ITEM_WAITS) {
		it->seen = true;
		return;
	}
	if (it == NULL && l->n == ITEMS_MAX && !l->full) {
		l->full = true;
		line_say(0, "no number is left for new requests: leave this "
		    "watch (q) and start another one");
	}
	if (it != NULL || l->n == ITEMS_MAX)
		return;
	it = &l->items[l->n++];
	*it = (struct item){ .place = place, .seen = true };
	memcpy(it->id, id, strlen(id) + 1);
	line_print(l, it, false);
}

static void
check_running(struct line *l, struct item *it)
{
	struct follow_end end;
	char text[64];

	if (follow_look(line_desk(l, it)->home, it->id, &end, NULL) == -1 ||
	    end.state == FOLLOW_RUNNING || end.state == FOLLOW_NONE)
		return;
	it->state = ITEM_OVER;
	follow_say(&end, text, sizeof text);
	line_say(line_number(l, it), text);
	if (end.why[0] != '\0') {
		auto_free char *why = visible_line(end.why);

		line_say(line_number(l, it), why);
	}
}

static bool
any_runs(const struct line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].state == ITEM_RUNS)
			return true;
	return false;
}

/* What was there and is not any more, what runs and may be over. */
static void
look_back(struct line *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->items[i];

		if (it->state == ITEM_RUNS)
			check_running(l, it);
		if (it->state == ITEM_WAITS && !it->seen &&
		    !watched_is_lost(l->on, it->place)) {
			it->state = ITEM_OVER;
			line_say(i + 1, "gone: withdrawn, expired or decided "
			    "elsewhere");
		}
	}
}

static int
scan(struct line *l, struct err *e)
{
	struct sightings seen;
	struct err lost;

	if (watched_sweep(l->on, any_runs(l), &l->swept, e) == -1 ||
	    watched_look(l->on, &seen, e) == -1)
		return -1;
	for (size_t i = 0; i < l->n; i++)
		l->items[i].seen = false;
	for (size_t i = 0; i < seen.n; i++)
		if (seen.s[i].entry->state == ENTRY_PENDING)
			meet(l, seen.s[i].place, seen.s[i].entry->req.id);
	if (seen.more > 0 && !l->crowded)
		line_say(0, "more wait than the policy allows and are not "
		    "listed: somebody writes requests by hand");
	l->crowded = seen.more > 0;
	sightings_clear(&seen);
	look_back(l);
	while (watched_trouble(l->on, &lost))
		line_say_err(0, &lost);
	return 0;
}

static struct notify_state
waiting(const struct line *l)
{
	struct notify_state st = NOTIFY_STATE;

	for (size_t i = 0; i < l->n; i++) {
		const struct item *it = &l->items[i];

		if (it->state != ITEM_WAITS)
			continue;
		notify_count(&st, it->tier, it->tool, it->id);
	}
	return st;
}

/* Only where somebody can hear it: a pipe gets no bell. */
static int
call_human(struct line *l)
{
	const struct notify_state st = waiting(l);
	int ms;

	notify_now(&l->notify, l->on->notify, &st);
	ms = notify_patience(&l->notify, l->on->notify, &st, clock_boot_ms());
	return any_runs(l) && (ms == -1 || ms > RUNNING_MS) ? RUNNING_MS : ms;
}

static void
hear(struct line *l, int in, struct str *typed)
{
	char buf[512];
	ssize_t n = read(in, buf, sizeof buf);

	if (n == -1 && errno == EINTR)
		return;
	if (n <= 0) {
		l->quit = true;
		return;
	}
	str_addn(typed, buf, (size_t)n);
	if (typed->full) {
		line_say(0, "that line was too long; nothing was done");
		str_reset(typed);
		return;
	}
	line_obey(l, typed);
}

/* A decision about what could not be shown would be a blind one. */
static int
can_show(struct err *e)
{
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 :
	    err_set(e, ERR_SYSTEM, "cannot write to stdout: nothing is "
	    "decided about what cannot be shown");
}

int
line_run(const struct watched *on, int in, struct err *e)
{
	struct line l = { .on = on };
	const struct home **homes = watched_homes(on);
	auto_str struct str typed = { 0 };
	int got = 0;

	struct watch *w = watch_open(homes, on->n);

	l.items = xcalloc(ITEMS_MAX, sizeof *l.items);
	str_init(&typed, TYPED_MAX);
	line_say(0, "watching; ? helps");
	while (!l.quit && (got = scan(&l, e)) == 0 &&
	    (got = can_show(e)) == 0)
		if ((watch_wait(w, in, call_human(&l)) & WATCH_INPUT) != 0)
			hear(&l, in, &typed);
	watch_close(w);
	for (size_t i = 0; i < l.n; i++) {
		free(l.items[i].edited);
		free(l.items[i].wish);
	}
	free(l.items);
	free(l.files);
	free(homes);
	return got;
}
