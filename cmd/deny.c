#include <stdio.h>
#include <string.h>

#include "approver/approve.h"
#include "approver/human.h"
#include "cmd/desk.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define TEXT_MAX	4000

extern char **environ;

static int
deny(struct cmd_ctx *ctx, const char *prefix, const char *text,
    int passphrase_fd)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	auto_signer struct signer signer = { 0 };
	struct err e = { 0 };
	char id[ID_MAX + 1];
	const struct deed deed = {
		.id = id, .deny = true, .text = text, .own_env = environ,
	};
	struct decided done;

	if (cmd_desk(ctx, &home, &desk, &e) == -1 ||
	    human_only(&home, &e) == -1 ||
	    cmd_find(&desk, prefix, id, &e) == -1 ||
	    signer_open(&desk.approvers, passphrase_fd, false, &signer,
	    &e) == -1 ||
	    decide(&desk, &signer, &deed, &done, &e) == -1)
		return cmd_fail(&e);
	printf("denied %s\n", id);
	return 0;
}

int
cmd_deny(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *text = NULL;
	int passphrase_fd = -1;
	const struct opt opts[] = {
		{ "message", 'm', OPT_TEXT, "TEXT", "what the agent is told",
		  &text },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N",
		  &passphrase_fd },
	};

	key_protect();
	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1)
		return cmd_usage(ctx, "takes one ID");
	if (text != NULL && (strlen(text) > TEXT_MAX ||
	    !utf8_ok(text, strlen(text))))
		return cmd_usage(ctx, "the text is UTF-8 of at most %d bytes",
		    TEXT_MAX);
	return deny(ctx, argv[0], text, passphrase_fd);
}
