/*
 * sandbox verify: does each wall of the jail hold on this machine?
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/prove.h"

#include "common/banned.h"

struct report {
	cJSON	*list;		/* NULL: lines for people */
	int	 failed;
};

static void
tell(void *arg, const struct claim *c, enum proof proof, const char *why)
{
	static const char *const words[] = {
		[PROOF_PASS] = "PASS", [PROOF_FAIL] = "FAIL",
		[PROOF_UNAVAILABLE] = "UNAVAILABLE",
	};
	auto_free char *shown = visible_line(why);
	struct report *r = arg;
	cJSON *o;

	r->failed += proof == PROOF_FAIL;
	if (r->list == NULL) {
		printf("%-11s  %-16s  %s%s%s\n", words[proof], c->name,
		    c->says, *why == '\0' ? "" : ": ", shown);
		return;
	}
	o = json_object();
	json_add_str(o, "claim", c->name);
	json_add_str(o, "says", c->says);
	json_add_str(o, "proof", words[proof]);
	json_add_str(o, "why", why);
	json_push(r->list, o);
}

static bool
is_claim(const char *name)
{
	const struct claim *c;

	for (size_t i = 0; (c = prove_claim(i)) != NULL; i++)
		if (strcmp(c->name, name) == 0)
			return true;
	return false;
}

static int
verify(struct cmd_ctx *ctx, const char *without)
{
	auto_json cJSON *root = ctx->json ? json_object() : NULL;
	auto_free char *libexec = NULL, *program = NULL, *proxy = NULL;
	struct report r = { .list = ctx->json ? json_array() : NULL };
	const struct passwd *pw = getpwuid(geteuid());
	struct prove p = { .without = without };
	struct err e = { 0 };

	program = realpath("/proc/self/exe", NULL);
	libexec = cmd_libexec(&e);
	if (libexec == NULL)
		return cmd_fail(&e);
	proxy = xasprintf("%s/sandbox-proxy", libexec);
	p.program = program;
	p.proxy = proxy;
	p.home = getenv("HOME");
	if (pw != NULL && (p.home == NULL || access(p.home, W_OK) == -1))
		p.home = pw->pw_dir;
	if (program == NULL || p.home == NULL) {
		err_set(&e, ERR_SYSTEM, "there is no %s", program == NULL ?
		    "/proc" : "home");
		return cmd_fail(&e);
	}
	if (prove_all(&p, tell, &r, &e) == -1) {
		json_free(r.list);
		return cmd_fail(&e);
	}
	if (ctx->json) {
		json_add(root, "claims", r.list);
		cmd_put_json(root);
	}
	return r.failed > 0 ? ERR_NEGATIVE : 0;
}

int
cmd_verify(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *user = NULL, *without = NULL, *probe = NULL;
	const struct opt opts[] = {
		{ "user", 0, OPT_TEXT, "USER",
		  "started by root: become USER first", &user },
		{ "without", 0, OPT_TEXT, "CLAIM",
		  "leave this claim's wall out, to see that it shows",
		  &without },
		{ "probe", 0, OPT_TEXT, "NAME",
		  "try one attack, here (verify starts itself so)", &probe },
	};
	struct err e = { 0 };

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (probe != NULL)
		return argc == 1 ? prove_probe(probe, argv[0]) : ERR_USAGE;
	if (argc != 0)
		return cmd_usage(ctx, "no operands");
	if (without != NULL && !is_claim(without))
		return cmd_usage(ctx, "no such claim");
	if (jail_drop(user, &e) == -1)
		return cmd_fail(&e);
	return verify(ctx, without);
}
