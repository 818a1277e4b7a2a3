#include "jail/proxy/http.h"

#include <string.h>
#include <strings.h>

#include "common/mem.h"

#include "common/banned.h"

/* What one pass over the fields found. */
struct fields {
	unsigned	 n_host, n_length, n_coding;
	struct slice	 host, agent;
	uint64_t	 length;
	bool		 chunked, close, keep, upgrade_token, upgrade;
};

static const char token_bytes[] = "!#$%&'*+-.^_`|~0123456789"
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static bool
is_token(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\0' || strchr(token_bytes, s.p[i]) == NULL)
			return false;
	return s.n > 0;
}

static bool
is(struct slice s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static struct slice
trim(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (p < end && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct slice){ p, (size_t)(end - p) };
}

long
http_head_end(const char *buf, size_t len, size_t *seen)
{
	size_t i = *seen;

	for (; i < len && i < HTTP_HEAD_MAX; i++) {
		if (buf[i] == '\0')
			return -1;
		if (buf[i] == '\r') {
			if (i + 1 == len)
				break;		/* judged when its LF comes */
			if (buf[i + 1] != '\n')
				return -1;
		}
		if (buf[i] != '\n')
			continue;
		if (i == 0 || buf[i - 1] != '\r')
			return -1;
		if (i >= 3 && buf[i - 2] == '\n')
			return (long)i + 1;
	}
	*seen = i;
	return i == HTTP_HEAD_MAX ? -1 : 0;
}

/* Cut the next line off; a head ends with an empty one. */
static struct slice
next_line(const char **at, const char *end)
{
	const char *cr = memchr(*at, '\r', (size_t)(end - *at));
	struct slice s = { *at, cr == NULL ? 0 : (size_t)(cr - *at) };

	*at += s.n + 2;
	return s;
}

/* "name: value" in its two parts. */
static const char *
split(struct slice line, struct slice *ret_name, struct slice *ret_value)
{
	const char *colon = memchr(line.p, ':', line.n);

	if (colon == NULL)
		return "a line without a colon";
	*ret_name = (struct slice){ line.p, (size_t)(colon - line.p) };
	if (!is_token(*ret_name))
		return "a field name with a blank or a strange byte";
	*ret_value = trim(colon + 1, line.p + line.n);
	for (size_t i = 0; i < ret_value->n; i++)
		if ((unsigned char)ret_value->p[i] < ' ' &&
		    ret_value->p[i] != '\t')
			return "a control byte in a field";
	return NULL;
}

static const char *
take_length(struct slice v, struct fields *f)
{
	if (v.n == 0 || v.n > 18)
		return "a Content-Length that is no length";
	f->length = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] < '0' || v.p[i] > '9')
			return "a Content-Length that is no length";
		f->length = f->length * 10 + (uint64_t)(v.p[i] - '0');
	}
	return ++f->n_length > 1 ? "two Content-Lengths" : NULL;
}

static void
take_connection(struct slice v, struct fields *f)
{
	const char *p = v.p, *end = v.p + v.n;

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma == NULL ? end : comma;
		struct slice word = trim(p, stop);

		f->close |= is(word, "close");
		f->keep |= is(word, "keep-alive");
		f->upgrade_token |= is(word, "upgrade");
		p = stop + 1;
	}
}

static const char *
take_field(struct slice name, struct slice v, struct fields *f)
{
	if (is(name, "content-length"))
		return take_length(v, f);
	if (is(name, "transfer-encoding")) {
		f->chunked = is(v, "chunked");
		return ++f->n_coding > 1 || !f->chunked ?
		    "a Transfer-Encoding other than one \"chunked\"" : NULL;
	}
	if (is(name, "connection") || is(name, "proxy-connection"))
		take_connection(v, f);
	else if (is(name, "upgrade"))
		/* In HTTP/2 nobody would judge the next request. */
		f->upgrade = is(v, "websocket");
	else if (is(name, "user-agent"))
		f->agent = v;
	else if (is(name, "host")) {
		f->host = v;
		return ++f->n_host > 1 ? "two Hosts" : NULL;
	}
	return NULL;
}

static const char *
read_fields(const char *at, const char *end, struct fields *f)
{
	const char *wrong = NULL;

	*f = (struct fields){ 0 };
	while (wrong == NULL) {
		struct slice line = next_line(&at, end), name, value;

		if (line.n == 0)
			return f->chunked && f->n_length > 0 ?
			    "a Content-Length beside chunks" : NULL;
		if (line.p[0] == ' ' || line.p[0] == '\t')
			return "a folded line";
		wrong = split(line, &name, &value);
		if (wrong == NULL)
			wrong = take_field(name, value, f);
	}
	return wrong;
}

/* "http://host:port/path"; a path that is left out is "/". */
static const char *
take_absolute(struct slice t, struct http *h)
{
	static const char scheme[] = "http://";
	size_t n = sizeof scheme - 1;
	const char *p, *end = t.p + t.n;
	size_t authority;

	if (t.n < n || strncasecmp(t.p, scheme, n) != 0)
		return "a target that is neither a path nor http://";
	p = t.p + n;
	for (authority = 0; p + authority < end; authority++)
		if (strchr("/?#\\", p[authority]) != NULL)
			break;
	if (host_port_parse(p, authority, 80, &h->host, &h->port) == -1)
		return "a target that names no host";
	p += authority;
	if (p < end && *p != '/')
		return "a target without a path";
	h->path = p == end ? (struct slice){ "/", 1 } :
	    (struct slice){ p, (size_t)(end - p) };
	h->absolute = true;
	return NULL;
}

static const char *
take_target(struct slice t, struct http *h)
{
	for (size_t i = 0; i < t.n; i++)
		if ((unsigned char)t.p[i] <= ' ' || t.p[i] == 0x7f)
			return "a target with a blank or control byte";
	if (is(h->method, "CONNECT")) {
		h->connect = true;
		return host_port_parse(t.p, t.n, PORT_ANY, &h->host, &h->port)
		    == -1 || h->port == PORT_ANY ?
		    "a CONNECT without host:port" : NULL;
	}
	if (t.n > 0 && t.p[0] != '/' && !is(t, "*"))
		return take_absolute(t, h);
	h->path = t;
	return t.n == 0 ? "no target" : NULL;
}

static const char *
take_version(struct slice v, struct http *h)
{
	if (v.n > 5 && memcmp(v.p, "HTTP/2", 6) == 0)
		return "HTTP/2 without TLS, whose requests nobody here could "
		    "judge: use HTTP/1.1, or TLS";
	if (v.n != 8 || memcmp(v.p, "HTTP/1.", 7) != 0 ||
	    (v.p[7] != '0' && v.p[7] != '1'))
		return "a version other than HTTP/1.0 and 1.1";
	h->minor = (unsigned)(v.p[7] - '0');
	return NULL;
}

static const char *
request_line(struct slice line, struct http *h)
{
	const char *end = line.p + line.n;
	const char *one = memchr(line.p, ' ', line.n);
	const char *two = one == NULL ? NULL : memchr(one + 1, ' ',
	    (size_t)(end - one - 1));
	const char *wrong;

	if (two == NULL)
		return "no request line";
	h->method = (struct slice){ line.p, (size_t)(one - line.p) };
	if (!is_token(h->method))
		return "no method";
	wrong = take_version((struct slice){ two + 1,
	    (size_t)(end - two - 1) }, h);
	return wrong != NULL ? wrong : take_target((struct slice){ one + 1,
	    (size_t)(two - one - 1) }, h);
}

/* Host agrees with the target, or is the target. */
static const char *
take_host(const struct fields *f, struct http *h)
{
	struct host host;
	unsigned port;

	h->named = f->n_host == 1;
	if (!h->named)
		return h->minor == 0 || h->connect ? NULL : "no Host";
	if (host_port_parse(f->host.p, f->host.n, PORT_ANY, &host, &port) ==
	    -1)
		return "a Host that is none";
	if (!h->absolute && !h->connect) {
		h->host = host;
		h->port = port;
		return NULL;
	}
	if (!host_same(&host, &h->host) || (port != PORT_ANY &&
	    port != h->port))
		return "a Host that is not the target's";
	return NULL;
}

const char *
http_request(const char *head, size_t len, struct http *ret)
{
	const char *at = head, *wrong;
	struct http h = { .minor = 0 };
	struct fields f;

	wrong = request_line(next_line(&at, head + len), &h);
	if (wrong == NULL)
		wrong = read_fields(at, head + len, &f);
	if (wrong == NULL)
		wrong = take_host(&f, &h);
	if (wrong != NULL)
		return wrong;
	if (f.chunked && h.minor == 0)
		return "chunks in HTTP/1.0";
	if (h.connect && (f.chunked || f.length > 0))
		return "a CONNECT with a body";
	h.agent = f.agent;
	h.head_only = is(h.method, "HEAD");
	h.close = f.close || (h.minor == 0 && !f.keep);
	h.upgrade = f.upgrade && f.upgrade_token && h.minor == 1;
	h.body.kind = f.chunked ? SPAN_CHUNKS : f.length > 0 ? SPAN_COUNT :
	    SPAN_NONE;
	h.body.left = f.chunked ? 0 : f.length;
	*ret = h;
	return NULL;
}

static const char *
status_line(struct slice line, struct http *h)
{
	const char *wrong;

	if (line.n < 12 || line.p[8] != ' ' ||
	    (line.n > 12 && line.p[12] != ' '))
		return "no status line";
	wrong = take_version((struct slice){ line.p, 8 }, h);
	for (size_t i = 9; i < 12 && wrong == NULL; i++) {
		if (line.p[i] < '0' || line.p[i] > '9')
			return "no status";
		h->status = h->status * 10 + (unsigned)(line.p[i] - '0');
	}
	return wrong;
}

const char *
http_answer(const char *head, size_t len, bool head_only, struct http *ret)
{
	const char *at = head, *wrong;
	struct http h = { .status = 0 };
	struct fields f;

	wrong = status_line(next_line(&at, head + len), &h);
	if (wrong == NULL)
		wrong = read_fields(at, head + len, &f);
	if (wrong != NULL)
		return wrong;
	h.close = f.close || (h.minor == 0 && !f.keep);
	if (head_only || h.status < 200 || h.status == 204 || h.status == 304)
		h.body.kind = SPAN_NONE;
	else if (f.chunked)
		h.body.kind = h.minor == 1 ? SPAN_CHUNKS : SPAN_TO_END;
	else if (f.n_length == 1)
		h.body = (struct span){ .kind = f.length > 0 ? SPAN_COUNT :
		    SPAN_NONE, .left = f.length };
	else
		h.body.kind = SPAN_TO_END;
	h.close |= h.body.kind == SPAN_TO_END;
	*ret = h;
	return NULL;
}

/* Between the client and us alone; "Connection" is written anew. */
static bool
is_ours(struct slice name)
{
	static const char *const ours[] = {
		"connection", "keep-alive", "host", "proxy-connection",
		"proxy-authorization", "proxy-authenticate", "te",
	};

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (is(name, ours[i]))
			return true;
	return false;
}

void
http_forward(const char *head, size_t len, const struct http *h,
    struct str *ret)
{
	const char *at = head, *end = head + len;
	bool v6 = h->host.is_ip && strchr(h->host.text, ':') != NULL;
	struct slice name, value;

	next_line(&at, end);
	str_addn(ret, h->method.p, h->method.n);
	str_addc(ret, ' ');
	str_addn(ret, h->path.p, h->path.n);
	str_addf(ret, " HTTP/1.%u\r\nHost: %s%s%s", h->minor, v6 ? "[" : "",
	    h->host.text, v6 ? "]" : "");
	if (h->port != 80)
		str_addf(ret, ":%u", h->port);
	str_add(ret, "\r\n");
	for (;;) {
		struct slice line = next_line(&at, end);

		if (line.n == 0)
			break;
		if (split(line, &name, &value) != NULL || is_ours(name) ||
		    (is(name, "upgrade") && !h->upgrade))
			continue;
		str_addn(ret, line.p, line.n);
		str_add(ret, "\r\n");
	}
	str_addf(ret, "Connection: %s\r\n\r\n", h->upgrade ? "Upgrade" :
	    h->close ? "close" : "keep-alive");
}
