#include "jail/proxy/conn.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/proxy/proxy.h"

#include "common/banned.h"

#define TURNS		32		/* steps before others have a turn */
#define DRAIN_MAX	(16 << 20)	/* of a refused client's own words */
#define TEXT_MAX	2048

static int step_first(struct conn *);
static int step_wait(struct conn *);
static int step_linger(struct conn *);

/* What each step does, and how long it may take without any progress. */
static const struct {
	int	(*run)(struct conn *);
	int64_t	  ms;
} steps[STEPS] = {
	[STEP_FIRST] = { step_first, 30000 },
	[STEP_SOCKS_HELLO] = { conn_socks_hello, 30000 },
	[STEP_SOCKS_ASK] = { conn_socks_ask, 30000 },
	[STEP_HEAD] = { conn_head, 60000 },
	[STEP_ASKED] = { step_wait, 0 },
	[STEP_LOOKUP] = { conn_lookup, LOOKUP_MS },
	[STEP_HELLO] = { conn_hello, 30000 },
	[STEP_DIAL] = { conn_dial, 10000 },
	[STEP_EXCHANGE] = { conn_exchange, 600000 },
	[STEP_SNIFF] = { conn_sniff, 7200000 },
	[STEP_TUNNEL] = { conn_tunnel, 7200000 },
	[STEP_LINGER] = { step_linger, 2000 },
};

void
conn_go(struct conn *c, enum step step)
{
	int64_t ms = steps[step].ms;

	c->step = step;
	c->deadline = ms == 0 ? 0 : c->proxy->now + ms;
}

static void
heard(struct source *s, uint32_t events)
{
	struct end *e = (struct end *)(void *)s;

	end_heard(e, events);
	conn_run(e->conn);
}

static void
looked_up(struct source *s, uint32_t events)
{
	struct conn *c = (struct conn *)(void *)((char *)s -
	    offsetof(struct conn, lookup_source));

	(void)events;
	conn_run(c);
}

void
conn_new(struct proxy *p, int fd, const struct target *target)
{
	struct conn *c = xcalloc(1, sizeof *c);
	int on = 1;

	c->proxy = p;
	c->lookup.fd = -1;
	c->lookup_source.ready = looked_up;
	end_init(&c->client, c, heard);
	end_init(&c->server, c, heard);
	way_init(&c->up, &c->client, &c->server);
	way_init(&c->down, &c->server, &c->client);
	c->client.fd = fd;
	c->next = p->conns;
	if (c->next != NULL)
		c->next->prev = c;
	p->conns = c;
	p->n_conns++;
	conn_go(c, STEP_FIRST);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	/* The first event, which comes at once, starts it. */
	if (target != NULL) {
		c->manner = MANNER_OPEN;
		c->target = *target;
	}
	if (proxy_watch(p, fd, &c->client.source) == -1)
		conn_end(c);
}

void
conn_end(struct conn *c)
{
	struct proxy *p = c->proxy;

	if (c->ended)
		return;
	c->ended = true;
	lookup_end(&c->lookup);
	way_close(&c->up);
	way_close(&c->down);
	end_close(&c->client);
	end_close(&c->server);
	buf_free(&c->head);
	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		p->conns = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	p->n_conns--;
	c->next = p->over;
	p->over = c;
}

void
conn_free(struct conn *c)
{
	free(c);
}

void
conn_run(struct conn *c)
{
	int rc = 1;

	if (c->ended)
		return;
	for (int i = 0; i < TURNS && rc == 1; i++)
		rc = steps[c->step].run(c);
	c->again = rc == 1;
	c->proxy->busy |= c->again;
	if (rc == -1)
		conn_end(c);
}

void
conn_timeout(struct conn *c)
{
	/* These have something else to try. */
	if (c->step == STEP_DIAL)
		end_close(&c->server);
	if (c->step == STEP_DIAL || c->step == STEP_LOOKUP)
		conn_run(c);
	else
		conn_end(c);
}

void
conn_answered(struct conn *c, bool yes)
{
	c->ask = 0;
	if (!yes && conn_deny(c, "a person was asked and said no, or did not "
	    "answer in time") == -1) {
		conn_end(c);
		return;
	}
	if (yes && conn_open(c) == -1) {
		conn_end(c);
		return;
	}
	conn_run(c);
}

static int
step_first(struct conn *c)
{
	if (c->manner == MANNER_OPEN && c->target.port == 80) {
		conn_go(c, STEP_HEAD);
		return 1;
	}
	if (c->manner == MANNER_OPEN)
		return conn_open(c);
	if (end_fill(&c->client, 1) == -1)
		return -1;
	if (c->client.in.len == 0)
		return c->client.eof ? -1 : 0;
	conn_go(c, c->client.in.p[c->client.in.off] == 5 ? STEP_SOCKS_HELLO :
	    STEP_HEAD);
	return 1;
}

static int
step_wait(struct conn *c)
{
	(void)c;
	return 0;
}

/* Closing with unread bytes would reset, and take our words with it. */
static int
step_linger(struct conn *c)
{
	struct end *e = &c->client;

	if (end_flush(e) == -1)
		return -1;
	if (e->out.len > 0)
		return 0;
	if (c->drained == 0)
		shutdown(e->fd, SHUT_WR);
	for (int i = 0; i < TURNS; i++) {
		if (end_fill(e, HTTP_HEAD_MAX) == -1)
			return -1;
		c->drained += e->in.len + 1;
		if (e->eof || c->drained > DRAIN_MAX)
			return -1;
		if (e->in.len == 0)
			return 0;
		buf_free(&e->in);
	}
	return 1;
}

static int
say_no(struct conn *c, const void *words, size_t n)
{
	if (end_send(&c->client, words, n) == -1)
		return -1;
	end_close(&c->server);
	lookup_end(&c->lookup);
	c->drained = 0;
	conn_go(c, STEP_LINGER);
	return 1;
}

static int
say_http(struct conn *c, unsigned status, const char *text)
{
	static const struct { unsigned status; const char *phrase; } t[] = {
		{ 400, "Bad Request" }, { 403, "Denied by sandbox policy" },
		{ 431, "Request Header Fields Too Large" },
	};
	const char *phrase = "Bad Gateway";
	struct str s;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (t[i].status == status)
			phrase = t[i].phrase;
	str_init(&s, 2 * TEXT_MAX);
	str_addf(&s, "HTTP/1.1 %u %s\r\nContent-Type: text/plain; "
	    "charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n"
	    "\r\n%s", status, phrase, strlen(text), text);
	rc = say_no(c, s.s, s.len);
	str_clear(&s);
	return rc;
}

/* `socks`: RFC 1928's word for it.  TLS: a fatal alert, access_denied. */
static int
say(struct conn *c, unsigned status, unsigned char socks, const char *text)
{
	static const unsigned char alert[] = { 21, 3, 1, 0, 2, 2, 49 };
	unsigned char reply[10] = { 5, socks, 0, 1 };

	if (c->manner == MANNER_SOCKS && !c->told)
		return say_no(c, reply, sizeof reply);
	if (c->http || c->target.port == 80)
		return say_http(c, status, text);
	return say_no(c, alert, c->target.port == 443 ? sizeof alert : 0);
}

int
conn_deny(struct conn *c, const char *why)
{
	unsigned port = c->target.port;
	auto_free char *rule = port == 80 || port == 443 ?
	    xstrdup(c->target.host.text) : xasprintf("%s:%u",
	    c->target.host.text, port);
	auto_free char *text = xasprintf("sandbox: %s port %u cannot be "
	    "reached from inside this jail: %s.\nThis is policy, not a fault "
	    "of the network: trying again, another tool, or a way round the "
	    "proxy will fail the same way.\nTo ask for it: tell the person "
	    "you work for to put \"%s\" into network.allowedDomains of the "
	    "jail's settings (~/.config/sandbox/jail.json, or the file given "
	    "with --settings).\n", c->target.host.text, port, why, rule);

	proxy_refused(c->proxy, &c->target, why);
	return say(c, 403, 2, text);
}

int
conn_fault(struct conn *c, unsigned status, const char *why)
{
	auto_free char *text = xasprintf("sandbox: %s.\n", why);

	/* A server's own failures are nobody's attempt. */
	if (status < 500)
		proxy_refused(c->proxy, &c->target, why);
	return say(c, status, 4, text);
}
