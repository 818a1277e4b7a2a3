/*
 * jail/net.h - the way out of a jail's network namespace: the proxy.
 *
 * A jail has no interface but loopback.  Where the settings allow hosts, the
 * first process inside makes listeners there and hands them out, and
 * sandbox-proxy (jail/proxy/proxy.h), started outside, accepts from them: no
 * socket file, nothing to reach from elsewhere, and they exist before the
 * command does.  Clients that know nothing of proxies find our DNS in
 * /etc/resolv.conf.
 *
 * inside:	net_listen() → wire → outside: net_relay() → proxy
 */
#ifndef JAIL_NET_H
#define JAIL_NET_H

#include <sys/types.h>

#include "jail/spec.h"

#define NET_PORT	3128	/* HTTP and SOCKS5, on the jail's 127.0.0.1 */
#define NET_FDS		20	/* listeners at most */
#define NET_TEXT	512

/* Does anything lead out? */
bool	net_wanted(const struct spec *);

/* The variables that programs look for proxies in, NAME=VALUE. */
void	net_env(struct list *ret);

/*
 * Inside, while privileged: listeners for the proxy, DNS, and every port that
 * the rules open.  `text` says what each descriptor is.  Returns how many, or
 * -1.
 */
int	net_listen(const struct spec *, int fds[static NET_FDS],
	    char text[static NET_TEXT], struct err *);
/* Inside, when the tree stands: our DNS, and no names of the host's. */
int	net_names(struct err *);

/* Outside. */
struct refusal {
	char		*host;
	char		*why;
	unsigned	 port, times;
};

/* Somebody wants to go there, and waits. */
struct net_question {
	unsigned	 id, port;
	const char	*host;
};

struct jail_beside;

struct net {
	int		 control;	/* -1: no proxy, or it died */
	const struct jail_beside *beside; /* told of what is heard; or NULL */
	pid_t		 pid;
	unsigned long	 refused;	/* all of them */
	struct refusal	*v;		/* the first, each once */
	size_t		 n;
};

/* `program`: sandbox-proxy's path.  `ret->beside` must be set. */
int	net_start(const struct spec *, const char *program, struct net *ret,
	    struct err *);
/* Hand the listeners on; returns when the proxy serves them. */
int	net_relay(struct net *, const char *text, const int *fds, size_t n,
	    struct err *);
/* Other rules from now on.  -1: too many, or nobody is there. */
int	net_rules(const struct net *, const struct spec *, struct err *);
/* The answer to a question; `yes` holds as long as the proxy lives. */
void	net_answer(const struct net *, unsigned id, bool yes);
/* Something is to be read from `control`.  -1: the proxy is dead. */
int	net_hear(struct net *);
/* A line for each refusal so far, at most `max`, and how many there were. */
void	net_notes(struct net *, size_t max, struct list *ret);
void	net_end(struct net *);

#endif
