/*
 * cmd/cmd.h - the front door: one function per command, one table of them.
 *
 *	int cmd_pending(struct cmd_ctx *ctx, int argc, char **argv)
 *	{
 *		bool all = false;
 *		const struct opt opts[] = {
 *			{ "all", 'a', OPT_FLAG, NULL, "closed ones too", &all },
 *		};
 *		auto_home struct home home = HOME_INIT;
 *		struct err e;
 *
 *		if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
 *			return ctx->exit;
 *		if (cmd_home(ctx, &home, &e) == -1)
 *			return cmd_fail(&e);
 *		...
 *	}
 *
 * A command returns the exit code of the process (common/err.h).  Facts go to
 * stdout, complaints to stderr as "sandbox: ...".  Text that came from an
 * agent, a repository or a queue file goes through visible() on its way.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/cmd.h"
#include "common/err.h"
#include "common/json.h"
#include "queue/home.h"

struct cmd;

struct cmd_ctx {
	const struct cmd *self;
	const char	*dir;		/* -C DIR; "." */
	const char	*state;		/* --state DIR, the base; NULL */
	bool		 json;		/* --json, where `self` has it */
	int		 exit;		/* set by cmd_parse */
};

typedef int cmd_fn(struct cmd_ctx *, int argc, char **argv);

enum cmd_flags {
	CMD_JSON = 1,		/* takes --json */
	CMD_DIR_OPERAND = 2,	/* takes DIR instead of -C as first operand */
	CMD_WRAPS = 4		/* the first operand is another command */
};

struct cmd {
	const char	*name;
	cmd_fn		*fn;
	unsigned	 flags;
	const char	*synopsis;	/* behind the name; no -C, no --json */
	const char	*about;		/* one line */
};
extern const struct cmd cmd_table[];	/* ends with a NULL name */

/*
 * Parse the command's options and the common ones (-C, --state, --json,
 * --help).  Returns 0 to go on; otherwise the command returns ctx->exit.
 */
int	cmd_parse(struct cmd_ctx *, const struct opt *, size_t n, int *argc,
	    char **argv);

/* The project of ctx->dir, both sides checked.  ERR_SETUP: not set up. */
int	cmd_home(const struct cmd_ctx *, struct home *ret, struct err *);

/* Where private directories live: --state, else $XDG_STATE_HOME, else the
 * passwd home.  The caller frees. */
char	*cmd_state_base(const struct cmd_ctx *);

/* One line of JSON on stdout, safe for a terminal (json_visible). */
void	cmd_put_json(const cJSON *);
void	cmd_put_json_text(const char *json, size_t len);

/* "sandbox: text" on stderr (made visible); returns the exit code. */
int	cmd_fail(const struct err *);

/* "sandbox: usage" complaint pointing to --help; returns ERR_USAGE. */
int	cmd_usage(const struct cmd_ctx *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* The directory that holds pretooluse, sandbox-gate, sandbox-runner: beside
 * this program (a build tree) or in ../libexec/sandbox.  The caller frees. */
char	*cmd_libexec(struct err *);

cmd_fn	cmd_init, cmd_uninstall, cmd_watch, cmd_pending, cmd_show, cmd_approve,
	cmd_deny, cmd_output, cmd_stop, cmd_explain, cmd_judge, cmd_policy,
	cmd_status, cmd_doctor, cmd_run, cmd_verify, cmd_changes, cmd_restore,
	cmd_log, cmd_trace, cmd_stats, cmd_audit, cmd_key, cmd_mcp,
	cmd_completion;

#endif
