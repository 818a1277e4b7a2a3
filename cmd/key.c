#include <stdio.h>
#include <string.h>

#include "approver/human.h"
#include "approver/key.h"
#include "approver/tty.h"
#include "cmd/cmd.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

struct key_opts {
	const char	*name;
	int		 passphrase_fd;	/* the old one, or the only one */
	int		 new_fd;
	bool		 open;
};

/* A new passphrase: from a descriptor, or twice from the terminal. */
static int
ask_new(int fd, struct str *ret, struct err *e)
{
	struct str again;
	int got;

	if (fd != -1)
		return tty_line_from(fd, KEY_PASS_MAX, ret, e);
	str_init(&again, KEY_PASS_MAX);
	got = tty_passphrase("New passphrase: ", ret, e);
	if (got == 0)
		got = tty_passphrase("The same again: ", &again, e);
	if (got == 0 && strcmp(ret->s, again.s) != 0)
		got = err_set(e, ERR_NEGATIVE, "the two differ; nothing was "
		    "changed");
	str_wipe(&again);
	return got;
}

static int
ask_unless_open(const struct key_opts *o, int fd, struct str *ret,
    struct err *e)
{
	if (o->open)
		return 0;
	if (ask_new(fd, ret, e) == -1)
		return -1;
	return ret->len > 0 ? 0 : err_set(e, ERR_USAGE, "a passphrase is not "
	    "empty; --open makes a key without one");
}

static void
print_key(const struct key *k, bool json)
{
	char pub[SIGN_PUB_HEX + 1];

	hex_put(key_public(k), SIGN_PUB, pub);
	if (json)
		printf("{\"keys\":[{\"name\":\"%s\",\"pub\":\"%s\","
		    "\"locked\":%s}]}\n", key_owner(k), pub,
		    key_is_locked_kind(k) ? "true" : "false");
	else
		printf("ed25519 %s %s (%s)\n", pub, key_owner(k),
		    key_is_locked_kind(k) ? "locked by a passphrase" : "open");
}

static int
key_cmd_new(const struct cmd_ctx *ctx, const struct key_opts *o,
    struct err *e)
{
	auto_close int dir = human_only(NULL, e) == -1 ? -1 :
	    key_dir_open(true, e);
	auto_key struct key *k = NULL;
	struct str pass;
	int got;

	if (dir == -1)
		return -1;
	str_init(&pass, KEY_PASS_MAX);
	got = ask_unless_open(o, o->passphrase_fd, &pass, e);
	if (got == 0)
		got = key_new(dir, o->name, &pass, &k, e);
	str_wipe(&pass);
	if (got == 0)
		print_key(k, ctx->json);
	return got;
}

static int
key_cmd_list(const struct cmd_ctx *ctx, const struct key_opts *o,
    struct err *e)
{
	auto_close int dir = key_dir_open(false, e);
	auto_key struct key *k = NULL;

	(void)o;
	if (dir == -1 || key_load(dir, &k, e) == -1)
		return -1;
	print_key(k, ctx->json);
	return 0;
}

static int
key_cmd_passphrase(const struct cmd_ctx *ctx, const struct key_opts *o,
    struct err *e)
{
	auto_close int dir = human_only(NULL, e) == -1 ? -1 :
	    key_dir_open(false, e);
	auto_key struct key *k = NULL;
	struct str pass;
	int got;

	if (dir == -1 || key_load(dir, &k, e) == -1 ||
	    key_unlock_ask(k, o->passphrase_fd, e) == -1)
		return -1;
	str_init(&pass, KEY_PASS_MAX);
	got = ask_unless_open(o, o->new_fd, &pass, e);
	if (got == 0)
		got = key_rewrite(dir, k, &pass, e);
	str_wipe(&pass);
	if (got == 0)
		print_key(k, ctx->json);
	return got;
}

static const struct {
	const char *name;
	int (*fn)(const struct cmd_ctx *, const struct key_opts *,
	    struct err *);
} verbs[] = {
	{ "new", key_cmd_new },
	{ "list", key_cmd_list },
	{ "passphrase", key_cmd_passphrase },
};

int
cmd_key(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct key_opts o = { .name = "me", .passphrase_fd = -1,
	    .new_fd = -1 };
	const struct opt opts[] = {
		{ "name", 0, OPT_TEXT, "NAME", "how it is called in lists",
		  &o.name },
		{ "open", 0, OPT_FLAG, NULL, "without a passphrase", &o.open },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the passphrase from descriptor N",
		  &o.passphrase_fd },
		{ "new-passphrase-fd", 0, OPT_COUNT, "N",
		  "passphrase: read the new one from descriptor N",
		  &o.new_fd },
	};
	struct err e = { 0 };

	key_protect();
	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	for (size_t i = 0; argc == 1 && i < ARRAY_LEN(verbs); i++)
		if (str_eq(verbs[i].name, argv[0]))
			return verbs[i].fn(ctx, &o, &e) == -1 ?
			    cmd_fail(&e) : 0;
	return cmd_usage(ctx, "takes one of: new list passphrase");
}
