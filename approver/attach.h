/*
 * approver/attach.h - this terminal becomes a command's, for one run.
 *
 *	attach_open(&at, e)			a pty, and a pipe
 *	decide(..., { .attach = &at }, ...)	the runner gets its ends
 *	attach_run(&at, e)			until the command is over
 *	attach_close(&at)
 *
 * The runner holds the pty's master, spools what the command says as ever and
 * sends a copy; we write what is typed straight into the master.  So `sudo`
 * can ask for a password, the output is captured all the same, and a terminal
 * that goes away ends nothing.
 *
 * What is said passes visible() here as everywhere: the command has a dumb
 * terminal (TERM says so), for questions and answers, not for drawing.
 * Escapes and a carriage return that would overwrite a line are shown.
 */
#ifndef APPROVER_ATTACH_H
#define APPROVER_ATTACH_H

#include <stdbool.h>

#include "common/err.h"
#include "common/str.h"

#define ATTACH_LEAVE	0x1d	/* Ctrl-]: back to the list, it runs on */

struct attach {
	int	master, slave;	/* both ours until attach_run */
	int	said[2];
};

#define ATTACH_INIT	{ -1, -1, { -1, -1 } }
#define auto_attach	__attribute__((cleanup(attach_close)))

/* As wide as stdout is.  ERR_PERMITTED: stdin and stdout are no terminal. */
int	attach_open(struct attach *ret, struct err *);
/*
 * After decide(): copy until the command is over (*ret_left false) or somebody
 * pressed Ctrl-], or a signal came: it is delivered when the terminal, raw
 * meanwhile, is as before.
 */
int	attach_run(struct attach *, bool *ret_left, struct err *);
void	attach_close(struct attach *);

/*
 * The visible form of a piece of a terminal's output, "\r\n" for its line
 * ends; a character that is not whole yet stays in `held`.  For tests.
 */
void	attach_show(struct str *held, const char *, size_t len,
	    struct str *ret);

#endif
