#include <unistd.h>

#include "approver/human.h"
#include "approver/line.h"
#include "approver/screen.h"
#include "cmd/desk.h"
#include "common/mem.h"

#include "common/banned.h"

static int
watch(struct cmd_ctx *ctx, int passphrase_fd, bool line, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	auto_signer struct signer signer = { 0 };

	if (cmd_desk(ctx, &home, &desk, e) == -1 ||
	    human_only(&home, e) == -1 ||
	    signer_open(&desk.approvers, passphrase_fd, true, &signer,
	    e) == -1)
		return -1;

	auto_close int here = home_watch_hold(&home, e);

	if (here == -1)
		return -1;
	return line || !screen_can() ?
	    line_run(&desk, &signer, STDIN_FILENO, e) :
	    screen_run(&desk, &signer, e);
}

int
cmd_watch(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool line = false;
	int passphrase_fd = -1;
	const struct opt opts[] = {
		{ "line", 0, OPT_FLAG, NULL, "one event, one line", &line },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N",
		  &passphrase_fd },
	};
	struct err e = { 0 };

	key_protect();
	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "takes one DIR");
	return watch(ctx, passphrase_fd, line, &e) == -1 ? cmd_fail(&e) : 0;
}
