/* jail/proxy/conn_http.c - requests, one after another, and their answers. */
#include <string.h>
#include <sys/socket.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/proxy/conn.h"
#include "jail/proxy/proxy.h"

#include "common/banned.h"

/* The same host, or two words for the loopback of this machine. */
static bool
is_target(const struct conn *c, const struct host *h)
{
	return host_same(h, &c->target.host) ||
	    (strcmp(h->text, "localhost") == 0 &&
	    strcmp(c->target.host.text, "127.0.0.1") == 0);
}

/* What a client who did not name us as its proxy must say. */
static int
check_fixed(struct conn *c, struct http *h)
{
	if (h->connect || !(h->absolute || h->named) ||
	    !is_target(c, &h->host) ||
	    (h->port != PORT_ANY && h->port != c->target.port))
		return conn_deny(c, "the request is for another host than the "
		    "connection") == -1 ? -1 : 0;
	h->host = c->target.host;
	h->port = c->target.port;
	return 1;
}

/*
 * Programs that always obey $http_proxy: one that comes round it was told to.
 * Whoever knows no proxy is served.
 */
static bool
was_told_round(const struct conn *c, const struct http *h)
{
	static const char *const obedient[] = {
		"curl/", "Wget/", "git/", "pip/", "Python-urllib/",
		"python-requests/",
	};

	if (c->manner != MANNER_OPEN || c->target.port != 80 ||
	    c->proxy->rules.plain)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(obedient); i++) {
		size_t n = strlen(obedient[i]);

		if (h->agent.n > n && memcmp(h->agent.p, obedient[i], n) == 0)
			return true;
	}
	return false;
}

/* The same server again? */
static bool
stays(const struct conn *c, const struct http *h)
{
	return c->server.fd != -1 && !c->server.eof && !c->server.hung_up &&
	    c->server.in.len == 0 && c->target.port == h->port &&
	    host_same(&c->target.host, &h->host);
}

/* The head that goes on, while its slices are valid. */
static void
keep_head(struct conn *c, size_t n)
{
	struct buf *in = &c->client.in;
	struct str s;

	str_init(&s, 2UL * HTTP_HEAD_MAX);
	http_forward(in->p + in->off, n, &c->request, &s);
	buf_free(&c->head);
	buf_add(&c->head, s.s, s.len);
	str_clear(&s);
	buf_skip(in, n);
	c->seen = 0;
	c->answer_due = true;
	c->last = c->request.close;
	way_begin(&c->up, &c->request.body);
	way_begin(&c->down, &(struct span){ .kind = SPAN_TO_END });
}

/* Sent at once if the server is there, else after dialling. */
static int
forward(struct conn *c, bool same)
{
	struct decided d;

	if (!same && (c->manner == MANNER_HTTP || c->n_to == 0)) {
		end_close(&c->server);
		return conn_open(c);
	}
	d = conn_judge_again(c);
	if (d.what != DECIDE_ALLOW)
		return conn_deny(c, d.why != NULL ? d.why :
		    "it is no longer allowed");
	c->after_dial = STEP_EXCHANGE;
	if (!same) {
		end_close(&c->server);
		c->next_to = 0;
		conn_go(c, STEP_DIAL);
		return 1;
	}
	conn_go(c, STEP_EXCHANGE);
	if (end_send(&c->server, c->head.p, c->head.len) == -1)
		return -1;
	buf_free(&c->head);
	return 1;
}

/* A whole head is at the front of the client's bytes. */
static int
take_request(struct conn *c, size_t n)
{
	struct buf *in = &c->client.in;
	const char *wrong = http_request(in->p + in->off, n, &c->request);
	struct http *h = &c->request;
	bool same;
	int rc;

	if (wrong != NULL) {
		auto_free char *why = xasprintf("not a request this proxy "
		    "passes on: %s", wrong);

		return conn_fault(c, 400, why);
	}
	if (c->manner != MANNER_HTTP) {
		rc = check_fixed(c, h);
		if (rc <= 0)
			return rc == 0 ? 1 : -1;
		if (was_told_round(c, h))
			return conn_deny(c, "this program can use the proxy "
			    "that $http_proxy names, and was told not to");
	} else if (h->connect) {
		buf_skip(in, n);
		end_close(&c->server);
		c->manner = MANNER_CONNECT;
		c->target = (struct target){ h->host, h->port };
		return conn_open(c);
	} else if (!h->absolute) {
		return conn_fault(c, 400, "this is a proxy: it needs the whole "
		    "http:// address, or CONNECT");
	}
	same = stays(c, h);
	c->target = (struct target){ h->host, h->port };
	keep_head(c, n);
	return forward(c, same);
}

int
conn_head(struct conn *c)
{
	struct buf *in = &c->client.in;
	long n;

	c->http = true;
	if (end_flush(&c->client) == -1 ||
	    end_fill(&c->client, HTTP_HEAD_MAX) == -1)
		return -1;
	n = in->len == 0 ? 0 : http_head_end(in->p + in->off, in->len,
	    &c->seen);
	if (n > 0)
		return take_request(c, (size_t)n);
	if (n == -1)
		return c->seen >= HTTP_HEAD_MAX || in->len >= HTTP_HEAD_MAX ?
		    conn_fault(c, 431, "the head of a request may have 64 KiB")
		    : conn_fault(c, 400, "a head may not have a bare CR, LF "
		    "or NUL");
	return c->client.eof ? -1 : 0;
}

/* Both sides have agreed to speak something else. */
static int
upgraded(struct conn *c)
{
	struct span all = { .kind = SPAN_TO_END };

	way_begin(&c->up, &all);
	way_begin(&c->down, &all);
	conn_go(c, STEP_TUNNEL);
	return 1;
}

/* The server's head; 2: it has been passed on. */
static int
take_answer(struct conn *c)
{
	struct buf *in = &c->server.in;
	struct http h;
	const char *wrong;
	bool more;
	long n;

	if (end_fill(&c->server, HTTP_HEAD_MAX) == -1)
		return conn_fault(c, 502, "the server broke off");
	n = in->len == 0 ? 0 : http_head_end(in->p + in->off, in->len,
	    &c->seen);
	if (n == 0 && !c->server.eof)
		return 0;
	if (n <= 0)
		return conn_fault(c, 502, "the server's answer has no head");
	wrong = http_answer(in->p + in->off, (size_t)n,
	    c->request.head_only, &h);
	if (wrong == NULL && h.status == 101 && !c->request.upgrade)
		wrong = "an upgrade that nobody wanted";
	if (wrong != NULL) {
		auto_free char *why = xasprintf("the server's answer has %s",
		    wrong);

		return conn_fault(c, 502, why);
	}
	more = in->len > (size_t)n && h.status >= 200 &&
	    h.body.kind != SPAN_NONE;
	if ((more ? end_send_more : end_send)(&c->client, in->p + in->off,
	    (size_t)n) == -1)
		return -1;
	buf_skip(in, (size_t)n);
	c->seen = 0;
	if (h.status == 101)
		return upgraded(c);
	if (h.status < 200)
		return 1;
	c->answer_due = false;
	c->last |= h.close;
	way_begin(&c->down, &h.body);
	return 2;
}

int
conn_exchange(struct conn *c)
{
	int up = 0, down;

	c->deadline = c->proxy->now + 600000;
	if (!c->up.done)
		up = way_run(&c->up);
	if (up == -1) {
		/* It may have answered before it closed. */
		c->up.done = true;
		c->last = true;
		up = 1;
	}
	if (c->answer_due) {
		down = take_answer(c);
		if (down <= 0)
			return down == 0 ? up : -1;
		if (down == 1)
			return 1;
	}
	down = way_run(&c->down);
	if (down == -1)
		return -1;
	if (!c->down.done || c->client.out.len > 0)
		return up == 1 || down == 1;
	if (c->last || !c->up.done) {
		c->drained = 0;
		conn_go(c, STEP_LINGER);
		return 1;
	}
	conn_go(c, STEP_HEAD);
	return 1;
}
