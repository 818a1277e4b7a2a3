/*
 * The terminal, and how it is given back: at the end, for a question, on
 * Ctrl-Z, and from a crash, where only write(2) and tcsetattr(3) are allowed.
 */
#include "approver/screen_inside.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define ESC_WAIT_MS	25
#define BURST_MS	20
#define BURST_ROUNDS	5	/* a key held down is drawn, too */
#define MODES_ON	"\033[?2004h\033[?1004h"
#define MODES_OFF	"\033[?2004l\033[?1004l"

enum { CODE_PASTE = 0x300, CODE_PASTE_END, CODE_FOCUS_IN, CODE_FOCUS_OUT };

static struct termios before;
static char give_back[256];
static size_t give_back_len;
static volatile sig_atomic_t must_end, must_stop;
static volatile sig_atomic_t is_ours;

static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
	SIGSYS, SIGQUIT };

static void
on_crash(int sig)
{
	if (is_ours) {
		ssize_t n = write(STDOUT_FILENO, give_back, give_back_len);

		(void)n;	/* there is nobody left to tell */
	}
	/* A question or a command may have it raw. */
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	/* SA_RESETHAND: now it does what it would have done. */
	raise(sig);
}

static void
on_end(int sig)
{
	(void)sig;
	must_end = 1;
}

static void
on_stop(int sig)
{
	(void)sig;
	must_stop = 1;
}

static void
handle(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_flags = flags };

	sa.sa_handler = fn;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void
add_back(const char *s)
{
	if (s == NULL || s == (char *)-1)
		return;
	for (; *s != '\0' && give_back_len < sizeof give_back; s++) {
		if (s[0] == '$' && s[1] == '<')	/* a delay, not a byte */
			s = strchr(s, '>');
		else
			give_back[give_back_len++] = *s;
		if (s == NULL)
			return;
	}
}

static char *
capability(const char *name)
{
	auto_free char *copy = xstrdup(name);

	return tigetstr(copy);
}

static void
modes(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void
catch_signals(void)
{
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		handle(crashes[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER));
	handle(SIGTERM, on_end, 0);
	handle(SIGHUP, on_end, 0);
	handle(SIGINT, on_end, 0);
	handle(SIGTSTP, on_stop, 0);
	handle(SIGPIPE, SIG_IGN, 0);
}

bool
screen_can(void)
{
	const char *term = getenv("TERM");
	int wrong;

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
	    term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0 &&
	    setupterm(NULL, STDOUT_FILENO, &wrong) == OK &&
	    capability("cup") != NULL && capability("cup") != (char *)-1;
}

int
term_enter(struct err *e)
{
	if (tcgetattr(STDIN_FILENO, &before) == -1)
		return err_sys(e, "cannot ask the terminal");
	setlocale(LC_CTYPE, "");
	catch_signals();
	if (newterm(NULL, stdout, stdin) == NULL)
		return err_set(e, ERR_SYSTEM, "cannot use this terminal; "
		    "`sandbox watch --line` can");
	set_escdelay(ESC_WAIT_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	curs_set(0);
	define_key("\033[200~", CODE_PASTE);
	define_key("\033[201~", CODE_PASTE_END);
	define_key("\033[I", CODE_FOCUS_IN);
	define_key("\033[O", CODE_FOCUS_OUT);
	paint_begin();
	give_back_len = 0;
	add_back(MODES_OFF);
	add_back(capability("sgr0"));
	add_back(capability("cnorm"));
	add_back(capability("rmkx"));
	add_back(capability("rmcup"));
	is_ours = 1;
	modes(MODES_ON);
	return 0;
}

void
term_lend(void)
{
	modes(MODES_OFF);
	endwin();
	is_ours = 0;
}

void
term_take_back(void)
{
	is_ours = 1;
	modes(MODES_ON);
	clearok(stdscr, TRUE);
	refresh();
	curs_set(0);
	flushinp();
}

void
term_leave(void)
{
	if (is_ours)
		term_lend();
}

bool
term_must_end(void)
{
	return must_end != 0;
}

bool
term_must_stop(void)
{
	bool now = must_stop != 0;

	must_stop = 0;
	return now;
}

void
term_drop_keys(void)
{
	flushinp();
}

bool
term_is_gone(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, 0) == 1 &&
	    (p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

static int
meaning(int code)
{
	static const struct {
		int	code, key;
	} keys[] = {
		{ KEY_UP, KEY_IS_UP }, { KEY_DOWN, KEY_IS_DOWN },
		{ KEY_LEFT, KEY_IS_LEFT }, { KEY_RIGHT, KEY_IS_RIGHT },
		{ KEY_PPAGE, KEY_IS_PAGE_UP }, { KEY_NPAGE, KEY_IS_PAGE_DOWN },
		{ KEY_HOME, KEY_IS_HOME }, { KEY_END, KEY_IS_END },
		{ KEY_DC, KEY_IS_DELETE }, { KEY_ENTER, '\r' },
		{ KEY_BACKSPACE, KEY_IS_BACKSPACE },
		{ CODE_PASTE, KEY_IS_PASTE },
		{ CODE_PASTE_END, KEY_IS_PASTE_END },
		{ CODE_FOCUS_IN, KEY_IS_FOCUS_IN },
		{ CODE_FOCUS_OUT, KEY_IS_FOCUS_OUT },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code < 0x100 ? code : 0;
}

static size_t
read_keys(int *ret, size_t n, size_t max)
{
	int c;

	while (n < max && (c = getch()) != ERR)
		if (c != KEY_RESIZE)
			ret[n++] = meaning(c);
	return n;
}

size_t
term_keys(int *ret, size_t max)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	size_t n = read_keys(ret, 0, max);

	/* The first byte of a paste may come alone; a person's next does not
	 * come so soon. */
	for (int i = 0; i < BURST_ROUNDS && n > 0 && n < max &&
	    poll(&p, 1, BURST_MS) == 1 && (p.revents & POLLIN) != 0; i++) {
		size_t before_n = n;

		n = read_keys(ret, n, max);
		if (n == before_n)
			break;
	}
	return n;
}
