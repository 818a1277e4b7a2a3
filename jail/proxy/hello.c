#include "jail/proxy/hello.h"

#include <stdbool.h>
#include <string.h>

#include "common/banned.h"

enum { HANDSHAKE = 22, CLIENT_HELLO = 1, EXT_SERVER_NAME = 0, HOST_NAME = 0 };

/* Bytes not yet read; past the end everything is 0 and `bad`. */
struct cursor {
	const unsigned char	*p;
	size_t			 n;
	bool			 bad;
};

static size_t
number(struct cursor *c, size_t bytes)
{
	size_t v = 0;

	if (c->n < bytes) {
		c->bad = true;
		c->n = 0;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		v = v << 8 | c->p[i];
	c->p += bytes;
	c->n -= bytes;
	return v;
}

/* The next `n` bytes as a cursor of their own. */
static struct cursor
part(struct cursor *c, size_t n)
{
	struct cursor in = { c->p, n, false };

	if (c->bad || c->n < n) {
		c->bad = true;
		return (struct cursor){ NULL, 0, true };
	}
	c->p += n;
	c->n -= n;
	return in;
}

/*
 * The handshake message without the records around it, into `to`.  False when
 * a record is none; *ret_n may be short of a whole message.
 */
static bool
unwrap(const unsigned char *p, size_t len, unsigned char to[HELLO_MAX],
    size_t *ret_n)
{
	size_t n = 0;

	while (len > 0) {
		size_t size, have;

		if (p[0] != HANDSHAKE || (len > 1 && p[1] != 3))
			return false;
		if (len < 5)
			break;
		size = (size_t)p[3] << 8 | p[4];
		have = len - 5 < size ? len - 5 : size;
		if (size == 0 || n + have > HELLO_MAX)
			return false;
		memcpy(to + n, p + 5, have);
		n += have;
		/* What follows is encrypted, or not ours to read. */
		if (n >= 4 && n - 4 >= ((size_t)to[1] << 16 |
		    (size_t)to[2] << 8 | to[3]))
			break;
		p += 5 + have;
		len -= 5 + have;
		if (have < size)
			break;
	}
	*ret_n = n;
	return true;
}

static enum hello
server_name(struct cursor ext, struct host *ret)
{
	struct cursor list = part(&ext, number(&ext, 2));
	size_t type = number(&list, 1);
	struct cursor name = part(&list, number(&list, 2));

	if (ext.bad || list.bad || ext.n > 0 || list.n > 0 ||
	    type != HOST_NAME ||
	    host_parse((const char *)name.p, name.n, ret) == -1)
		return HELLO_BAD;
	return HELLO_NAMED;
}

static enum hello
extensions(struct cursor all, struct host *ret)
{
	enum hello found = HELLO_NAMELESS;

	while (all.n > 0 && !all.bad) {
		size_t type = number(&all, 2);
		struct cursor ext = part(&all, number(&all, 2));

		if (type != EXT_SERVER_NAME || all.bad)
			continue;
		if (found != HELLO_NAMELESS)
			return HELLO_BAD;	/* twice */
		found = server_name(ext, ret);
		if (found == HELLO_BAD)
			return found;
	}
	return all.bad ? HELLO_BAD : found;
}

enum hello
hello_read(const unsigned char *p, size_t len, struct host *ret_name)
{
	unsigned char buf[HELLO_MAX];
	struct cursor c = { buf, 0, false }, body;
	size_t size;

	if (len > HELLO_MAX || !unwrap(p, len, buf, &c.n))
		return HELLO_BAD;
	if (c.n > 0 && buf[0] != CLIENT_HELLO)
		return HELLO_BAD;
	if (c.n < 4)
		return HELLO_MORE;
	number(&c, 1);
	size = number(&c, 3);
	if (size > HELLO_MAX - 512)
		return HELLO_BAD;
	if (c.n < size)
		return HELLO_MORE;
	body = part(&c, size);
	part(&body, 2 + 32);			/* version, random */
	part(&body, number(&body, 1));		/* session */
	part(&body, number(&body, 2));		/* ciphers */
	part(&body, number(&body, 1));		/* compression */
	if (body.bad)
		return HELLO_BAD;
	if (body.n == 0)
		return HELLO_NAMELESS;
	size = number(&body, 2);
	if (body.bad || size != body.n)
		return HELLO_BAD;
	return extensions(body, ret_name);
}
