/*
 * jail/proxy/proxy.h - the way out of a jail: one process, one thread.
 *
 * sandbox-proxy is started outside by the jail's outer process and holds two
 * things: descriptor 3, the control socket to that process, and the network
 * of the host.  Its listeners were made inside the jail's network namespace
 * and come over the control socket, so clients inside reach it and nobody
 * else can.  Before the first client it gives up everything but sockets
 * (jail/proxy/confine.h).
 *
 * Control packets (SOCK_SEQPACKET, text):
 *	in	rules			with a descriptor: the rules, as a file
 *		listen K K ...		with descriptors: what each is, "proxy",
 *					"dns" or a port taken transparently
 *		answer ID yes|no	to ask
 *	out	ready
 *		refused COUNT PORT HOST WHY
 *		ask ID PORT HOST
 * Its end of file ends the process.
 *
 * A client that ignores proxies asks our DNS, which answers allowed names with
 * an address of 127.1.0.0/16 that stands for the name; what is then connected
 * to is accepted transparently.  So is a loopback address that the rules name
 * with that port: it is the outside's, for clients that use no proxy there.
 */
#ifndef JAIL_PROXY_PROXY_H
#define JAIL_PROXY_PROXY_H

#include "jail/pass.h"
#include "jail/proxy/alias.h"
#include "jail/proxy/conn.h"
#include "jail/proxy/lookup.h"
#include "jail/proxy/rules.h"

#define LISTENERS_MAX	PASS_MAX

struct listener {
	struct source	 source;
	struct proxy	*proxy;
	int		 fd;
	unsigned	 port;		/* transparent; else PORT_ANY */
};

struct proxy {
	int		 ep;
	struct source	 control_source;
	int		 control;
	struct rules	 rules;
	struct resolver	 resolver;
	struct aliases	 aliases;
	struct listener	 listeners[LISTENERS_MAX];
	size_t		 n_listeners;
	struct conn	*conns;		/* newest first */
	struct conn	*over;		/* ended in this round */
	size_t		 n_conns, max_conns;
	unsigned	 asked;
	unsigned long	 refused;	/* so far */
	bool		 busy;		/* some conn wants another turn */
	bool		 ended;
	int64_t		 now;		/* boot ms, of this round */
};

/* The whole life of the process. */
int	proxy_run(int control, struct err *);

/* For connections: edge-triggered, both directions. */
int	proxy_watch(struct proxy *, int fd, struct source *);
void	proxy_refused(struct proxy *, const struct target *, const char *why);
unsigned proxy_ask(struct proxy *, const struct target *);

/* Parts of proxy_run. */
int	proxy_listen(struct proxy *, int fd, const char *what);
void	proxy_control(struct source *, uint32_t events);

#endif
