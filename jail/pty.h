/*
 * jail/pty.h - the outer side of a jailed command's terminal.
 *
 * The command gets a terminal of its own, so that nothing it does to a terminal
 * (injecting input, modes, hanging up) reaches ours.  We copy: what is typed
 * goes in, what is printed comes out; while standard input is a terminal and
 * we are in its foreground, it is in raw mode and the inner terminal does the
 * editing, the echo and Ctrl-C.
 */
#ifndef JAIL_PTY_H
#define JAIL_PTY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct pty {
	int		 master;	/* -1: there is none */
	int		 out;		/* where output goes */
	bool		 reads;		/* standard input is a terminal */
	bool		 raw;
	bool		 hung_up;	/* no more output will come */
	struct termios	 saved;
	char		 typed[4096];	/* not yet taken by the inside */
	size_t		 n_typed;
};

/* `tty`: which of the descriptors 0, 1, 2 are terminals. */
void	pty_begin(struct pty *, int master, const bool tty[static 3]);

/* Raw again after a stop, if we are in the foreground; the size again. */
void	pty_resume(struct pty *);
void	pty_size(const struct pty *);
/* As it was. */
void	pty_cooked(struct pty *);

/* Fill two slots for poll(2), and copy what they then allow. */
void	pty_wants(const struct pty *p, struct pollfd w[static 2]);
void	pty_copy(struct pty *p, const struct pollfd w[static 2]);

/* Everything the inside printed before it died. */
void	pty_drain(struct pty *);

#endif
