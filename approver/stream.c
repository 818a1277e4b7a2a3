#include "approver/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define PACKET		4096	/* PIPE_BUF: how packet mode cuts a write */
#define PIPE_BYTES	(1024 * 1024)
#define BATCH		32

static const char names[2] = { 'o', 'e' };

static int
open_pipe(int sig, int *ret_read, int *ret_write, struct err *e)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC | O_DIRECT) == -1)
		return err_sys(e, "cannot make a pipe");
	fcntl(p[0], F_SETPIPE_SZ, PIPE_BYTES);	/* only for speed */
	if (fcntl(p[0], F_SETOWN, getpid()) == -1 ||
	    fcntl(p[0], F_SETSIG, sig) == -1 ||
	    fcntl(p[0], F_SETFL, O_DIRECT | O_NONBLOCK | O_ASYNC) == -1) {
		err_sys(e, "cannot watch a pipe");
		close(p[0]);
		close(p[1]);
		return -1;
	}
	*ret_read = p[0];
	*ret_write = p[1];
	return 0;
}

int
stream_open(struct spool *spool, struct stream *ret, int ret_child[2],
    struct err *e)
{
	struct stream s = { .fd = { -1, -1 }, .sig = -1, .spool = spool };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGIO);		/* what SIGRTMIN becomes when full */
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s.sig = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s.sig == -1)
		return err_sys(e, "cannot make a signalfd");
	if (open_pipe(SIGRTMIN, &s.fd[0], &ret_child[0], e) == -1) {
		stream_close(&s);
		return -1;
	}
	if (open_pipe(SIGRTMIN, &s.fd[1], &ret_child[1], e) == -1) {
		close(ret_child[0]);
		stream_close(&s);
		return -1;
	}
	*ret = s;
	return 0;
}

/*
 * One write, or what is there of it: packets up to the first short one.  An
 * end of file closes the pipe.
 */
static void
take_write(struct stream *s, int i)
{
	char buf[PACKET];

	while (s->fd[i] != -1) {
		ssize_t n = read(s->fd[i], buf, sizeof buf);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return;
		if (n == 0) {
			close(s->fd[i]);
			s->fd[i] = -1;
			return;
		}
		spool_put(s->spool, names[i], buf, (size_t)n);
		if (n < PACKET)
			return;
	}
}

/* Every queued signal, in order.  Returns events. */
static unsigned
take_signals(struct stream *s)
{
	struct signalfd_siginfo info[BATCH];
	unsigned events = 0;
	ssize_t n;

	while ((n = read(s->sig, info, sizeof info)) > 0) {
		for (size_t k = 0; k < (size_t)n / sizeof info[0]; k++) {
			if (info[k].ssi_signo == (uint32_t)SIGCHLD)
				events |= STREAM_CHILD;
			else if (info[k].ssi_signo == (uint32_t)SIGTERM)
				events |= STREAM_STOP;
			for (int i = 0; i < 2; i++)
				if (info[k].ssi_signo == (uint32_t)SIGRTMIN &&
				    info[k].ssi_fd == s->fd[i])
					take_write(s, i);
		}
	}
	return events;
}

unsigned
stream_wait(struct stream *s, int ms)
{
	/*
	 * The signalfd is asked last: if a later write is seen in its pipe,
	 * the signal of an earlier one is seen too.
	 */
	struct pollfd p[3] = {
		{ .fd = s->fd[0], .events = POLLIN },
		{ .fd = s->fd[1], .events = POLLIN },
		{ .fd = s->sig, .events = POLLIN },
	};

	if (poll(p, 3, ms) == -1)
		return 0;
	if (p[2].revents != 0)
		return take_signals(s);
	for (int i = 0; i < 2; i++)
		if (p[i].revents != 0)
			take_write(s, i);
	return 0;
}

unsigned
stream_drain(struct stream *s)
{
	unsigned events = take_signals(s);

	for (int i = 0; i < 2; i++) {
		struct pollfd p = { .fd = s->fd[i], .events = POLLIN };

		while (s->fd[i] != -1 && poll(&p, 1, 0) == 1)
			take_write(s, i);
	}
	return events;
}

void
stream_close(struct stream *s)
{
	mem_close_fd(&s->fd[0]);
	mem_close_fd(&s->fd[1]);
	mem_close_fd(&s->sig);
	s->fd[0] = s->fd[1] = s->sig = -1;
}
