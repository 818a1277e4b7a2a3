#include <stdio.h>

#include "approver/follow.h"
#include "cmd/desk.h"
#include "common/mem.h"

#include "common/banned.h"

int
cmd_output(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool wait = false;
	const struct opt opts[] = {
		{ "follow", 'f', OPT_FLAG, NULL, "until the call is over",
		  &wait },
	};
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	struct follow_end end;
	struct err e = { 0 };
	char id[ID_MAX + 1], text[80];

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1)
		return cmd_usage(ctx, "takes one ID");
	if (cmd_desk(ctx, &home, &desk, &e) == -1 ||
	    cmd_find(&desk, argv[0], id, &e) == -1 ||
	    follow_run(&home, id, wait, &end, &e) == -1)
		return cmd_fail(&e);
	if (end.state == FOLLOW_NONE) {
		err_set(&e, ERR_NEGATIVE, "'%s' never ran here", id);
		return cmd_fail(&e);
	}
	follow_say(&end, text, sizeof text);
	fprintf(stderr, "sandbox: %s\n", text);
	return 0;
}
