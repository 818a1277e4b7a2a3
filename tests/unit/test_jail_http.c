/* Heads and bodies that two programs could read differently are refused. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/proxy/http.h"
#include "tests/unit/unit.h"

#define G	"GET http://a.test/ HTTP/1.1\r\n"
#define H	"Host: a.test\r\n"
#define P	"POST http://a.test/ HTTP/1.1\r\n" H

/* NULL: it is a request. */
static const struct { const char *head; bool good; } requests[] = {
	{ G H "\r\n", true },
	{ "GET http://a.test HTTP/1.0\r\n\r\n", true },
	{ "GET HTTP://A.TEST:80/ HTTP/1.1\r\nhost: a.test.:80\r\n\r\n", true },
	{ "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", true },
	{ "OPTIONS * HTTP/1.1\r\n" H "\r\n", true },
	{ "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", true },
	{ "CONNECT a.test:443 HTTP/1.1\r\n\r\n", true },
	{ P "Content-Length: 4\r\n\r\n", true },
	{ P "Transfer-Encoding: chunked\r\n\r\n", true },
	{ G H "X:\r\nY: \t z \t\r\n\r\n", true },
	/* the line */
	{ "GET  / HTTP/1.1\r\n" H "\r\n", false },
	{ "GET /a b HTTP/1.1\r\n" H "\r\n", false },
	{ "GET\t/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET /\tx HTTP/1.1\r\n" H "\r\n", false },
	{ "GET / HTTP/1.1 \r\n" H "\r\n", false },
	{ "GET / HTTP/1.2\r\n" H "\r\n", false },
	{ "GET / HTTP/2.0\r\n" H "\r\n", false },
	{ "GET / http/1.1\r\n" H "\r\n", false },
	{ "GET /\r\n" H "\r\n", false },
	{ "PRI * HTTP/2.0\r\n\r\n", false },
	{ "G(T / HTTP/1.1\r\n" H "\r\n", false },
	{ " / HTTP/1.1\r\n" H "\r\n", false },
	{ "\r\n\r\n", false },
	{ "GET ftp://a.test/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET https://a.test/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http:/a.test/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http:// HTTP/1.1\r\n" H "\r\n", false },
	{ "GET a.test HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http://a.test@b.test/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http://a.test\\@b.test/ HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http://a.test?x HTTP/1.1\r\n" H "\r\n", false },
	{ "GET http://a.test#x HTTP/1.1\r\n" H "\r\n", false },
	{ "CONNECT a.test HTTP/1.1\r\n" H "\r\n", false },
	{ "CONNECT a.test:0 HTTP/1.1\r\n" H "\r\n", false },
	{ "CONNECT http://a.test:443 HTTP/1.1\r\n" H "\r\n", false },
	{ "CONNECT a.test:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\n", false },
	/* who is meant */
	{ "GET / HTTP/1.1\r\n\r\n", false },
	{ G H H "\r\n", false },
	{ G "Host: b.test\r\n\r\n", false },
	{ G "Host: a.test:81\r\n\r\n", false },
	{ G "Host: a.test, b.test\r\n\r\n", false },
	{ G "Host:\r\n\r\n", false },
	{ "CONNECT a.test:80 HTTP/1.1\r\nHost: b.test\r\n\r\n", false },
	/* fields */
	{ G H "X : y\r\n\r\n", false },
	{ G H "X y\r\n\r\n", false },
	{ G H ": y\r\n\r\n", false },
	{ G H "X: y\r\n z\r\n\r\n", false },
	{ G H "X: y\r\n\tz\r\n\r\n", false },
	{ G " X: y\r\n" H "\r\n", false },
	{ G H "X: \001\r\n\r\n", false },
	/* where it ends */
	{ P "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", false },
	{ P "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n", false },
	{ P "Content-Length: 4\r\nContent-Length: 4\r\n\r\n", false },
	{ P "Content-Length: 4, 4\r\n\r\n", false },
	{ P "Content-Length: +4\r\n\r\n", false },
	{ P "Content-Length: -4\r\n\r\n", false },
	{ P "Content-Length: 0x4\r\n\r\n", false },
	{ P "Content-Length: 4 4\r\n\r\n", false },
	{ P "Content-Length:\r\n\r\n", false },
	{ P "Content-Length: 99999999999999999999\r\n\r\n", false },
	{ P "Transfer-Encoding: xchunked\r\n\r\n", false },
	{ P "Transfer-Encoding: chunked, identity\r\n\r\n", false },
	{ P "Transfer-Encoding: gzip, chunked\r\n\r\n", false },
	{ P "Transfer-Encoding: identity\r\n\r\n", false },
	{ P "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	  false },
	{ P "Transfer-Encoding : chunked\r\n\r\n", false },
	{ P "Transfer-Encoding: \vchunked\r\n\r\n", false },
	{ "POST http://a.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
	  false },
};

START_TEST(what_is_a_request)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		const char *p = requests[i].head;
		size_t seen = 0, len = strlen(p);
		struct http h;
		const char *wrong;

		ck_assert_int_ge(http_head_end(p, len, &seen), 0);
		wrong = http_request(p, len, &h);
		ck_assert_msg((wrong == NULL) == requests[i].good, "%s: %s", p,
		    wrong == NULL ? "taken" : wrong);
	}
}
END_TEST

START_TEST(where_a_head_ends)
{
	static const char *const bad[] = { "GET\n", "GET\rX", "a\r\nb\n\r\n",
	    "\n" };
	static const char good[] = "a\r\nb: c\r\n\r\nmore";
	static char big[HTTP_HEAD_MAX + 8];
	size_t seen;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		seen = 0;
		ck_assert_int_eq(http_head_end(bad[i], strlen(bad[i]), &seen),
		    -1);
	}
	seen = 0;
	ck_assert_int_eq(http_head_end("a\0b", 3, &seen), -1);
	/* Byte by byte it is the same. */
	seen = 0;
	for (size_t n = 1; n < 11; n++)
		ck_assert_int_eq(http_head_end(good, n, &seen), 0);
	ck_assert_int_eq(http_head_end(good, 11, &seen), 11);
	seen = 0;
	ck_assert_int_eq(http_head_end(good, sizeof good - 1, &seen), 11);
	memset(big, 'a', sizeof big);
	seen = 0;
	ck_assert_int_eq(http_head_end(big, HTTP_HEAD_MAX - 1, &seen), 0);
	ck_assert_int_eq(http_head_end(big, sizeof big, &seen), -1);
}
END_TEST

/* The request as it goes on. */
static char *
forwarded(const char *head)
{
	struct http h;
	struct str s;

	str_init(&s, 4096);
	ck_assert_ptr_null(http_request(head, strlen(head), &h));
	http_forward(head, strlen(head), &h, &s);
	return str_take(&s);
}

START_TEST(what_goes_on)
{
	static const struct { const char *in, *out; } t[] = {
		{ "GET http://A.test:80/x?y HTTP/1.1\r\nHost: a.TEST\r\n"
		  "Proxy-Authorization: Basic x\r\nProxy-Connection: close\r\n"
		  "X: 1\r\nTE: trailers\r\nKeep-Alive: 5\r\n\r\n",
		  "GET /x?y HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n"
		  "Connection: close\r\n\r\n" },
		{ "GET http://a.test:8080 HTTP/1.0\r\n\r\n",
		  "GET / HTTP/1.0\r\nHost: a.test:8080\r\n"
		  "Connection: close\r\n\r\n" },
		{ "GET http://[2001:DB8::1]/ HTTP/1.1\r\n"
		  "Host: [2001:db8::1]\r\nConnection: X, keep-alive\r\n\r\n",
		  "GET / HTTP/1.1\r\nHost: [2001:db8::1]\r\n"
		  "Connection: keep-alive\r\n\r\n" },
		{ "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"
		  "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		  "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n"
		  "Connection: Upgrade\r\n\r\n" },
		/* in HTTP/2 nobody would look at the next request */
		{ "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"
		  "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
		  "GET / HTTP/1.1\r\nHost: a.test\r\n"
		  "Connection: keep-alive\r\n\r\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		auto_free char *out = forwarded(t[i].in);

		ck_assert_str_eq(out, t[i].out);
	}
}
END_TEST

static const struct {
	const char	*head;
	bool		 head_only;
	int		 kind;		/* -1: refused */
	bool		 close;
} answers[] = {
	{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 0, SPAN_COUNT, 0 },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0, SPAN_NONE, 0 },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 1, SPAN_NONE, 0 },
	{ "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n", 0, SPAN_CHUNKS,
	  0 },
	{ "HTTP/1.1 200 OK\r\n\r\n", 0, SPAN_TO_END, 1 },
	{ "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", 0, SPAN_COUNT, 1 },
	{ "HTTP/1.1 204 x\r\nContent-Length: 3\r\n\r\n", 0, SPAN_NONE, 0 },
	{ "HTTP/1.1 304 x\r\nContent-Length: 3\r\n\r\n", 0, SPAN_NONE, 0 },
	{ "HTTP/1.1 100 Continue\r\n\r\n", 0, SPAN_NONE, 0 },
	{ "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n",
	  0, SPAN_COUNT, 1 },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n", 0, -1, 0 },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
	  0, -1, 0 },
	{ "HTTP/1.1 2x0 OK\r\n\r\n", 0, -1, 0 },
	{ "HTTP/1.1 2000 OK\r\n\r\n", 0, -1, 0 },
	{ "ICY 200 OK xxxxx\r\n\r\n", 0, -1, 0 },
	{ "HTTP/1.1\r\n\r\n", 0, -1, 0 },
};

START_TEST(what_is_an_answer)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		const char *p = answers[i].head;
		struct http h;
		const char *wrong = http_answer(p, strlen(p),
		    answers[i].head_only, &h);

		ck_assert_msg((wrong == NULL) == (answers[i].kind != -1),
		    "%s", p);
		if (wrong != NULL)
			continue;
		ck_assert_msg((int)h.body.kind == answers[i].kind, "%s", p);
		ck_assert_msg(h.close == answers[i].close, "%s", p);
	}
}
END_TEST

static const struct {
	enum span_kind	 kind;
	const char	*in;
	long		 used;		/* -1: refused */
	bool		 done;
} bodies[] = {
	{ SPAN_NONE, "abc", 0, true },
	{ SPAN_COUNT, "abc", 3, false }, { SPAN_COUNT, "abcdefgh", 5, true },
	{ SPAN_TO_END, "abc", 3, false },
	{ SPAN_CHUNKS, "3\r\nabc\r\n0\r\n\r\nrest", 13, true },
	{ SPAN_CHUNKS, "3\r\nab", 5, false },
	{ SPAN_CHUNKS, "A;x=y\r\n0123456789\r\n00\r\nT: v\r\n\r\n", 31,
	  true },
	{ SPAN_CHUNKS, "3\nabc\r\n", -1, false },
	{ SPAN_CHUNKS, "3\r\nabcd\r\n", -1, false },
	{ SPAN_CHUNKS, "3\r\nabc\n", -1, false },
	{ SPAN_CHUNKS, "\r\nabc\n", -1, false },
	{ SPAN_CHUNKS, "g\r\n", -1, false }, { SPAN_CHUNKS, "-1\r\n", -1, 0 },
	{ SPAN_CHUNKS, "0x3\r\n", -1, false }, { SPAN_CHUNKS, " 3\r\n", -1, 0 },
	{ SPAN_CHUNKS, "3 \r\n", -1, false },
	{ SPAN_CHUNKS, "1234567890123456\r\n", -1, false },
	{ SPAN_CHUNKS, "3;a\001\r\n", -1, false },
	{ SPAN_CHUNKS, "3;a\n", -1, false },
	{ SPAN_CHUNKS, "0\r\nT: v\n\r\n", -1, false },
};

START_TEST(where_a_body_ends)
{
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct span whole = { .kind = bodies[i].kind, .left =
		    bodies[i].kind == SPAN_COUNT ? 5 : 0 }, s = whole;
		size_t len = strlen(bodies[i].in), at = 0;
		bool done = false;
		long n = span_take(&whole, bodies[i].in, len, &done);

		ck_assert_msg(n == bodies[i].used, "%s: %ld", bodies[i].in, n);
		ck_assert(n == -1 || done == bodies[i].done);
		/* Byte by byte it is the same. */
		for (done = false, n = 1; at < len && n == 1 && !done;
		    at += n == 1)
			n = span_take(&s, bodies[i].in + at, 1, &done);
		if (bodies[i].used == -1)
			ck_assert_int_eq(n, -1);
		else
			ck_assert_int_eq((long)at, bodies[i].used);
	}
}
END_TEST

START_TEST(endless_lines)
{
	struct span s = { .kind = SPAN_CHUNKS };
	static char big[9000];
	bool done;

	memset(big, 'x', sizeof big);
	big[0] = '3';
	big[1] = ';';
	ck_assert_int_eq(span_take(&s, big, sizeof big, &done), -1);
}
END_TEST

UNIT_MAIN("jail/proxy/http",
	tcase_add_test(tc, what_is_a_request);
	tcase_add_test(tc, where_a_head_ends);
	tcase_add_test(tc, what_goes_on);
	tcase_add_test(tc, what_is_an_answer);
	tcase_add_test(tc, where_a_body_ends);
	tcase_add_test(tc, endless_lines);
)
