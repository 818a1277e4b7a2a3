#include "approver/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define LINE_MAX_TYPED	1024
#define CODE_DIGITS	6

struct tty {
	int		fd;
	struct termios	old;
	sigset_t	mask;
};

/*
 * Byte by byte and without ISIG: Ctrl-C is a byte that gives up, so that no
 * way out leaves the terminal without echo.  Signals that others send wait.
 */
static int
tty_begin(struct tty *t, bool echo, struct err *e)
{
	static const int held[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP };
	struct termios raw;
	sigset_t hold;

	t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (t->fd == -1 || tcgetattr(t->fd, &t->old) == -1) {
		mem_close_fd(&t->fd);
		return err_set(e, ERR_PERMITTED,
		    "this needs a terminal: nobody is there to be asked");
	}
	sigemptyset(&hold);
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		sigaddset(&hold, held[i]);
	sigprocmask(SIG_BLOCK, &hold, &t->mask);
	raw = t->old;
	raw.c_lflag &= (tcflag_t)~(ICANON | ISIG);
	if (!echo)
		raw.c_lflag &= (tcflag_t)~ECHO;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(t->fd, TCSAFLUSH, &raw) == -1) {
		err_sys(e, "cannot set up the terminal");
		sigprocmask(SIG_SETMASK, &t->mask, NULL);
		close(t->fd);
		return -1;
	}
	return 0;
}

static void
tty_end(struct tty *t)
{
	tcsetattr(t->fd, TCSAFLUSH, &t->old);
	if (write(t->fd, "\n", 1) == -1)
		errno = 0;	/* the terminal went away: nothing to tidy */
	sigprocmask(SIG_SETMASK, &t->mask, NULL);
	close(t->fd);
}

/* The last character, however many bytes it has. */
static void
rub_out(struct str *s)
{
	bool more = s->len > 0;

	while (more) {
		more = (s->s[--s->len] & 0xc0) == 0x80 && s->len > 0;
		s->s[s->len] = '\0';
	}
}

/* 1: a line; 0: given up. */
static int
tty_read_line(const struct tty *t, struct str *ret)
{
	for (;;) {
		char c;
		ssize_t n = read(t->fd, &c, 1);

		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0 || c == 3 || c == 4)
			return 0;
		if (c == '\n' || c == '\r')
			return 1;
		if (c == 21)
			str_reset(ret);
		else if (c == 127 || c == 8)
			rub_out(ret);
		else
			str_addc(ret, c);
	}
}

int
tty_passphrase(const char *prompt, struct str *ret, struct err *e)
{
	struct tty t;
	int got;

	if (tty_begin(&t, false, e) == -1)
		return -1;
	str_reset(ret);
	if (io_write_all(t.fd, prompt, strlen(prompt), e) == -1) {
		tty_end(&t);
		return -1;
	}
	got = tty_read_line(&t, ret);
	tty_end(&t);
	if (got == 0 || ret->full)
		return err_set(e, ERR_PERMITTED, "no passphrase was given");
	return 0;
}

int
tty_confirm(const char *question, struct err *e)
{
	auto_str struct str text = { 0 }, typed = { 0 };
	char code[CODE_DIGITS + 1];
	struct tty t;
	int got;

	for (size_t i = 0; i < CODE_DIGITS; i++)
		code[i] = (char)('0' + randombytes_uniform(10));
	code[CODE_DIGITS] = '\0';
	if (tty_begin(&t, true, e) == -1)
		return -1;
	str_init(&text, 4096);
	str_init(&typed, LINE_MAX_TYPED);
	str_addf(&text, "%s\nType %s to approve: ", question, code);
	got = io_write_all(t.fd, text.s, text.len, e) == -1 ? -1 :
	    tty_read_line(&t, &typed);
	tty_end(&t);
	if (got == -1)
		return -1;
	if (got == 0 || strcmp(typed.s, code) != 0)
		return err_set(e, ERR_PERMITTED,
		    "the code was not typed: nothing was approved");
	return 0;
}

unsigned
tty_columns(int fd)
{
	struct winsize w = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &w) == -1)
		return 0;
	return w.ws_col == 0 ? 80 : w.ws_col;
}

int
tty_line_from(int fd, size_t max, struct str *ret, struct err *e)
{
	size_t got = 0;

	for (;;) {
		char c;
		ssize_t n = read(fd, &c, 1);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot read the passphrase");
		if (n == 0 || c == '\n')
			return 0;
		if (++got > max)
			return err_set(e, ERR_USAGE,
			    "the passphrase is longer than %zu bytes", max);
		str_addc(ret, c);
	}
}
