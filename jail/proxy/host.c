#include "jail/proxy/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "common/banned.h"

#define LABEL_MAX	63

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

void
address_from_v4(const unsigned char v4[static 4], struct address *ret)
{
	memcpy(ret->b, mapped, sizeof mapped);
	memcpy(ret->b + sizeof mapped, v4, 4);
}

bool
address_is_v4(const struct address *a)
{
	return memcmp(a->b, mapped, sizeof mapped) == 0;
}

size_t
address_to_sock(const struct address *a, unsigned port,
    struct sockaddr_storage *ret)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
	    .sin6_port = htons((uint16_t)port) };

	*ret = (struct sockaddr_storage){ 0 };
	if (address_is_v4(a)) {
		memcpy(&v4.sin_addr, a->b + sizeof mapped, 4);
		memcpy(ret, &v4, sizeof v4);
		return sizeof v4;
	}
	memcpy(&v6.sin6_addr, a->b, 16);
	memcpy(ret, &v6, sizeof v6);
	return sizeof v6;
}

void
address_from_sock(const struct sockaddr_storage *s, struct address *ret)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (s->ss_family == AF_INET) {
		unsigned char b[4];

		memcpy(&v4, s, sizeof v4);
		memcpy(b, &v4.sin_addr, 4);
		address_from_v4(b, ret);
		return;
	}
	memcpy(&v6, s, sizeof v6);
	memcpy(ret->b, &v6.sin6_addr, 16);
}

bool
address_within(const struct address *a, const struct address *net,
    unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a->b, net->b, whole) != 0)
		return false;
	return rest == 0 ||
	    ((a->b[whole] ^ net->b[whole]) >> (8 - rest)) == 0;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The address in its one spelling. */
int
host_from_address(const struct address *a, struct host *ret)
{
	struct host h = { .is_ip = true, .ip = *a };
	bool v4 = address_is_v4(a);

	if (inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? a->b + sizeof mapped :
	    a->b, h.text, sizeof h.text) == NULL)
		return -1;
	*ret = h;
	return 0;
}

static int
parse_v6(const char *text, struct host *ret)
{
	struct address a;

	return inet_pton(AF_INET6, text, a.b) == 1 ?
	    host_from_address(&a, ret) : -1;
}

/* Everything that inet_aton knows: 0x7f.1, 017700000001, 2130706433. */
static int
parse_v4(const char *text, struct host *ret)
{
	struct in_addr in;
	unsigned char b[4];
	struct address a;

	if (strspn(text, "0123456789abcdefx.") != strlen(text) ||
	    inet_aton(text, &in) == 0)
		return -1;
	memcpy(b, &in, 4);
	address_from_v4(b, &a);
	return host_from_address(&a, ret);
}

static bool
label_ok(const char *s, size_t n)
{
	if (n == 0 || n > LABEL_MAX || s[0] == '-' || s[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') || is_digit(s[i]) ||
		    s[i] == '-' || s[i] == '_'))
			return false;
	return true;
}

static int
parse_name(const char *text, struct host *ret)
{
	const char *s = text;

	for (;;) {
		size_t n = strcspn(s, ".");

		if (!label_ok(s, n))
			return -1;
		if (s[n] == '\0')
			break;
		s += n + 1;
	}
	/* A resolver may take a last label that begins so for an address. */
	if (is_digit(s[0]))
		return parse_v4(text, ret);
	*ret = (struct host){ .is_ip = false };
	memcpy(ret->text, text, strlen(text));
	return 0;
}

int
host_parse(const char *text, size_t len, struct host *ret)
{
	char low[HOST_MAX + 3];

	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
		if (memchr(text, ':', len) == NULL)
			return -1;
	}
	if (len == 0 || len > HOST_MAX + 1 || memchr(text, '\0', len) != NULL)
		return -1;
	for (size_t i = 0; i < len; i++)
		low[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ?
		    text[i] + 'a' - 'A' : text[i]);
	low[len] = '\0';
	if (memchr(low, ':', len) != NULL)
		return parse_v6(low, ret);
	if (len > 1 && low[len - 1] == '.')
		low[--len] = '\0';
	return len > HOST_MAX ? -1 : parse_name(low, ret);
}

static int
parse_port(const char *s, size_t len, unsigned *ret)
{
	unsigned port = 0;

	if (len == 0 || len > 5)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(s[i]))
			return -1;
		port = port * 10 + (unsigned)(s[i] - '0');
	}
	if (port == 0 || port > 65535)
		return -1;
	*ret = port;
	return 0;
}

int
host_port_parse(const char *text, size_t len, unsigned fallback,
    struct host *ret, unsigned *ret_port)
{
	const char *colon = memrchr(text, ':', len);
	unsigned port = fallback;
	struct host h;

	/* "[::1]", or "::1" bare: there the last colon is the address's. */
	if (colon != NULL && (memchr(colon, ']', len - (size_t)(colon - text))
	    != NULL || (text[0] != '[' && memchr(text, ':',
	    (size_t)(colon - text)) != NULL)))
		colon = NULL;
	if (colon != NULL && parse_port(colon + 1,
	    len - (size_t)(colon - text) - 1, &port) == -1)
		return -1;
	if (host_parse(text, colon == NULL ? len : (size_t)(colon - text),
	    &h) == -1)
		return -1;
	*ret = h;
	*ret_port = port;
	return 0;
}

bool
host_same(const struct host *a, const struct host *b)
{
	return a->is_ip == b->is_ip && strcmp(a->text, b->text) == 0;
}
