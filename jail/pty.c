#include "jail/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/io.h"

#include "common/banned.h"

void
pty_size(const struct pty *p)
{
	struct winsize w;

	if (p->master != -1 && ioctl(p->out, TIOCGWINSZ, &w) == 0)
		ioctl(p->master, TIOCSWINSZ, &w);
}

static bool
in_foreground(void)
{
	return tcgetpgrp(0) == getpgrp();
}

void
pty_resume(struct pty *p)
{
	struct termios raw;

	pty_size(p);
	if (p->master == -1 || !p->reads || p->raw || !in_foreground())
		return;
	raw = p->saved;
	cfmakeraw(&raw);
	p->raw = tcsetattr(0, TCSADRAIN, &raw) == 0;
}

void
pty_cooked(struct pty *p)
{
	if (p->raw && in_foreground())
		tcsetattr(0, TCSADRAIN, &p->saved);
	p->raw = false;
}

void
pty_begin(struct pty *p, int master, const bool tty[static 3])
{
	*p = (struct pty){ .master = master, .reads = tty[0],
	    .out = tty[1] ? 1 : tty[2] ? 2 : 0 };
	fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
	if (tcgetattr(p->out, &p->saved) == 0)
		tcsetattr(master, TCSANOW, &p->saved);
	if (p->reads)
		p->reads = tcgetattr(0, &p->saved) == 0;
	pty_resume(p);
}

void
pty_wants(const struct pty *p, struct pollfd w[static 2])
{
	bool open = p->master != -1 && !p->hung_up;

	w[0] = (struct pollfd){ .fd = open ? p->master : -1,
	    .events = (short)(POLLIN | (p->n_typed > 0 ? POLLOUT : 0)) };
	/* In the background a read would stop us. */
	w[1] = (struct pollfd){ .fd = open && p->reads && p->raw &&
	    p->n_typed == 0 ? 0 : -1, .events = POLLIN };
}

static void
copy_out(struct pty *p)
{
	char buf[16384];
	ssize_t n = read(p->master, buf, sizeof buf);

	if (n > 0) {
		/* Nobody looks any more: the command decides what to do. */
		if (io_write_all(p->out, buf, (size_t)n, NULL) == -1)
			p->hung_up = true;
		return;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		p->hung_up = true;
}

void
pty_copy(struct pty *p, const struct pollfd w[static 2])
{
	ssize_t n;

	if ((w[1].revents & (POLLIN | POLLHUP)) != 0) {
		n = read(0, p->typed, sizeof p->typed);
		if (n > 0)
			p->n_typed = (size_t)n;
		else if (n == 0 || errno != EINTR)
			p->reads = false;
	}
	if (p->n_typed > 0) {
		n = write(p->master, p->typed, p->n_typed);
		if (n > 0) {
			p->n_typed -= (size_t)n;
			memmove(p->typed, p->typed + n, p->n_typed);
		}
	}
	if ((w[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
		copy_out(p);
}

void
pty_drain(struct pty *p)
{
	struct pollfd w = { .fd = p->master, .events = POLLIN };

	while (p->master != -1 && !p->hung_up && poll(&w, 1, 1000) == 1)
		copy_out(p);
}
