#include "cmd/cmd.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"

#include "common/banned.h"

#define OPTS_MAX	32
#define JSON_OUT_MAX	(128 * 1024 * 1024)

const struct cmd cmd_table[] = {
	{ "init", cmd_init, CMD_DIR_OPERAND,
	  "[DIR] [--claude] [--codex] [--gemini] [--cursor] [--windsurf] "
	  "[--copilot] [--cline] [--opencode] "
	  "[--mcp] [--claude-desktop] [--vscode] [--zed] "
	  "[--shared | --managed] [--auto-allow] [--dry-run]",
	  "put the connector into a folder where an agent works" },
	{ "uninstall", cmd_uninstall, CMD_DIR_OPERAND,
	  "[DIR] [--keep-data] [--managed] [--dry-run]",
	  "take it out again, every settings file byte for byte" },
	{ "watch", cmd_watch, 0,
	  "[DIR...] [--line] [--notify LIST] [--notify-cmd PROGRAM]",
	  "decide requests as they come" },
	{ "pending", cmd_pending, CMD_JSON, "[--all] [--wait SECONDS]",
	  "list what waits for a human" },
	{ "show", cmd_show, CMD_JSON, "ID",
	  "everything about one request, and the line that approves it" },
	{ "approve", cmd_approve, 0,
	  "ID --digest HEX64 [--remember SCOPE[:UNTIL]] [--passphrase-fd N]",
	  "run one request here and now, outside the agent" },
	{ "deny", cmd_deny, 0, "ID [-m TEXT] [--passphrase-fd N]",
	  "refuse one request; the agent is told TEXT" },
	{ "output", cmd_output, 0, "ID [-f]",
	  "the output of an approved call" },
	{ "stop", cmd_stop, 0, "ID", "end an approved call that is running" },
	{ "explain", cmd_explain, CMD_JSON, "COMMAND",
	  "what a command would do, and what policy says to it" },
	{ "judge", cmd_judge, 0,
	  "[--root DIR] [--home DIR] [--policy FILE]",
	  "judge calls from stdin, one JSON line each" },
	{ "policy", cmd_policy, CMD_JSON,
	  "show|check|try|accept|diff [FILE] | forget ID",
	  "the rules in force, and changing them" },
	{ "status", cmd_status, CMD_JSON, "[--line]",
	  "is the gate up, what waits, what runs" },
	{ "doctor", cmd_doctor, CMD_JSON, "",
	  "prove that the registered hooks deny" },
	{ "run", cmd_run, CMD_WRAPS,
	  "[--settings FILE | --profile NAME] [--project DIR] "
	  "[--agent NAME] [--control-fd N] [--user USER] [--report] "
	  "[--debug] [--] COMMAND [ARGUMENT...] | -c STRING",
	  "run a command inside walls: the jail" },
	{ "verify", cmd_verify, CMD_JSON, "[--user USER] [--without CLAIM]",
	  "try to break each wall of the jail on this machine" },
	{ "changes", cmd_changes, CMD_JSON,
	  "[FILE...] [--session SESSION] [--change CHANGE] [--diff] | --verify",
	  "which files agents changed, and how" },
	{ "restore", cmd_restore, CMD_JSON,
	  "[FILE...] [--to TIME|CHANGE] | --request CHANGE | "
	  "--session SESSION [--certain] [--dry-run]",
	  "give back what was changed" },
	{ "mcp", cmd_mcp, 0, "",
	  "an MCP server on stdin and stdout, for an agent to ask" },
	{ "log", cmd_log, CMD_JSON,
	  "[-f] [-n COUNT] [--since TIME] [--until TIME] [--kind KIND] "
	  "[--tool TOOL] [--verdict WORD] [--session ID] [--path PART] "
	  "[--text TEXT]",
	  "the audit log, readable" },
	{ "trace", cmd_trace, CMD_JSON, "ID", "one request's story" },
	{ "stats", cmd_stats, CMD_JSON, "[--since TIME]",
	  "how much you are asked, and what would spare you most" },
	{ "audit", cmd_audit, CMD_JSON,
	  "verify [FILE] [--fast|--full] [--anchors] | checkpoint "
	  "[--anchor WHERE] | export FILE | resume",
	  "is the log what was written; evidence of it" },
	{ "key", cmd_key, CMD_JSON, "new|list|passphrase",
	  "the approver's key" },
	{ "completion", cmd_completion, 0, "bash|zsh|fish",
	  "completion of these commands, for a shell" },
	{ NULL, NULL, 0, NULL, NULL }
};

static int
usage_error(struct cmd_ctx *ctx, const struct err *e)
{
	auto_free char *text = visible_line(e->text);

	fprintf(stderr, "sandbox: %s: %s\nusage: sandbox %s %s\n",
	    ctx->self->name, text, ctx->self->name, ctx->self->synopsis);
	ctx->exit = ERR_USAGE;
	return -1;
}

static int
check_dir(const char *dir, struct err *e)
{
	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd != -1 ? 0 : err_sys(e, "cannot open '%s'", dir);
}

int
cmd_parse(struct cmd_ctx *ctx, const struct opt *own, size_t n, int *argc,
    char **argv)
{
	const struct opt shared[] = {
		{ NULL, 'C', OPT_TEXT, "DIR",
		  "the project, or a folder in it (default: .)", &ctx->dir },
		{ "state", 0, OPT_TEXT, "DIR",
		  "where private directories live", &ctx->state },
		{ "json", 0, OPT_FLAG, NULL, "print JSON", &ctx->json },
	};
	size_t n_shared = ARRAY_LEN(shared) -
	    ((ctx->self->flags & CMD_JSON) == 0);
	struct opt all[OPTS_MAX];
	struct err e = { 0 };
	int got;

	if (n + n_shared > OPTS_MAX)
		BUG("too many options");
	for (size_t i = 0; i < n; i++)
		all[i] = own[i];
	for (size_t i = 0; i < n_shared; i++)
		all[n + i] = shared[i];
	got = (ctx->self->flags & CMD_WRAPS) != 0 ?
	    opt_parse_front(all, n + n_shared, argc, argv, &e) :
	    opt_parse(all, n + n_shared, argc, argv, &e);
	if (got == -1)
		return usage_error(ctx, &e);
	if (got == 1) {
		opt_help("sandbox", ctx->self->name, ctx->self->synopsis,
		    ctx->self->about, all, n + n_shared);
		ctx->exit = 0;
		return -1;
	}
	/* Here, as some commands would never look at it. */
	if (check_dir(ctx->dir, &e) == -1) {
		ctx->exit = cmd_fail(&e);
		return -1;
	}
	if ((ctx->self->flags & CMD_DIR_OPERAND) != 0 && *argc > 0) {
		ctx->dir = argv[0];
		for (int i = 1; i < *argc; i++)
			argv[i - 1] = argv[i];
		(*argc)--;
	}
	return 0;
}

char *
cmd_state_base(const struct cmd_ctx *ctx)
{
	return ctx->state != NULL ? xstrdup(ctx->state) : home_base(true);
}

int
cmd_home(const struct cmd_ctx *ctx, struct home *ret, struct err *e)
{
	auto_free char *base = cmd_state_base(ctx);

	return home_find(ctx->dir, base, ret, e) == 0 ? 0 : -1;
}

void
cmd_put_json_text(const char *json, size_t len)
{
	auto_str struct str out = { 0 };

	str_init(&out, len * 12 + 1);
	json_visible(json, len, &out);
	puts(out.s);
}

void
cmd_put_json(const cJSON *v)
{
	auto_str struct str text = { 0 };

	str_init(&text, JSON_OUT_MAX);
	json_print(v, &text);
	cmd_put_json_text(text.s, text.len);
}

int
cmd_fail(const struct err *e)
{
	auto_free char *text = visible_line(e->text);

	fprintf(stderr, "sandbox: %s\n", text);
	return err_exit(e);
}

int
cmd_usage(const struct cmd_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "sandbox: %s: ", ctx->self->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: sandbox %s %s\n", ctx->self->name,
	    ctx->self->synopsis);
	return ERR_USAGE;
}

static char *
own_dir(struct err *e)
{
	char buf[4096];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
	char *slash;

	if (n == -1) {
		err_sys(e, "cannot read '/proc/self/exe'");
		return NULL;
	}
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (slash == NULL || slash == buf) {
		err_set(e, ERR_SYSTEM, "cannot find our own directory");
		return NULL;
	}
	*slash = '\0';
	return xstrdup(buf);
}

char *
cmd_libexec(struct err *e)
{
	static const char *const tails[] = { "", "/../libexec/sandbox" };
	auto_free char *dir = own_dir(e);

	if (dir == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		auto_free char *path = xasprintf("%s%s/sandbox-gate", dir,
		    tails[i]);
		auto_free char *real = realpath(path, NULL);

		if (real != NULL && access(real, X_OK) == 0) {
			*strrchr(real, '/') = '\0';
			return mem_steal(&real);
		}
	}
	err_set(e, ERR_SETUP, "sandbox-gate is neither beside 'sandbox' nor in "
	    "'../libexec/sandbox': run `make install` again");
	return NULL;
}
