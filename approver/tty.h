/*
 * approver/tty.h - asking the person at the terminal, and nobody else.
 *
 * Always /dev/tty, never stdin: what is piped in cannot answer.  What was
 * typed before the question is dropped.
 */
#ifndef APPROVER_TTY_H
#define APPROVER_TTY_H

#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

/* A passphrase, not echoed.  ERR_PERMITTED: no terminal, or given up. */
int	tty_passphrase(const char *prompt, struct str *ret, struct err *);

/*
 * Show `question` and six digits; the person types them.  0 when they match.
 * ERR_PERMITTED: no terminal, or other digits.
 */
int	tty_confirm(const char *question, struct err *);

/* One line up to max bytes from a descriptor: --passphrase-fd. */
int	tty_line_from(int fd, size_t max, struct str *ret, struct err *);

/* How wide the terminal there is; 0: it is none. */
unsigned tty_columns(int fd);

#endif
