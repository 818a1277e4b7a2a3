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
#define SIGNAL_MS	500	/* for a signal that is on its way */
#define COPY_MS		1000	/* for a terminal that does not take more */

static const char names[2] = { 'o', 'e' };

static int
open_pipe(int *ret_read, int *ret_write, struct err *e)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC | O_DIRECT) == -1)
		return err_sys(e, "cannot make a pipe");
	/* Not vital: with fewer slots the order is less exact. */
	fcntl(p[0], F_SETPIPE_SZ, STREAM_SLOTS * PACKET);
	if (fcntl(p[0], F_SETOWN, getpid()) == -1 ||
	    fcntl(p[0], F_SETSIG, SIGRTMIN) == -1 ||
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

static int
open_signals(struct stream *s, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGIO);		/* what SIGRTMIN becomes when full */
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->sig = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->sig == -1 ? err_sys(e, "cannot make a signalfd") : 0;
}

int
stream_open_tty(struct spool *spool, int master, int copy, struct stream *ret,
    struct err *e)
{
	struct stream s = STREAM_INIT;

	s.spool = spool;
	s.tty = true;
	if (open_signals(&s, e) == -1)
		return -1;
	if (fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK) == -1 ||
	    fcntl(copy, F_SETFL, O_WRONLY | O_NONBLOCK) == -1) {
		err_sys(e, "cannot use the terminal");
		stream_close(&s);
		return -1;
	}
	s.fd[0] = master;
	s.copy = copy;
	*ret = s;
	return 0;
}

int
stream_open(struct spool *spool, struct stream *ret, int ret_child[2],
    struct err *e)
{
	struct stream s = STREAM_INIT;

	s.spool = spool;
	if (open_signals(&s, e) == -1)
		return -1;
	if (open_pipe(&s.fd[0], &ret_child[0], e) == -1) {
		stream_close(&s);
		return -1;
	}
	if (open_pipe(&s.fd[1], &ret_child[1], e) == -1) {
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

/* A terminal that takes nothing more must not hold up the command. */
static void
put_copy(struct stream *s, const char *bytes, size_t len)
{
	struct pollfd p = { .fd = s->copy, .events = POLLOUT };

	while (s->copy != -1 && len > 0) {
		ssize_t n = write(s->copy, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (n == -1 && errno != EINTR && (errno != EAGAIN ||
		    poll(&p, 1, COPY_MS) != 1)) {
			close(s->copy);
			s->copy = -1;
		}
	}
}

/* EIO: no process has the terminal any more. */
static void
take_tty(struct stream *s)
{
	char buf[PACKET];
	ssize_t n;

	do
		n = read(s->fd[0], buf, sizeof buf);
	while (n == -1 && errno == EINTR);
	if (n > 0) {
		spool_put(s->spool, names[0], buf, (size_t)n);
		put_copy(s, buf, (size_t)n);
	} else if (n == 0 || errno != EAGAIN) {
		close(s->fd[0]);
		s->fd[0] = -1;
	}
}

/*
 * A writer that finds its pipe full announces itself too, before it waits:
 * with a full pipe's worth of writes due, one more announcement stands for
 * nothing yet.
 */
static void
announce(struct stream *s, int fd)
{
	for (unsigned char i = 0; i < 2; i++) {
		if (fd != s->fd[i] || s->due[i] == STREAM_SLOTS)
			continue;
		s->queue[(s->first + s->n++) % (2 * STREAM_SLOTS)] = i;
		s->due[i]++;
	}
}

/* Put every signal that is there into the queue. */
static void
fetch(struct stream *s)
{
	struct signalfd_siginfo info;

	while (read(s->sig, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == (uint32_t)SIGCHLD)
			s->events |= STREAM_CHILD;
		else if (info.ssi_signo == (uint32_t)SIGTERM)
			s->events |= STREAM_STOP;
		else if (info.ssi_signo == (uint32_t)SIGRTMIN)
			announce(s, info.ssi_fd);
	}
}

/* In the order of the announcements; looked at again before every read. */
static void
take_announced(struct stream *s)
{
	for (fetch(s); s->n > 0; fetch(s)) {
		int i = s->queue[s->first];

		s->first = (s->first + 1) % (2 * STREAM_SLOTS);
		s->n--;
		s->due[i]--;
		take_write(s, i);
		if ((s->events & STREAM_STOP) != 0)
			return;
	}
}

static unsigned
events(struct stream *s)
{
	unsigned out = s->events;

	s->events = 0;
	return out;
}

unsigned
stream_wait(struct stream *s, int ms)
{
	struct pollfd p[3] = {
		{ .fd = s->fd[0], .events = POLLIN },
		{ .fd = s->fd[1], .events = POLLIN },
		{ .fd = s->sig, .events = POLLIN },
	};

	take_announced(s);
	if (s->events != 0 || poll(p, 3, ms) <= 0)
		return events(s);
	if (s->tty) {
		if (p[0].revents != 0)
			take_tty(s);
		fetch(s);
		return events(s);
	}
	/*
	 * The bytes of a write are there a moment before its signal.  Reading
	 * them now would leave a signal that stands for nothing, and the next
	 * write of this pipe would be read in its place.
	 */
	if (p[2].revents != 0 || poll(&p[2], 1, SIGNAL_MS) == 1) {
		take_announced(s);
		return events(s);
	}
	for (int i = 0; i < 2; i++)
		if (p[i].revents != 0)
			take_write(s, i);
	return 0;
}

void
stream_drain(struct stream *s)
{
	take_announced(s);
	for (int i = 0; i < 2; i++) {
		struct pollfd p = { .fd = s->fd[i], .events = POLLIN };

		while (s->fd[i] != -1 && poll(&p, 1, 0) == 1)
			s->tty ? take_tty(s) : take_write(s, i);
	}
}

bool
stream_is_over(const struct stream *s)
{
	return s->fd[0] == -1 && s->fd[1] == -1;
}

void
stream_close(struct stream *s)
{
	mem_close_fd(&s->fd[0]);
	mem_close_fd(&s->fd[1]);
	mem_close_fd(&s->sig);
	mem_close_fd(&s->copy);
	*s = (struct stream)STREAM_INIT;
}
