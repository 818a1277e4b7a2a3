/* jail/proxy/conn_open.c - from a target to a connected server. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/proxy/conn.h"
#include "jail/proxy/proxy.h"

#include "common/banned.h"

enum { SOCKS_VERSION = 5, SOCKS_CONNECT = 1, SOCKS_NOTHING = 0xff,
	SOCKS_V4 = 1, SOCKS_NAME = 3, SOCKS_V6 = 4, SOCKS_BAD_COMMAND = 7,
	SOCKS_BAD_ADDRESS = 8 };

/* At least n bytes of what the client sent; 0: not yet, -1: never. */
static int
have(struct conn *c, size_t n)
{
	if (end_fill(&c->client, n) == -1)
		return -1;
	if (c->client.in.len >= n)
		return 1;
	return c->client.eof ? -1 : 0;
}

static const unsigned char *
bytes(const struct conn *c)
{
	return (const unsigned char *)c->client.in.p + c->client.in.off;
}

/* Which ways of saying who one is are offered: we want none. */
int
conn_socks_hello(struct conn *c)
{
	unsigned char reply[2] = { SOCKS_VERSION, SOCKS_NOTHING };
	size_t n;
	int rc = have(c, 2);

	if (rc <= 0)
		return rc;
	n = 2U + bytes(c)[1];
	if ((rc = have(c, n)) <= 0)
		return rc;
	if (memchr(bytes(c) + 2, 0, n - 2) != NULL)
		reply[1] = 0;
	buf_skip(&c->client.in, n);
	if (end_send(&c->client, reply, sizeof reply) == -1)
		return -1;
	if (reply[1] == SOCKS_NOTHING)
		return -1;
	c->manner = MANNER_SOCKS;
	conn_go(c, STEP_SOCKS_ASK);
	return 1;
}

static int
socks_refuse(struct conn *c, unsigned char code)
{
	unsigned char reply[10] = { SOCKS_VERSION, code, 0, SOCKS_V4 };

	proxy_refused(c->proxy, &c->target, "a SOCKS request that is none, or "
	    "not a connect");
	end_send(&c->client, reply, sizeof reply);
	return -1;
}

static int
socks_host(const unsigned char *p, size_t n, unsigned char type,
    struct host *ret)
{
	struct sockaddr_storage s = { .ss_family = AF_INET6 };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	struct host h = { .is_ip = true };

	if (type == SOCKS_NAME)
		return host_parse((const char *)p, n, ret);
	if (type == SOCKS_V4) {
		address_from_v4(p, &h.ip);
	} else {
		memcpy(&v6.sin6_addr, p, n);
		memcpy(&s, &v6, sizeof v6);
		address_from_sock(&s, &h.ip);
	}
	return host_from_address(&h.ip, ret);
}

int
conn_socks_ask(struct conn *c)
{
	size_t at = 4, n;
	unsigned char type;
	int rc = have(c, 5);

	if (rc <= 0)
		return rc;
	type = bytes(c)[3];
	if (bytes(c)[0] != SOCKS_VERSION || bytes(c)[1] != SOCKS_CONNECT)
		return socks_refuse(c, SOCKS_BAD_COMMAND);
	if (type != SOCKS_V4 && type != SOCKS_V6 && type != SOCKS_NAME)
		return socks_refuse(c, SOCKS_BAD_ADDRESS);
	n = type == SOCKS_V4 ? 4 : type == SOCKS_V6 ? 16 : bytes(c)[at++];
	if ((rc = have(c, at + n + 2)) <= 0)
		return rc;
	c->target.port = (unsigned)bytes(c)[at + n] << 8 |
	    bytes(c)[at + n + 1];
	if (c->target.port == 0 || socks_host(bytes(c) + at, n, type,
	    &c->target.host) == -1)
		return socks_refuse(c, SOCKS_BAD_ADDRESS);
	buf_skip(&c->client.in, at + n + 2);
	return conn_open(c);
}

int
conn_open(struct conn *c)
{
	struct proxy *p = c->proxy;
	struct decided d = rules_decide(&p->rules, &c->target, NULL);

	if (d.what == DECIDE_DENY)
		return conn_deny(c, d.why);
	if (d.what == DECIDE_ASK) {
		c->ask = proxy_ask(p, &c->target);
		conn_go(c, STEP_ASKED);
		return c->ask == 0 ? -1 : 0;
	}
	c->n_to = c->next_to = 0;
	conn_go(c, STEP_LOOKUP);
	if (lookup_begin(&p->resolver, &c->target.host, p->now, &c->lookup) ==
	    0 && proxy_watch(p, c->lookup.fd, &c->lookup_source) == -1)
		return -1;
	return 1;
}

/*
 * Would we talk to ourselves?  Then the kernel gives our end the same
 * address.  No packet is sent for it.
 */
static bool
is_own(const struct address *a)
{
	struct sockaddr_storage s;
	socklen_t n = (socklen_t)address_to_sock(a, 9, &s);
	auto_close int fd = socket(s.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct address mine;

	if (fd == -1 || connect(fd, (struct sockaddr *)&s, n) == -1)
		return false;	/* nor will it be reached */
	n = sizeof s;
	if (getsockname(fd, (struct sockaddr *)&s, &n) == -1)
		return true;
	address_from_sock(&s, &mine);
	return memcmp(&mine, a, sizeof mine) == 0;
}

/* The name led to these: which may be dialled? */
static int
judge_addresses(struct conn *c)
{
	const char *why = NULL;
	bool asked;

	for (size_t i = 0; i < c->lookup.n; i++) {
		struct reached to = { c->lookup.found[i],
		    is_own(&c->lookup.found[i]) };
		struct decided d = rules_decide(&c->proxy->rules,
		    &c->target, &to);

		if (d.what == DECIDE_ALLOW)
			c->to[c->n_to++] = to;
		else
			why = d.why;
	}
	if (c->n_to == 0)
		return why != NULL ? conn_deny(c, why) : conn_fault(c, 502,
		    "no address is known for this host");
	/* Was a request what led here? */
	asked = c->manner == MANNER_HTTP || c->head.len > 0;
	c->after_dial = asked ? STEP_EXCHANGE : STEP_SNIFF;
	if (asked || (c->target.port != 443 && c->target.port != 80)) {
		conn_go(c, STEP_DIAL);
		return 1;
	}
	c->seen = 0;
	conn_go(c, c->target.port == 443 ? STEP_HELLO : STEP_HEAD);
	return conn_tell(c) == -1 ? -1 : 1;
}

int
conn_lookup(struct conn *c)
{
	struct lookup *l = &c->lookup;
	struct proxy *p = c->proxy;

	if (l->fd != -1 && lookup_ready(l) == 0) {
		if (p->now < l->deadline)
			return 0;
		if (lookup_again(&p->resolver, p->now, l) == 0) {
			conn_go(c, STEP_LOOKUP);
			return proxy_watch(p, l->fd, &c->lookup_source);
		}
	}
	return judge_addresses(c);
}

int
conn_tell(struct conn *c)
{
	static const char http[] = "HTTP/1.1 200 Connection established\r\n"
	    "\r\n";
	static const unsigned char socks[10] = { SOCKS_VERSION, 0, 0,
	    SOCKS_V4 };

	if (c->told || c->manner == MANNER_OPEN || c->manner == MANNER_HTTP)
		return 0;
	c->told = true;
	c->http = false;
	return c->manner == MANNER_SOCKS ?
	    end_send(&c->client, socks, sizeof socks) :
	    end_send(&c->client, http, sizeof http - 1);
}

/* One more address; 0: it is on its way, -1: there is none left. */
static int
dial_next(struct conn *c)
{
	while (c->next_to < c->n_to) {
		struct sockaddr_storage s;
		socklen_t n = (socklen_t)address_to_sock(
		    &c->to[c->next_to++].address, c->target.port, &s);
		int on = 1;

		c->server.fd = socket(s.ss_family, SOCK_STREAM |
		    SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (c->server.fd == -1)
			continue;
		setsockopt(c->server.fd, IPPROTO_TCP, TCP_NODELAY, &on,
		    sizeof on);
		setsockopt(c->server.fd, SOL_SOCKET, SO_KEEPALIVE, &on,
		    sizeof on);
		if ((connect(c->server.fd, (struct sockaddr *)&s, n) == 0 ||
		    errno == EINPROGRESS) && proxy_watch(c->proxy,
		    c->server.fd, &c->server.source) == 0)
			return 0;
		end_close(&c->server);
	}
	return -1;
}

int
conn_dial(struct conn *c)
{
	int bad = 0;
	socklen_t n = sizeof bad;

	if (c->server.fd == -1) {
		if (dial_next(c) == -1)
			return conn_fault(c, 502, "this host is allowed, but "
			    "it does not answer");
		conn_go(c, STEP_DIAL);
		return 0;
	}
	if (!c->server.writable && !c->server.hung_up)
		return 0;
	if (getsockopt(c->server.fd, SOL_SOCKET, SO_ERROR, &bad, &n) == -1 ||
	    bad != 0) {
		end_close(&c->server);
		return 1;
	}
	conn_go(c, c->after_dial);
	if (c->step == STEP_EXCHANGE) {
		if (end_send(&c->server, c->head.p, c->head.len) == -1)
			return -1;
		buf_free(&c->head);
	}
	return conn_tell(c) == -1 ? -1 : 1;
}

struct decided
conn_judge_again(const struct conn *c)
{
	const struct rules *r = &c->proxy->rules;
	struct decided d = rules_decide(r, &c->target, NULL);

	if (d.what == DECIDE_ALLOW && c->next_to > 0)
		d = rules_decide(r, &c->target, &c->to[c->next_to - 1]);
	return d;
}
