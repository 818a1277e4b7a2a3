#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/environ.h"
#include "approver/human.h"
#include "approver/line.h"
#include "approver/screen.h"
#include "cmd/desk.h"
#include "common/mem.h"

#include "common/banned.h"

#define FOLDERS_MAX	32

extern char **environ;

struct options {
	bool		 line;
	int		 passphrase_fd;
	const char	*notify, *program;
	int		 later_s;
};

/* One per folder; both stay where they are: the desk borrows the home. */
struct folders {
	struct home	*homes;
	struct desk	*desks;
	int		*here;		/* "a human is watching" */
	size_t		 n;
};

static void
folders_close(struct folders *f)
{
	for (size_t i = 0; i < f->n; i++) {
		mem_close_fd(&f->here[i]);
		desk_close(&f->desks[i]);
		home_close(&f->homes[i]);
	}
	free(f->here);
	free(f->desks);
	free(f->homes);
}

static int
open_folder(const struct cmd_ctx *ctx, struct folders *f, const char *dir,
    struct err *e)
{
	struct cmd_ctx at = *ctx;
	size_t i = f->n;

	at.dir = dir;
	f->homes[i] = (struct home)HOME_INIT;
	if (cmd_desk_open(&at, &f->homes[i], &f->desks[i], e) == -1) {
		home_close(&f->homes[i]);
		return err_add(e, "%s", dir);
	}
	f->here[i] = -1;
	f->n++;
	for (size_t k = 0; k < i; k++)
		if (strcmp(f->homes[k].project, f->homes[i].project) == 0)
			return err_set(e, ERR_USAGE, "'%s' and '%s' are one "
			    "project", f->homes[k].root_path, dir);
	return human_only(&f->homes[i], e);
}

static int
open_folders(const struct cmd_ctx *ctx, int argc, char **argv,
    struct folders *ret, struct err *e)
{
	size_t n = argc == 0 ? 1 : (size_t)argc;

	ret->homes = xcalloc(n, sizeof *ret->homes);
	ret->desks = xcalloc(n, sizeof *ret->desks);
	ret->here = xcalloc(n, sizeof *ret->here);
	for (size_t i = 0; i < n; i++)
		if (open_folder(ctx, ret, argc == 0 ? ctx->dir : argv[i],
		    e) == -1)
			return -1;
	return 0;
}

/* One key, which every one of the projects must know. */
static int
open_signer(const struct folders *f, int passphrase_fd, struct signer *ret,
    struct err *e)
{
	if (signer_open(&f->desks[0].approvers, passphrase_fd, true, ret,
	    e) == -1)
		return -1;
	for (size_t i = 1; i < f->n; i++)
		if (signer_serves(ret, &f->desks[i].approvers, e) == -1)
			return err_add(e, "%s", f->homes[i].root_path);
	return 0;
}

static int
hold_locks(struct folders *f, struct err *e)
{
	for (size_t i = 0; i < f->n; i++)
		if ((f->here[i] = home_watch_hold(&f->homes[i], e)) == -1)
			return -1;
	return 0;
}

static int
watch(struct folders *f, const struct options *o, struct err *e)
{
	auto_signer struct signer signer = { 0 };
	struct notify_how how = NOTIFY_HOW;
	const struct watched on = { .desks = f->desks, .n = f->n,
	    .signer = &signer, .notify = &how };
	auto_free const struct home **homes = watched_homes(&on);
	auto_free char *path = environ_path(environ);
	auto_free char *sender = notify_find(path, homes, on.n);
	bool line = o->line || !screen_can();

	/* Into a pipe or a file nobody wants a bell. */
	how.bell = isatty(STDOUT_FILENO);
	how.program = o->program;
	how.sender = sender;
	if (o->later_s >= 0)
		how.later_ms = o->later_s * 1000;
	if (o->notify != NULL && notify_parse(o->notify, &how, e) == -1)
		return -1;
	if (o->program != NULL && o->program[0] != '/')
		return err_set(e, ERR_USAGE, "--notify-cmd takes an absolute "
		    "path");
	if (open_signer(f, o->passphrase_fd, &signer, e) == -1 ||
	    hold_locks(f, e) == -1)
		return -1;
	return line ? line_run(&on, STDIN_FILENO, e) : screen_run(&on, e);
}

int
cmd_watch(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct options o = { .passphrase_fd = -1, .later_s = -1 };
	const struct opt opts[] = {
		{ "line", 0, OPT_FLAG, NULL, "one event, one line", &o.line },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N",
		  &o.passphrase_fd },
		{ "notify", 0, OPT_TEXT, "LIST", "how to call you: bell, osc, "
		  "desktop, none (bell,desktop)", &o.notify },
		{ "notify-cmd", 0, OPT_TEXT, "PROGRAM", "call it with id and "
		  "tier of what still waits later", &o.program },
		{ "notify-after", 0, OPT_COUNT, "SECONDS", "when that is (15)",
		  &o.later_s },
	};
	struct folders f = { 0 };
	struct err e = { 0 };
	int got;

	key_protect();
	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc > FOLDERS_MAX)
		return cmd_usage(ctx, "at most %d folders", FOLDERS_MAX);
	got = open_folders(ctx, argc, argv, &f, &e);
	if (got == 0)
		got = watch(&f, &o, &e);
	folders_close(&f);
	return got == -1 ? cmd_fail(&e) : 0;
}
