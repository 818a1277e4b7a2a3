/*
 * The proxy's readers.  The first byte says which; what is taken must mean the
 * same to whoever reads it again, and in whatever pieces it comes.
 */
#include "jail/proxy/dns.h"
#include "jail/proxy/hello.h"
#include "jail/proxy/http.h"
#include "jail/proxy/rules.h"
#include "tests/fuzz/fuzz.h"

static void
check_host(const char *p, size_t n)
{
	struct host h, again;

	if (host_parse(p, n, &h) == -1)
		return;
	MUST(strlen(h.text) <= HOST_MAX);
	MUST(host_parse(h.text, strlen(h.text), &again) == 0);
	MUST(host_same(&h, &again));
	MUST(strpbrk(h.text, " \t\r\n/@?#%\\") == NULL);
}

/* What goes on is one head, for the host that was judged. */
static void
check_request(const char *p, size_t n)
{
	size_t seen = 0;
	long end = http_head_end(p, n, &seen);
	struct http h, again;
	struct str s;

	if (end <= 0 || http_request(p, (size_t)end, &h) != NULL || h.connect)
		return;
	if (!h.absolute && !h.named)
		return;		/* refused before it is forwarded */
	if (h.port == PORT_ANY)
		h.port = 80;
	str_init(&s, 4UL * HTTP_HEAD_MAX);
	http_forward(p, (size_t)end, &h, &s);
	MUST(!s.full);
	seen = 0;
	if (s.len <= HTTP_HEAD_MAX) {
		MUST(http_head_end(s.s, s.len, &seen) == (long)s.len);
		MUST(http_request(s.s, s.len, &again) == NULL);
		MUST(!again.absolute && again.named && !again.connect);
		MUST(host_same(&h.host, &again.host));
		MUST((again.port == PORT_ANY ? 80 : again.port) == h.port);
		MUST(again.body.kind == h.body.kind &&
		    again.body.left == h.body.left);
		MUST(again.upgrade == h.upgrade);
	}
	str_clear(&s);
}

static void
check_answer(const char *p, size_t n)
{
	size_t seen = 0;
	long end = http_head_end(p, n, &seen);
	struct http h;

	if (end > 0 && http_answer(p, (size_t)end, false, &h) == NULL)
		MUST(h.status <= 999);
}

static void
check_body(const char *p, size_t n)
{
	struct span whole = { .kind = SPAN_CHUNKS }, bytes = whole;
	bool done = false, done_bytes = false;
	long used = span_take(&whole, p, n, &done), one = 1;
	size_t at = 0;

	MUST(used <= (long)n);
	while (at < n && one == 1 && !done_bytes) {
		one = span_take(&bytes, p + at, 1, &done_bytes);
		at += one == 1;
	}
	MUST((used == -1) == (one == -1));
	MUST(used == -1 || ((long)at == used && done == done_bytes));
}

static void
check_hello(const char *p, size_t n)
{
	struct host name, other;
	enum hello got = hello_read((const unsigned char *)p, n, &name);

	if (got != HELLO_NAMED)
		return;
	/* A shorter beginning is never bad, and never another name. */
	for (size_t i = 0; i < n; i++) {
		enum hello part = hello_read((const unsigned char *)p, i,
		    &other);

		MUST(part != HELLO_BAD && part != HELLO_NAMELESS);
		MUST(part != HELLO_NAMED || host_same(&name, &other));
	}
}

static void
check_dns(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	static const unsigned char v4[4] = { 127, 1, 0, 1 };
	struct address found[DNS_ANSWERS];
	unsigned char out[DNS_MAX];
	struct dns_question q;
	size_t have = 0;

	if (dns_question_read(u, n, &q) == 0)
		MUST(dns_reply_write(u, &q, DNS_OK, v4, out) <= DNS_MAX);
	if (n >= 2)
		dns_answer_read(u, n, &(struct dns_asked){ "a.test", DNS_A,
		    (uint16_t)(u[0] << 8 | u[1]) }, found, &have);
	MUST(have <= DNS_ANSWERS);
}

static void
check_rules(const char *p, size_t n)
{
	struct rules r = { .ask = false };
	struct err e;

	if (rules_read(p, n, &r, &e) == 0)
		rules_clear(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const checks[])(const char *, size_t) = {
		check_host, check_request, check_answer, check_body,
		check_hello, check_dns, check_rules,
	};

	if (size > 0)
		checks[data[0] % 7]((const char *)data + 1, size - 1);
	return 0;
}
