#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "approver/show.h"
#include "approver/sweep.h"
#include "approver/tty.h"
#include "cmd/desk.h"
#include "common/mem.h"
#include "queue/watch.h"

#include "common/banned.h"

#define SWEEP_MS	2000

struct listing {
	const struct cmd_ctx	*ctx;
	struct desk		*desk;
	bool			 all;
	cJSON			*json;
	struct str		 text;
	size_t			 n;
	size_t			 more;	/* wait, and are not listed */
};

/* Read anew with its blob: what is judged must be all of it. */
static int
add(struct listing *l, const char *id, struct err *e)
{
	struct showing s = { .home = l->desk->home,
	    .history = l->desk->history, .options = "",
	    .columns = tty_columns(STDOUT_FILENO) };
	struct request req = { 0 };
	struct view view;
	struct err skip;

	if (queue_read(l->desk->queue, id, &req, &s.state, &s.waiter,
	    &skip) == -1)
		return 0;	/* moved on, or nothing a person can use */
	if (clock_now(&s.now, e) == -1) {
		request_clear(&req);
		return -1;
	}
	if (view_make(l->desk, &req, &view, &skip) == 0) {
		s.view = &view;
		if (l->ctx->json)
			json_push(l->json, show_pending_json(&s));
		else
			show_pending_line(&s, &l->text);
		l->n++;
		view_clear(&view);
	}
	request_clear(&req);
	return 0;
}

static int
list(struct listing *l, struct err *e)
{
	struct entries entries = { 0 };
	struct clock now;
	int got = 0;

	if (clock_now(&now, e) == -1 ||
	    queue_list(l->desk->queue, &now, l->all, &entries, e) == -1)
		return -1;
	for (size_t i = 0; i < entries.n && got == 0; i++)
		if (l->all || entries.e[i].state == ENTRY_PENDING)
			got = add(l, entries.e[i].req.id, e);
	l->more = entries.more;
	entries_clear(&entries);
	return got;
}

/* Hung before the first look: what comes after it rings. */
static int
list_until(struct listing *l, struct watch *w, int64_t end, struct err *e)
{
	int64_t swept = clock_boot_ms();

	for (;;) {
		int64_t now = clock_boot_ms();

		if (now - swept >= SWEEP_MS) {
			swept = now;
			if (sweep_run(l->desk, NULL, e) == -1)
				return -1;
		}
		if (list(l, e) == -1)
			return -1;
		if (l->n > 0 || now >= end)
			return 0;
		watch_wait(w, -1, end - now < INT_MAX ? (int)(end - now) :
		    INT_MAX);
	}
}

static int
list_within(struct listing *l, int wait_s, struct err *e)
{
	const struct home *const homes[] = { l->desk->home };
	struct watch *w;
	int got;

	if (wait_s <= 0)
		return list(l, e);
	w = watch_open(homes, 1);
	got = list_until(l, w, clock_boot_ms() + (int64_t)wait_s * 1000, e);
	watch_close(w);
	return got;
}

int
cmd_pending(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool all = false;
	int wait_s = -1;
	const struct opt opts[] = {
		{ "all", 'a', OPT_FLAG, NULL, "decided and closed ones too",
		  &all },
		{ "wait", 'w', OPT_COUNT, "SECONDS",
		  "wait until something waits; 1 if nothing came", &wait_s },
	};
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	auto_json cJSON *top = json_object();
	struct err e = { 0 };

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "takes no operand");
	if (cmd_desk(ctx, &home, &desk, &e) == -1)
		return cmd_fail(&e);

	struct listing l = { .ctx = ctx, .desk = &desk, .all = all,
	    .json = json_array() };

	str_init(&l.text, 16 * 1024 * 1024);
	json_add(top, "pending", l.json);
	if (list_within(&l, wait_s, &e) == -1) {
		str_clear(&l.text);
		return cmd_fail(&e);
	}
	json_add_int(top, "more", (int64_t)l.more);
	if (ctx->json)
		cmd_put_json(top);
	else
		fputs(l.text.s, stdout);
	if (!ctx->json && l.more > 0)
		printf("%zu more wait than the policy allows and are not "
		    "listed: somebody writes requests by hand\n", l.more);
	str_clear(&l.text);
	return l.n == 0 && wait_s >= 0 ? ERR_NEGATIVE : 0;
}
