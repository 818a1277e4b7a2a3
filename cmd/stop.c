#include <poll.h>
#include <stdio.h>

#include "approver/follow.h"
#include "approver/human.h"
#include "cmd/desk.h"
#include "common/mem.h"

#include "common/banned.h"

#define TICK_MS		50
#define STOP_MS		20000	/* two graces of the runner, and more */

static int
wait_over(const struct home *home, const char *id, struct follow_end *ret,
    struct err *e)
{
	int64_t end = clock_boot_ms() + STOP_MS;

	for (;;) {
		if (follow_look(home, id, ret, e) == -1)
			return -1;
		if (ret->state != FOLLOW_RUNNING)
			return 0;
		if (clock_boot_ms() > end)
			return err_set(e, ERR_SYSTEM, "'%s' was told to stop "
			    "and still runs", id);
		poll(NULL, 0, TICK_MS);
	}
}

int
cmd_stop(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	struct follow_end end;
	struct err e = { 0 };
	char id[ID_MAX + 1], text[80];

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1)
		return cmd_usage(ctx, "takes one ID");
	if (cmd_desk(ctx, &home, &desk, &e) == -1 ||
	    human_only(&home, &e) == -1 ||
	    cmd_find(&desk, argv[0], id, &e) == -1 ||
	    follow_stop(&home, id, &e) == -1 ||
	    wait_over(&home, id, &end, &e) == -1)
		return cmd_fail(&e);
	follow_say(&end, text, sizeof text);
	puts(text);
	return 0;
}
