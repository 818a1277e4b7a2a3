#include "approver/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "approver/fold.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define TICK_MS		500	/* a resize is looked for this often */
#define CHUNK		4096

/* As wide as ours, and the line ends as written: ours come with attach_show. */
static int
prepare_slave(int fd, struct err *e)
{
	struct termios t;
	struct winsize w;

	if (tcgetattr(fd, &t) == -1)
		return err_sys(e, "cannot ask a terminal");
	t.c_oflag &= (tcflag_t)~ONLCR;
	if (tcsetattr(fd, TCSANOW, &t) == -1)
		return err_sys(e, "cannot set up a terminal");
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		ioctl(fd, TIOCSWINSZ, &w);
	return 0;
}

int
attach_open(struct attach *ret, struct err *e)
{
	auto_attach struct attach at = ATTACH_INIT;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, ERR_PERMITTED, "this needs a terminal: there "
		    "is none to give away");
	at.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (at.master == -1 || unlockpt(at.master) == -1)
		return err_sys(e, "cannot make a terminal");
	at.slave = ioctl(at.master, TIOCGPTPEER, O_RDWR | O_NOCTTY |
	    O_CLOEXEC);
	if (at.slave == -1)
		return err_sys(e, "cannot open a terminal");
	if (prepare_slave(at.slave, e) == -1)
		return -1;
	if (pipe2(at.said, O_CLOEXEC) == -1)
		return err_sys(e, "cannot make a pipe");
	*ret = (struct attach){
		.master = fd_steal(&at.master), .slave = fd_steal(&at.slave),
		.said = { fd_steal(&at.said[0]), fd_steal(&at.said[1]) },
	};
	return 0;
}

static void
drop(int *fd)
{
	mem_close_fd(fd);
	*fd = -1;
}

void
attach_close(struct attach *at)
{
	drop(&at->master);
	drop(&at->slave);
	drop(&at->said[0]);
	drop(&at->said[1]);
}

void
attach_show(struct str *held, const char *bytes, size_t len, struct str *ret)
{
	size_t keep, end, at = 0;

	str_addn(held, bytes, len);
	keep = fold_unfinished(held->s, held->len);
	/* "\r\n" may come in two pieces. */
	if (keep == 0 && held->len > 0 && held->s[held->len - 1] == '\r')
		keep = 1;
	end = held->len - keep;
	while (at < end) {
		const char *nl = memchr(held->s + at, '\n', end - at);
		size_t stop = nl == NULL ? end : (size_t)(nl - held->s);
		size_t n = stop - at;

		if (nl != NULL && n > 0 && held->s[stop - 1] == '\r')
			n--;
		visible(held->s + at, n, VISIBLE_TAB, ret);
		if (nl != NULL)
			str_add(ret, "\r\n");
		at = stop + (nl != NULL);
	}
	memmove(held->s, held->s + end, keep + 1);
	held->len = keep;
}

static void
follow_size(const struct attach *at, struct winsize *now)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == -1 ||
	    (w.ws_row == now->ws_row && w.ws_col == now->ws_col))
		return;
	*now = w;
	ioctl(at->master, TIOCSWINSZ, &w);
}

/* False: Ctrl-], or nobody types any more. */
static bool
send_typed(const struct attach *at)
{
	char buf[256], *leave;
	ssize_t n = read(STDIN_FILENO, buf, sizeof buf);

	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	leave = memchr(buf, ATTACH_LEAVE, (size_t)n);
	if (leave != NULL)
		n = leave - buf;
	/* A command that reads nothing loses what its terminal cannot hold. */
	if (n > 0 && write(at->master, buf, (size_t)n) == -1 &&
	    errno != EAGAIN && errno != EINTR)
		return false;
	return leave == NULL;
}

/* 1: more may come; 0: it is over. */
static int
show_said(const struct attach *at, struct str *held, struct err *e)
{
	char buf[CHUNK];
	auto_str struct str out = { 0 };
	ssize_t n = read(at->said[0], buf, sizeof buf);

	if (n == -1 && errno == EINTR)
		return 1;
	str_init(&out, 16 * CHUNK);
	if (n > 0)
		attach_show(held, buf, (size_t)n, &out);
	else
		visible(held->s, held->len, VISIBLE_TAB, &out);
	return io_write_all(STDOUT_FILENO, out.s, out.len, e) == -1 ? -1 :
	    n > 0;
}

static int
copy(struct attach *at, int signals, bool *ret_left, struct err *e)
{
	struct pollfd p[3] = { { .fd = at->said[0], .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = signals, .events = POLLIN } };
	struct winsize size = { 0 };
	auto_str struct str held = { 0 };

	str_init(&held, 2 * CHUNK);
	for (;;) {
		int got;

		follow_size(at, &size);
		if (poll(p, 3, TICK_MS) == -1)
			continue;
		if (p[2].revents != 0) {
			*ret_left = true;
			return 0;
		}
		if (p[0].revents != 0 && (got = show_said(at, &held, e)) != 1)
			return got;
		if (p[1].revents != 0 && !send_typed(at)) {
			*ret_left = true;
			return 0;
		}
	}
}

/*
 * What would end or stop us waits until the terminal is as it was; the
 * descriptor says that it is there.
 */
static int
hold_signals(sigset_t *ret_mask, struct err *e)
{
	static const int held[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		sigaddset(&set, held[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd == -1)
		return err_sys(e, "cannot make a signalfd");
	sigprocmask(SIG_BLOCK, &set, ret_mask);
	return fd;
}

int
attach_run(struct attach *at, bool *ret_left, struct err *e)
{
	auto_close int signals = -1;
	struct termios old, raw;
	sigset_t mask;
	int got = 0;

	/* Ours would keep the runner from seeing the end, and us from his. */
	drop(&at->slave);
	drop(&at->said[1]);
	*ret_left = false;
	if (tcgetattr(STDIN_FILENO, &old) == -1)
		return err_sys(e, "cannot ask the terminal");
	if ((signals = hold_signals(&mask, e)) == -1)
		return -1;
	raw = old;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == -1)
		got = err_sys(e, "cannot set up the terminal");
	if (got == 0)
		got = copy(at, signals, ret_left, e);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return got;
}
