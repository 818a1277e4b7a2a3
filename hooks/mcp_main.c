/*
 * sandbox-mcp - the MCP server of a project, on stdin and stdout.
 *
 * Started by `sandbox mcp`, which becomes it, with an empty environment.  It
 * can neither start a program nor open a connection (tests/floors).  It ends
 * when its client does: end of input, SIGTERM, or the death of its parent;
 * what waits then is taken back.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/digest.h"
#include "common/mem.h"
#include "common/proc.h"
#include "hooks/mcp/mcp.h"

#include "common/banned.h"

#define PIECE		4096	/* PIPE_BUF: a pipe that polls ready takes it */
#define OUT_ENOUGH	(1024 * 1024)	/* then nothing more is read */
#define LAST_MS		2000	/* for the last words */

enum slot { IN, OUT, BELL, SIGNAL, CLIENT, SLOTS };

static int
read_args(int argc, char **argv, struct mcp_args *ret, struct err *e)
{
	const struct opt opts[] = {
		{ "dir", 0, OPT_TEXT, "DIR", "", &ret->dir },
		{ "base", 0, OPT_TEXT, "DIR", "", &ret->base },
		{ "session", 0, OPT_TEXT, "ID", "", &ret->session },
		{ "locale", 0, OPT_TEXT, "LIST", "", &ret->locale },
	};

	if (opt_parse(opts, ARRAY_LEN(opts), &argc, argv, e) != 0)
		return -1;
	if (argc != 0 || ret->dir == NULL || ret->base == NULL)
		return err_set(e, ERR_USAGE, "`sandbox mcp` starts this");
	ret->client_pid = (int)getppid();
	return 0;
}

static int
open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigdelset(&set, SIGPIPE);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* False: nobody reads us any more. */
static bool
write_some(struct mcp *m)
{
	const char *p;
	size_t n = frames_left(&m->f, &p);
	ssize_t got = write(STDOUT_FILENO, p, n < PIECE ? n : PIECE);

	if (got == -1)
		return errno == EINTR || errno == EAGAIN;
	frames_sent(&m->f, (size_t)got);
	return true;
}

/* False: end of input. */
static bool
read_some(struct mcp *m)
{
	char buf[65536];
	ssize_t n = read(STDIN_FILENO, buf, sizeof buf);

	if (n == -1)
		return errno == EINTR || errno == EAGAIN;
	frames_feed(&m->f, buf, (size_t)n, mcp_line, m);
	return n > 0;
}

/* One turn; false: it is over. */
static bool
turn(struct mcp *m, struct pollfd p[static SLOTS])
{
	const char *bytes;
	size_t left = frames_left(&m->f, &bytes);
	int ms;

	p[IN].events = left < OUT_ENOUGH ? POLLIN : 0;
	p[OUT].events = left > 0 ? POLLOUT : 0;
	p[BELL].fd = m->place == NULL ? -1 : await_fd(m->place->bell, &ms);
	if (poll(p, SLOTS, mcp_wait_ms(m)) == -1)
		return errno == EINTR;
	if (p[SIGNAL].revents != 0 || p[CLIENT].revents != 0 ||
	    (p[OUT].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
		return false;
	if (p[OUT].revents != 0 && !write_some(m))
		return false;
	if (p[IN].revents != 0 && !read_some(m))
		return false;
	mcp_look(m);
	return !m->f.out.full;
}

/* Answers to what came before the end of input. */
static void
last_words(struct mcp *m)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	const char *bytes;

	while (frames_left(&m->f, &bytes) > 0 && poll(&p, 1, LAST_MS) == 1 &&
	    (p.revents & (POLLERR | POLLNVAL)) == 0)
		if (!write_some(m))
			return;
}

int
main(int argc, char **argv)
{
	struct mcp_args args = { 0 };
	struct mcp m;
	struct err e = { 0 };
	struct pollfd p[SLOTS] = {
		[IN] = { .fd = STDIN_FILENO },
		[OUT] = { .fd = STDOUT_FILENO },
		[SIGNAL] = { .events = POLLIN },
		[CLIENT] = { .events = POLLIN },
	};

	if (proc_harden(&e) == -1 || digest_setup(&e) == -1 ||
	    read_args(argc, argv, &args, &e) == -1) {
		dprintf(STDERR_FILENO, "sandbox mcp: %s\n", e.text);
		return err_exit(&e);
	}
	p[SIGNAL].fd = open_signals();
	p[CLIENT].fd = (int)syscall(SYS_pidfd_open, args.client_pid, 0);
	mcp_init(&m, &args);
	while (turn(&m, p))
		continue;
	last_words(&m);
	mcp_end(&m);
	return EXIT_SUCCESS;
}
