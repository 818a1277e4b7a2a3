#include <stdio.h>
#include <unistd.h>

#include "approver/human.h"
#include "approver/show.h"
#include "approver/tty.h"
#include "cmd/desk.h"
#include "common/mem.h"

#include "common/banned.h"

static int
print(struct cmd_ctx *ctx, struct desk *desk, const struct request *req,
    struct showing s, struct err *e)
{
	auto_free char *options = cmd_paste_options(ctx, desk->home);
	auto_view struct view view = { 0 };
	auto_str struct str out = { 0 };
	struct err skip;

	if (clock_now(&s.now, e) == -1 || view_make(desk, req, &view, e) == -1)
		return -1;
	s.home = desk->home;
	s.history = desk->history;
	s.queue = desk->queue;
	s.policy = human_only(desk->home, &skip) == 0 ? desk->policy : NULL;
	s.view = &view;
	s.options = options;
	s.columns = tty_columns(STDOUT_FILENO);
	if (ctx->json) {
		auto_json cJSON *j = show_json(&s);

		cmd_put_json(j);
		return 0;
	}
	str_init(&out, 128 * 1024 * 1024);
	show_text(&s, &out);
	fputs(out.s, stdout);
	return 0;
}

int
cmd_show(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	struct showing s = { .state = ENTRY_PENDING };
	char id[ID_MAX + 1];
	struct request req = { 0 };
	struct err e = { 0 };
	int got;

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1)
		return cmd_usage(ctx, "takes one ID");
	if (cmd_desk(ctx, &home, &desk, &e) == -1 ||
	    cmd_find(&desk, argv[0], id, &e) == -1)
		return cmd_fail(&e);
	got = queue_read(desk.queue, id, &req, &s.state, &s.waiter, &e);
	if (got == 0)
		got = print(ctx, &desk, &req, s, &e);
	request_clear(&req);
	return got == -1 ? cmd_fail(&e) : 0;
}
