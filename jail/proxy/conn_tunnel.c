/* jail/proxy/conn_tunnel.c - bytes that are nobody's business, after a look at
 * the first of them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "common/mem.h"
#include "jail/proxy/conn.h"
#include "jail/proxy/hello.h"
#include "jail/proxy/proxy.h"

#include "common/banned.h"

#define TLS_BYTE	22

static const struct span to_end = { .kind = SPAN_TO_END };

static int
begin_tunnel(struct conn *c)
{
	way_begin(&c->up, &to_end);
	way_begin(&c->down, &to_end);
	conn_go(c, STEP_TUNNEL);
	return 1;
}

/* Does the first message want what was allowed?  0: it is not all here. */
static int
check_hello(struct conn *c)
{
	struct buf *in = &c->client.in;
	struct host name;
	enum hello h;

	if (end_fill(&c->client, HELLO_MAX) == -1)
		return -1;
	h = hello_read((const unsigned char *)in->p + in->off, in->len,
	    &name);
	if (h == HELLO_MORE)
		return c->client.eof || in->len >= HELLO_MAX ? -1 : 0;
	if (h == HELLO_BAD)
		return conn_deny(c, "what was sent is not the beginning of "
		    "TLS") == -1 ? -1 : 2;
	if (h == HELLO_NAMELESS ? !c->target.host.is_ip :
	    !host_same(&name, &c->target.host))
		return conn_deny(c, "the TLS client asked for another host "
		    "name, or for none") == -1 ? -1 : 2;
	return 1;
}

int
conn_hello(struct conn *c)
{
	int rc;

	/* Nothing can be said about nothing. */
	if (c->client.in.len == 0 && end_fill(&c->client, 1) == -1)
		return -1;
	if (c->client.in.len == 0)
		return c->client.eof ? -1 : 0;
	rc = check_hello(c);
	if (rc != 1)
		return rc == 2 ? 1 : rc;
	c->after_dial = STEP_TUNNEL;
	way_begin(&c->up, &to_end);
	way_begin(&c->down, &to_end);
	conn_go(c, STEP_DIAL);
	return 1;
}

/*
 * "GET x HTTP/1.1": 1 yes, 0 it may become so, -1 no.  As the most generous of
 * servers reads it: empty lines before it, any token for a method, any blank.
 * A line that does not end is judged as a head, which is refused.
 */
static int
looks_like_http(const char *p, size_t n)
{
	static const char version[] = "HTTP/", blank[] = " \t\v\f\r";
	static const char marks[] = "!#$%&'*+-.^_`|~";
	const char *end = p + n, *line;
	size_t word = 0;

	while (p < end && (*p == '\r' || *p == '\n'))
		p++;
	while (p + word < end && p[word] != '\0' &&
	    (isalnum((unsigned char)p[word]) || strchr(marks, p[word]) != NULL))
		word++;
	if (p + word < end && (word == 0 || p[word] == '\0' ||
	    strchr(blank, p[word]) == NULL))
		return -1;
	line = memchr(p, '\n', (size_t)(end - p));
	/* Nor does LDAP: '0' and a length. */
	if (memchr(p, '\0', (size_t)((line == NULL ? end : line) - p)) !=
	    NULL ||
	    (word == 1 && *p == '0' && p + 1 < end && p[1] != ' '))
		return -1;
	if (line == NULL)
		return n < HELLO_MAX ? 0 : 1;
	for (p += word; p + sizeof version - 1 <= line; p++) {
		const char *number = p + sizeof version - 1;

		if (strncasecmp(p, version, sizeof version - 1) == 0 &&
		    strchr(blank, p[-1]) != NULL &&
		    number[strspn(number, "0123456789")] == '.')
			return 1;
	}
	return -1;
}

/*
 * On ports that settings name, the server may be the one to speak first.  Until
 * the client has, its side is looked at: TLS and HTTP must mean the target.
 */
int
conn_sniff(struct conn *c)
{
	struct buf *in = &c->client.in;
	int rc;

	if (c->down.span.kind != SPAN_TO_END)
		way_begin(&c->down, &to_end);
	if (way_run(&c->down) == -1 ||
	    end_fill(&c->client, HELLO_MAX) == -1)
		return -1;
	if (in->len == 0) {
		if (c->client.eof || c->down.done)
			return begin_tunnel(c);
		return 0;
	}
	if (in->p[in->off] == TLS_BYTE) {
		rc = check_hello(c);
		return rc == 1 ? begin_tunnel(c) : rc == 2 ? 1 : rc;
	}
	rc = looks_like_http(in->p + in->off, in->len);
	if (rc == 0 && !c->client.eof)
		return 0;
	if (rc != 1)
		return begin_tunnel(c);
	c->seen = 0;
	conn_go(c, STEP_HEAD);
	return 1;
}

/* One direction; its end is passed on once. */
static int
run_way(struct way *w)
{
	bool before = w->done;
	int rc = way_run(w);

	if (rc == 0 && w->done && !before && w->to->out.len > 0)
		w->done = before;	/* not all of it is there yet */
	else if (w->done && !before)
		shutdown(w->to->fd, SHUT_WR);
	return rc;
}

int
conn_tunnel(struct conn *c)
{
	int up = run_way(&c->up), down = run_way(&c->down);

	if (up == -1 || down == -1 || (c->up.done && c->down.done))
		return -1;
	conn_go(c, STEP_TUNNEL);
	return up == 1 || down == 1;
}
