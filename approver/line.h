/*
 * approver/line.h - watching without a screen: one event, one line.
 *
 * For dumb terminals, SSH, screen readers and scripts.  Every request gets a
 * number that is never used again, so a key typed late cannot hit another
 * request.  `a N` approves what line N showed: the digest is bound to the
 * number.  What one line could not show in full must be shown (`s N`) before
 * it can be approved.
 *
 *	a N		approve        d N [reason]	deny
 *	s N		show           x N		stop a running one
 *	e N COMMAND	run that instead: shown again, then `a N`
 *	r N WISH	remember it, too: shown again, then `a N`
 *	t N		approve and give it this terminal
 *	X N		asks       X N yes	deny all that wait from the
 *					session of N
 *	f		files that agents changed, the newest last, numbered
 *	f N		that change    u N yes	as before it
 *	g		the end of the audit log, and whether it is whole
 *	l		list again     ?  help          q  quit
 */
#ifndef APPROVER_LINE_H
#define APPROVER_LINE_H

#include "approver/watched.h"

/*
 * Until `q` or the end of `in`; 0, or -1 when no queue can be read, or when
 * stdout cannot be written.
 */
int	line_run(const struct watched *, int in, struct err *);

#endif
