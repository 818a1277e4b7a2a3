/*
 * jail/proxy/http.h - heads and bodies of HTTP/1, read strictly.  Pure.
 *
 * What two programs could understand differently is refused, because a proxy
 * that judges one request and forwards what the server takes for two judges
 * nothing: a CR or LF that is not CRLF, NUL, blanks before a colon, folded
 * lines, two lengths, a length beside chunks, chunks in HTTP/1.0, a coding
 * other than "chunked".  A head is at most HTTP_HEAD_MAX bytes.
 *
 *	n = http_head_end(...)		is a whole head there?
 *	http_request(...)		what it asks
 *	http_forward(...)		the head that goes on
 *	span_take(...)			how much of what follows is its body
 */
#ifndef JAIL_PROXY_HTTP_H
#define JAIL_PROXY_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/str.h"
#include "jail/proxy/host.h"

#define HTTP_HEAD_MAX	65536

struct slice {
	const char	*p;
	size_t		 n;
};

/*
 * The length of the head with its empty line; 0: more must come; -1: it has
 * a byte that none may have, or is too long.  `seen` (0 at first) is how far
 * earlier calls looked.
 */
long	http_head_end(const char *buf, size_t len, size_t *seen);

/* What follows a head. */
enum span_kind { SPAN_NONE, SPAN_COUNT, SPAN_CHUNKS, SPAN_TO_END };

struct span {
	enum span_kind	 kind;
	uint64_t	 left;		/* of the count, or of a chunk */
	int		 state;		/* of the chunk reader */
	unsigned	 digits;
	unsigned	 line;		/* bytes of a chunk or trailer line */
};

/*
 * How many of these bytes belong to the body; `done` when it ends with them.
 * -1: no chunk looks like that.
 */
long	span_take(struct span *, const char *, size_t len, bool *ret_done);

struct http {
	/* of a request */
	struct slice	 method;
	struct slice	 path;		/* "/x?y", or "*" */
	bool		 connect;	/* CONNECT: `host` is the target */
	bool		 absolute;	/* it named a host itself */
	bool		 named;		/* it has a Host */
	struct host	 host;		/* of either; absolute beats Host */
	unsigned	 port;
	struct slice	 agent;		/* User-Agent */
	bool		 head_only;	/* HEAD: the answer has no body */
	/* of an answer */
	unsigned	 status;
	/* of both */
	unsigned	 minor;		/* HTTP/1.minor */
	bool		 close;		/* the last on its connection */
	bool		 upgrade;
	struct span	 body;
};

/* NULL, or what is wrong with it.  `len` is http_head_end's. */
const char *http_request(const char *head, size_t len, struct http *ret);
const char *http_answer(const char *head, size_t len, bool head_only,
	    struct http *ret);

/*
 * The request as it goes to the server: path alone, Host as it was judged,
 * nothing that was meant for a proxy.
 */
void	http_forward(const char *head, size_t len, const struct http *,
	    struct str *ret);

#endif
