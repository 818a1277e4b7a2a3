/*
 * sandbox - a human, a fence and a record between an AI agent and the machine.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "common/digest.h"

#include "common/banned.h"

static void
help(void)
{
	puts("usage: sandbox COMMAND [-C DIR] [ARGUMENTS]\n");
	for (const struct cmd *c = cmd_table; c->name != NULL; c++)
		printf("  %-10s %s\n", c->name, c->about);
	puts("\n`sandbox COMMAND --help` explains one of them; sandbox(1) is"
	    " the manual.");
}

static const struct cmd *
find(const char *name)
{
	for (const struct cmd *c = cmd_table; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/*
 * What was closed must not become a file of ours, into which we then print.
 * Open for reading only, so that a stdout that is not there is noticed.
 */
static void
hold_standard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", O_RDONLY) != fd)
			_exit(ERR_SYSTEM);
}

int
main(int argc, char **argv)
{
	struct cmd_ctx ctx = { .dir = "." };
	struct err e;

	hold_standard();
	if (argc < 2) {
		help();
		return ERR_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		help();
		return fflush(stdout) == EOF ? ERR_SYSTEM : 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("sandbox " SANDBOX_VERSION);
		return 0;
	}
	ctx.self = find(argv[1]);
	if (ctx.self == NULL) {
		err_set(&e, ERR_USAGE, "no such command: '%.100s'; `sandbox "
		    "--help` lists them", argv[1]);
		return cmd_fail(&e);
	}
	if (digest_setup(&e) == -1)
		return cmd_fail(&e);

	int status = ctx.self->fn(&ctx, argc - 1, argv + 1);

	if (fflush(stdout) == EOF && status == 0) {
		perror("sandbox: cannot write");
		return ERR_SYSTEM;
	}
	return status;
}
