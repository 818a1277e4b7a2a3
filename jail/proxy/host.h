/*
 * jail/proxy/host.h - one spelling for every host.  Pure.
 *
 * What clients, rules, DNS questions, TLS and Host headers call a host is
 * compared only after it went through here: lower case, no trailing dot, every
 * way to write an IPv4 address (octal, hex, one number, mapped into IPv6) as
 * the address itself.  What two programs could read differently is no host:
 * bytes outside a-z 0-9 - _ ., empty labels, a name whose last label is a
 * number.  Names in other scripts must come as "xn--...", as on the wire.
 */
#ifndef JAIL_PROXY_HOST_H
#define JAIL_PROXY_HOST_H

#include <stdbool.h>
#include <stddef.h>

#define HOST_MAX	253
#define PORT_ANY	0

/* IPv6, or IPv4 mapped into it: the one form in which addresses compare. */
struct address {
	unsigned char	b[16];
};

struct host {
	char		text[HOST_MAX + 1];	/* canonical */
	bool		is_ip;
	struct address	ip;
};

/* -1: this is no host.  IPv6 may stand in brackets. */
int	host_parse(const char *text, size_t len, struct host *ret);

/* HOST or HOST:PORT; without a port `fallback`.  0 is no port. */
int	host_port_parse(const char *text, size_t len, unsigned fallback,
	    struct host *ret, unsigned *ret_port);

/* -1: the address has no text. */
int	host_from_address(const struct address *, struct host *ret);

bool	host_same(const struct host *, const struct host *);

/* From and to what connect(2) takes. */
struct sockaddr_storage;
void	address_from_v4(const unsigned char v4[static 4], struct address *ret);
bool	address_is_v4(const struct address *);
/* Returns the size of what was written. */
size_t	address_to_sock(const struct address *, unsigned port,
	    struct sockaddr_storage *ret);
void	address_from_sock(const struct sockaddr_storage *,
	    struct address *ret);

/* Do the first `bits` of both agree? */
bool	address_within(const struct address *, const struct address *net,
	    unsigned bits);

#endif
