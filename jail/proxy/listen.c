/* jail/proxy/listen.c - clients and questions from inside. */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/proxy/proxy.h"

#include "common/banned.h"

#define BATCH	32

/* Of those that have not even asked yet, the one that waits longest. */
static void
make_room(struct proxy *p)
{
	struct conn *oldest = NULL;

	for (struct conn *c = p->conns; c != NULL; c = c->next)
		if (c->step <= STEP_HEAD)
			oldest = c;
	if (oldest != NULL)
		conn_end(oldest);
}

/*
 * Transparent: what does the address stand for that was connected to?  Where
 * the settings name a server of this machine's own loopback ("127.0.0.1:8080")
 * for itself; where they do not, the jail's has none.
 */
static int
find_target(const struct listener *l, int fd, struct target *ret)
{
	struct sockaddr_storage s;
	socklen_t n = sizeof s;
	struct target t = { .port = l->port };
	const struct host *name;
	struct reached to;

	if (getsockname(fd, (struct sockaddr *)&s, &n) == -1)
		return -1;
	address_from_sock(&s, &to.address);
	to.own = true;
	name = alias_of(&l->proxy->aliases, &to.address);
	if (name != NULL)
		t.host = *name;
	else if (host_from_address(&to.address, &t.host) == -1 ||
	    rules_decide(&l->proxy->rules, &t, &to).what != DECIDE_ALLOW)
		return -1;
	*ret = t;
	return 0;
}

static void
accept_ready(struct source *src, uint32_t events)
{
	struct listener *l = (struct listener *)(void *)src;
	struct proxy *p = l->proxy;
	struct target t;

	(void)events;
	for (int i = 0; i < BATCH; i++) {
		int fd;

		if (p->n_conns >= p->max_conns)
			make_room(p);
		fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd == -1)
			return;
		if (p->n_conns >= p->max_conns ||
		    (l->port != PORT_ANY && find_target(l, fd, &t) == -1))
			close(fd);
		else
			conn_new(p, fd, l->port == PORT_ANY ? NULL : &t);
	}
}

/* An allowed name, or one that may be asked for, gets an address. */
static enum dns_code
answer(struct proxy *p, const struct dns_question *q, unsigned char v4[4],
    bool *ret_has)
{
	static const unsigned char loopback[4] = { 127, 0, 0, 1 };
	struct target t = { q->name, PORT_ANY };
	struct decided d;

	*ret_has = false;
	if (!q->is_host)
		return DNS_NO_NAME;
	if (strcmp(q->name.text, "localhost") == 0) {
		memcpy(v4, loopback, 4);
		*ret_has = q->type == DNS_A;
		return DNS_OK;
	}
	d = rules_decide(&p->rules, &t, NULL);
	if (d.what == DECIDE_DENY) {
		/*
		 * Both families are asked for at once: one refusal.  Names of
		 * one word are machines that somebody looks for out of habit.
		 */
		if (q->type == DNS_A && strchr(q->name.text, '.') != NULL)
			proxy_refused(p, &t, d.why);
		return DNS_NO_NAME;
	}
	if (q->type != DNS_A)
		return DNS_OK;
	if (alias_for(&p->aliases, &q->name, v4) == -1)
		return DNS_FAILED;
	*ret_has = true;
	return DNS_OK;
}

static void
question_ready(struct source *src, uint32_t events)
{
	struct listener *l = (struct listener *)(void *)src;

	(void)events;
	for (int i = 0; i < BATCH; i++) {
		unsigned char in[DNS_MAX], out[DNS_MAX], v4[4];
		struct sockaddr_storage from;
		socklen_t size = sizeof from;
		struct dns_question q;
		enum dns_code code;
		bool has;
		ssize_t n = recvfrom(l->fd, in, sizeof in, MSG_DONTWAIT,
		    (struct sockaddr *)&from, &size);

		if (n == -1)
			return;
		if (dns_question_read(in, (size_t)n, &q) == -1)
			continue;
		code = answer(l->proxy, &q, v4, &has);
		sendto(l->fd, out, dns_reply_write(in, &q, code, has ? v4 :
		    NULL, out), MSG_DONTWAIT | MSG_NOSIGNAL,
		    (struct sockaddr *)&from, size);
	}
}

int
proxy_listen(struct proxy *p, int fd, const char *what)
{
	struct listener *l = &p->listeners[p->n_listeners];
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &l->source };

	if (p->n_listeners == LISTENERS_MAX)
		return -1;
	*l = (struct listener){ { accept_ready }, p, fd, PORT_ANY };
	if (strcmp(what, "dns") == 0)
		l->source.ready = question_ready;
	else if (strcmp(what, "proxy") != 0)
		l->port = (unsigned)strtoul(what, NULL, 10);
	if (epoll_ctl(p->ep, EPOLL_CTL_ADD, fd, &ev) == -1)
		return -1;
	p->n_listeners++;
	return 0;
}
