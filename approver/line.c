#include "approver/line_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "approver/fold.h"
#include "approver/follow.h"
#include "approver/show.h"
#include "approver/sweep.h"
#include "approver/tty.h"
#include "common/mem.h"
#include "common/visible.h"
#include "queue/watch.h"

#include "common/banned.h"

#define RUNNING_MS	200	/* an end is looked for this often */
#define SWEEP_MS	2000
#define TYPED_MAX	4096

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

static struct item *
find(struct line *l, const char *id)
{
	for (size_t i = l->n; i-- > 0;)
		if (strcmp(l->items[i].id, id) == 0)
			return &l->items[i];
	return NULL;
}

size_t
line_number(const struct line *l, const struct item *it)
{
	return (size_t)(it - l->items) + 1;
}

/* Read, judge, and remember the digest of what is about to be printed. */
static int
look(struct line *l, struct item *it, bool full, struct str *ret,
    struct err *e)
{
	struct request req = { 0 };
	struct view view;
	struct showing s = { .home = l->desk->home, .view = &view,
	    .options = "" };
	auto_str struct str summary = { 0 };

	if (desk_refresh(l->desk, e) == -1 ||
	    queue_read(l->desk->queue, it->id, &req, &s.state, &s.waiter,
	    e) == -1)
		return -1;
	if (clock_now(&s.now, e) == -1 ||
	    view_make(l->desk, &req, &view, e) == -1) {
		request_clear(&req);
		return -1;
	}
	str_init(&summary, 1024);
	show_summary(&req, &summary);
	/* A short line is folded with its number, by line_say(). */
	s.columns = full ? tty_columns(STDOUT_FILENO) : 0;
	it->digest = view.digest;
	it->whole = full || (view.kind == CALL_SHELL &&
	    strcmp(summary.s, view.subject) == 0 && !view.outside &&
	    !view.background &&
	    view.misdescribed[0] == '\0' && view.scripts.n == 0);
	if (full)
		show_text(&s, ret);
	else
		show_pending_line(&s, ret);
	view_clear(&view);
	request_clear(&req);
	return 0;
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
meet(struct line *l, const char *id)
{
	struct item *it = find(l, id);

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
	*it = (struct item){ .seen = true };
	memcpy(it->id, id, strlen(id) + 1);
	line_print(l, it, false);
}

static void
check_running(struct line *l, struct item *it)
{
	struct follow_end end;
	char text[64];

	if (follow_look(l->desk->home, it->id, &end, NULL) == -1 ||
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

static int
scan(struct line *l, struct err *e)
{
	struct entries list = { 0 };
	struct clock now;
	int64_t boot = clock_boot_ms();

	if (boot - l->swept >= SWEEP_MS) {
		l->swept = boot;
		if (sweep_run(l->desk, NULL, e) == -1 ||
		    audit_sync(l->desk->audit, e) == -1)
			return -1;
	}
	if (clock_now(&now, e) == -1 ||
	    queue_list(l->desk->queue, &now, false, &list, e) == -1)
		return -1;
	for (size_t i = 0; i < l->n; i++)
		l->items[i].seen = false;
	for (size_t i = 0; i < list.n; i++)
		if (list.e[i].state == ENTRY_PENDING)
			meet(l, list.e[i].req.id);
	if (list.more > 0 && !l->crowded)
		line_say(0, "more wait than the policy allows and are not "
		    "listed: somebody writes requests by hand");
	l->crowded = list.more > 0;
	entries_clear(&list);
	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->items[i];

		if (it->state == ITEM_RUNS)
			check_running(l, it);
		if (it->state == ITEM_WAITS && !it->seen) {
			it->state = ITEM_OVER;
			line_say(i + 1, "gone: withdrawn, expired or decided "
			    "elsewhere");
		}
	}
	return 0;
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

int
line_run(struct desk *d, struct signer *signer, int in, struct err *e)
{
	struct line l = { .desk = d, .signer = signer };
	auto_str struct str typed = { 0 };
	int got = 0;

	struct watch *w = watch_open(d->home);

	l.items = xcalloc(ITEMS_MAX, sizeof *l.items);
	l.swept = clock_boot_ms() - SWEEP_MS;
	str_init(&typed, TYPED_MAX);
	line_say(0, "watching; ? helps");
	while (!l.quit && (got = scan(&l, e)) == 0)
		if ((watch_wait(w, in, any_runs(&l) ? RUNNING_MS : -1) &
		    WATCH_INPUT) != 0)
			hear(&l, in, &typed);
	watch_close(w);
	free(l.items);
	return got;
}
