/*
 * hooks/wire.h - what guard and worker say to each other.
 *
 * The worker writes
 *
 *	W <seconds>\n			optional: a human is asked
 *	A <exit> <out bytes> <err bytes>\n
 *	<out><err>E\n
 *
 * and exits 0.  Anything else, one byte more or less, is no answer.  Numbers
 * are decimal digits without a leading zero.  The exit status is 0 or 2: no
 * client takes another one for a refusal.  What goes to stdout is empty or one
 * JSON object.  Silence is `A 0 0 0`.
 *
 * Everything here is pure and allocates nothing: the guard links it.
 */
#ifndef HOOKS_WIRE_H
#define HOOKS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_INPUT	(8 * 1024 * 1024)	/* a call, at most */
#define WIRE_REPLY	(512 * 1024)		/* all the worker may write */
#define WIRE_WAIT_S	86000			/* of a W, at most */

struct wire_reply {
	int	    status;
	const char *out, *err;	/* into the bytes that were read */
	size_t	    n_out, n_err;
};

/*
 * The number at *p, which `stop` ends; moves *p behind stop.  -1: no number,
 * or above max.
 */
long	wire_number(const char **p, const char *end, char stop, long max);

/* Decimal digits and a NUL; ret has room for 11 bytes. */
void	wire_put(uint32_t, char *ret);

/*
 * A whole W line at the beginning?  Its seconds and, in *ret_len, its length;
 * 0: not (yet), -1: a W that is none.
 */
long	wire_wait(const char *p, size_t len, size_t *ret_len);

/* Is this, behind a W line if there was one, exactly one answer? */
bool	wire_reply(const char *p, size_t len, struct wire_reply *ret);

/*
 * May this environment entry travel?  LANG, TZ and LC_* with a short value
 * that names no path.
 */
bool	wire_locale_ok(const char *entry);

#endif
