/*
 * sandbox judge: calls from stdin, one JSON line each; decisions to stdout.
 * Asks nobody and runs nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/accept.h"
#include "cmd/cmd.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "policy/judge.h"

#include "common/banned.h"

#define LINE_MAX_BYTES	(16 * 1024 * 1024)

static int
judge_all(struct judge *j, struct err *e)
{
	auto_free char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct str out;

	str_init(&out, 1 << 20);
	while ((n = getline(&line, &cap, stdin)) != -1) {
		if (n > LINE_MAX_BYTES) {
			str_clear(&out);
			return err_set(e, ERR_FORMAT, "a line is longer than "
			    "%d bytes", LINE_MAX_BYTES);
		}
		if (n > 0 && line[n - 1] == '\n')
			n--;
		str_reset(&out);
		judge_line(j, line, (size_t)n, &out);
		fputs(out.s, stdout);
	}
	str_clear(&out);
	return ferror(stdin) ? err_sys(e, "cannot read the calls") : 0;
}

static int
read_policy(const char *path, struct str *ret, struct err *e)
{
	auto_close int fd = fs_open_plain(AT_FDCWD, path, NULL, e);

	return fd == -1 ? -1 : io_read_all(fd, POLICY_MAX, ret, e);
}

int
cmd_judge(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *root = NULL, *home = NULL, *policy = NULL;
	const struct opt opts[] = {
		{ "root", 0, OPT_TEXT, "DIR", "the project (default: -C DIR)",
		  &root },
		{ "home", 0, OPT_TEXT, "DIR", "the home directory (default: "
		  "yours)", &home },
		{ "policy", 0, OPT_TEXT, "FILE", "a policy.json (default: the "
		  "preset \"default\")", &policy },
	};
	auto_free char *own = home_user_dir();
	struct judge *j;
	struct str text;
	struct err e = { 0 };
	int rc = 0;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "no operands; calls come from stdin");
	str_init(&text, POLICY_MAX);
	if (policy != NULL)
		rc = read_policy(policy, &text, &e);

	const struct judge_args args = {
		.root = root != NULL ? root : ctx->dir,
		.home = home != NULL ? home : own != NULL ? own : "/",
		.text = policy != NULL ? text.s : NULL, .len = text.len,
		.name = policy, .jail = true,
	};

	if (rc == 0)
		rc = judge_open(&args, &j, &e);
	if (rc == 0) {
		rc = judge_all(j, &e);
		judge_close(j);
	}
	str_clear(&text);
	return rc == -1 ? cmd_fail(&e) : 0;
}
