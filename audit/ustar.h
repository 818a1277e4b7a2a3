/*
 * audit/ustar.h - a tar archive in which no byte is free.
 *
 * POSIX ustar, so that `tar xf` opens it; but a header is a function of name
 * and size alone (mode 0444, owner and time zero), padding is zero, and the
 * end is two zero blocks and nothing behind.  What does not look exactly like
 * that is refused.  Pure.
 */
#ifndef AUDIT_USTAR_H
#define AUDIT_USTAR_H

#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

#define USTAR_NAME	99

void	ustar_add(struct str *, const char *name, const void *, size_t len);
void	ustar_end(struct str *);

struct ustar {
	const char	*data;
	size_t		 len, at;
};
struct ustar_member {
	char		 name[USTAR_NAME + 1];
	const char	*data;
	size_t		 len;
};
/* 1 and a member, 0 at the end, -1 where the bytes are not ours. */
int	ustar_next(struct ustar *, struct ustar_member *ret, struct err *);

#endif
