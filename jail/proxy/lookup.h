/*
 * jail/proxy/lookup.h - from a name to addresses.
 *
 * /etc/hosts and the name servers of /etc/resolv.conf, read once at the start
 * (afterwards this process cannot open files).  A lookup has a socket of its
 * own, so that its answers can come from one server only, and asks for IPv4
 * and IPv6 at once; a server that is silent for LOOKUP_MS is followed by the
 * next.  Names are asked as they are: search lists are for people.
 */
#ifndef JAIL_PROXY_LOOKUP_H
#define JAIL_PROXY_LOOKUP_H

#include <stdint.h>
#include <sys/socket.h>

#include "jail/proxy/dns.h"

#define LOOKUP_MS	2000
#define SERVERS_MAX	3
#define ROUNDS		2	/* through the list of servers */

struct known {
	struct host	 name;
	struct address	 address;
};

struct resolver {
	struct address	 servers[SERVERS_MAX];
	size_t		 n_servers;
	struct known	*hosts;
	size_t		 n_hosts;
};

/* The two files' texts; what makes no sense is skipped. */
void	resolver_read(const char *resolv_conf, const char *hosts,
	    struct resolver *ret);
void	resolver_clear(struct resolver *);

struct lookup {
	int		 fd;		/* -1: not waiting */
	struct host	 name;
	uint16_t	 id[2];		/* A, AAAA */
	bool		 answered[2];
	unsigned	 tries;
	int64_t		 deadline;
	struct address	 found[DNS_ANSWERS];
	size_t		 n;
};

/* 1: finished (found, maybe nothing), 0: wait for `fd`, or the deadline. */
int	lookup_begin(const struct resolver *, const struct host *,
	    int64_t now, struct lookup *ret);
/* Something is to be read from fd; as above. */
int	lookup_ready(struct lookup *);
/* The deadline has passed: ask the next server.  `fd` is another one. */
int	lookup_again(const struct resolver *, int64_t now, struct lookup *);
void	lookup_end(struct lookup *);

#endif
