/*
 * jail/proxy/alias.h - addresses of 127.1.0.0/16 that stand for names.  Pure.
 */
#ifndef JAIL_PROXY_ALIAS_H
#define JAIL_PROXY_ALIAS_H

#include "jail/proxy/host.h"

#define ALIASES_MAX	4096

struct aliases {
	struct host	*v;
	size_t		 n;
};

/* The name's address, a new one if need be; -1: all are given out. */
int	alias_for(struct aliases *, const struct host *,
	    unsigned char ret[static 4]);
/* What the address stands for, or NULL. */
const struct host *alias_of(const struct aliases *, const struct address *);
void	aliases_clear(struct aliases *);

#endif
