#include "jail/proxy/dns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/banned.h"

#define HEADER	12
#define TTL	30
#define IN	1

enum { FLAG_REPLY = 0x80, FLAG_RECURSE = 0x01, FLAG_CAN_RECURSE = 0x80 };

static unsigned
word(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void
put_word(unsigned char *p, unsigned v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

/*
 * The name at `at`, dots between its labels; where it ends, or 0.  `text` may
 * be NULL.  Compression is followed only where the text is not wanted: in
 * questions there is none.
 */
static size_t
read_name(const unsigned char *p, size_t len, size_t at,
    char text[HOST_MAX + 2])
{
	size_t out = 0;

	while (at < len && p[at] != 0) {
		size_t n = p[at];

		if ((n & 0xc0) == 0xc0)
			return text == NULL && at + 2 <= len ? at + 2 : 0;
		if (n > 63 || at + 1 + n >= len || out + n + 1 > HOST_MAX + 1)
			return 0;
		if (text != NULL) {
			memcpy(text + out, p + at + 1, n);
			text[out + n] = '.';
		}
		out += n + 1;
		at += n + 1;
	}
	if (text != NULL)
		text[out] = '\0';
	return at < len ? at + 1 : 0;
}

/* Dots within a label would read as ends of labels. */
static bool
has_inner_dot(const unsigned char *p, size_t at)
{
	for (; p[at] != 0; at += p[at] + 1U)
		if (memchr(p + at + 1, '.', p[at]) != NULL)
			return true;
	return false;
}

int
dns_question_read(const unsigned char *p, size_t len,
    struct dns_question *ret)
{
	struct dns_question q = { .is_host = false };
	char text[HOST_MAX + 2];
	size_t at;

	if (len < HEADER || (p[2] & (FLAG_REPLY | 0x78)) != 0 ||
	    word(p + 4) != 1)
		return -1;
	at = read_name(p, len, HEADER, text);
	if (at == 0 || at + 4 > len || at + 4 + 16 > DNS_MAX ||
	    word(p + at + 2) != IN)
		return -1;
	q.type = word(p + at);
	q.size = at + 4;
	q.is_host = !has_inner_dot(p, HEADER) &&
	    host_parse(text, strlen(text), &q.name) == 0 && !q.name.is_ip;
	*ret = q;
	return 0;
}

size_t
dns_reply_write(const unsigned char *query, const struct dns_question *q,
    enum dns_code code, const unsigned char *v4,
    unsigned char ret[static DNS_MAX])
{
	unsigned char *p = ret + q->size;

	memcpy(ret, query, q->size);
	ret[2] = (unsigned char)(FLAG_REPLY | (query[2] & FLAG_RECURSE));
	ret[3] = (unsigned char)(FLAG_CAN_RECURSE | (unsigned)code);
	memset(ret + 6, 0, 6);
	if (v4 == NULL)
		return q->size;
	put_word(ret + 6, 1);
	put_word(p, 0xc000 | HEADER);	/* the name in the question */
	put_word(p + 2, DNS_A);
	put_word(p + 4, IN);
	put_word(p + 6, 0);
	put_word(p + 8, TTL);
	put_word(p + 10, 4);
	memcpy(p + 12, v4, 4);
	return q->size + 16;
}

size_t
dns_query_write(const struct dns_asked *q,
    unsigned char ret[static DNS_MAX])
{
	const char *name = q->name;
	size_t at = HEADER;

	memset(ret, 0, HEADER);
	put_word(ret, q->id);
	ret[2] = FLAG_RECURSE;
	put_word(ret + 4, 1);
	while (*name != '\0') {
		size_t n = strcspn(name, ".");

		/* struct host promises labels and lengths that fit. */
		ret[at++] = (unsigned char)n;
		memcpy(ret + at, name, n);
		at += n;
		name += n + (name[n] == '.');
	}
	ret[at++] = 0;
	put_word(ret + at, q->type);
	put_word(ret + at + 2, IN);
	return at + 4;
}

static void
take_record(unsigned type, const unsigned char *data, size_t size,
    struct address ret[DNS_ANSWERS], size_t *n)
{
	if (*n == DNS_ANSWERS || size != (type == DNS_A ? 4U : 16U))
		return;
	if (type == DNS_A)
		address_from_v4(data, &ret[*n]);
	else
		memcpy(ret[*n].b, data, 16);
	(*n)++;
}

int
dns_answer_read(const unsigned char *p, size_t len,
    const struct dns_asked *q, struct address ret[DNS_ANSWERS], size_t *n)
{
	char text[HOST_MAX + 2];
	size_t at, before = *n, size = strlen(q->name);

	if (len < HEADER || word(p) != q->id || (p[2] & FLAG_REPLY) == 0 ||
	    word(p + 4) != 1)
		return -1;
	at = read_name(p, len, HEADER, text);
	if (at == 0 || at + 4 > len || word(p + at) != q->type ||
	    strncasecmp(text, q->name, size) != 0 ||
	    strcmp(text + size, ".") != 0)
		return -1;
	at += 4;
	for (unsigned i = 0; i < word(p + 6); i++) {
		size_t data;

		at = read_name(p, len, at, NULL);
		if (at == 0 || at + 10 > len)
			break;
		data = at + 10;
		if (data + word(p + at + 8) > len)
			break;
		if (word(p + at) == q->type && word(p + at + 2) == IN)
			take_record(q->type, p + data, word(p + at + 8), ret,
			    n);
		at = data + word(p + at + 8);
	}
	return (int)(*n - before);
}
