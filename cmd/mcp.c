/*
 * sandbox mcp: become the MCP server, a program that cannot start others or
 * reach a network.  Nothing is looked at here: a client may start us only to
 * ask what tools there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "common/mem.h"
#include "hooks/wire.h"
#include "jail/spawn.h"

#include "common/banned.h"

extern char **environ;

#define SESSION_MAX	128

/* What a client says of its own session: a name, or nothing. */
static const char *
session(void)
{
	const char *s = getenv("CLAUDE_CODE_SESSION_ID");

	return s != NULL && s[0] != '\0' && strlen(s) <= SESSION_MAX &&
	    s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789-_")] == '\0' ? s : NULL;
}

static char *
locale(void)
{
	struct str list;

	str_init(&list, 1024);
	for (char **p = environ; *p != NULL; p++)
		if (wire_locale_ok(*p))
			str_addf(&list, "%s%s", list.len > 0 ? " " : "", *p);
	return str_take(&list);
}

static int
become(const struct cmd_ctx *ctx, struct err *e)
{
	auto_free char *libexec = cmd_libexec(e);
	auto_free char *base = cmd_state_base(ctx);
	auto_free char *words = locale();
	auto_free char *path = libexec == NULL ? NULL :
	    xasprintf("%s/sandbox-mcp", libexec);
	const char *id = session();
	const char *argv[12] = { path, "--dir", ctx->dir, "--base", base };
	char *empty[] = { NULL };
	size_t n = 5;

	if (path == NULL)
		return -1;
	if (base == NULL)
		return err_set(e, ERR_SETUP, "this user has no home");
	if (words[0] != '\0') {
		argv[n++] = "--locale";
		argv[n++] = words;
	}
	if (id != NULL) {
		argv[n++] = "--session";
		argv[n++] = id;
	}
	/* exec writes into none of them; C has no way to say so. */
	return spawn_become(path, (char *const *)(void *)argv, empty, e);
}

int
cmd_mcp(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct err e = { 0 };

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "takes no argument");
	if (isatty(STDIN_FILENO))
		fprintf(stderr, "sandbox mcp: waiting for an MCP client on "
		    "stdin; `sandbox watch` is for people\n");
	return become(ctx, &e) == -1 ? cmd_fail(&e) : 0;
}
