#include "audit/head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/banned.h"

void
head_encode(const struct head *h, struct str *ret)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&h->hash, hex);
	str_addf(ret, "{\"seq\":\"%012" PRIu64 "\",\"hash\":\"%s\","
	    "\"synced\":\"%012" PRIu64 "\",\"boot_id\":\"%s\"}\n", h->seq, hex,
	    h->synced, h->boot_id);
}

int
head_decode(const char *text, size_t len, struct head *ret)
{
	char copy[HEAD_MAX + 1], hex[DIGEST_HEX + 1];
	struct head h = { 0 };
	auto_str struct str again = { 0 };

	if (len == 0 || len > HEAD_MAX || memchr(text, '\0', len) != NULL)
		return -1;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (sscanf(copy, "{\"seq\":\"%12" SCNu64 "\",\"hash\":\"%64[0-9a-f]"
	    "\",\"synced\":\"%12" SCNu64 "\",\"boot_id\":\"%36[0-9a-f-]",
	    &h.seq, hex, &h.synced, h.boot_id) != 4 ||
	    digest_parse(hex, &h.hash) == -1)
		return -1;
	/* One spelling only: what we would write is what must be there. */
	str_init(&again, HEAD_MAX);
	head_encode(&h, &again);
	if (again.len != len || memcmp(again.s, text, len) != 0)
		return -1;
	*ret = h;
	return 0;
}

int
head_read(int fd, struct head *ret, struct err *e)
{
	char buf[HEAD_MAX + 1];
	ssize_t n;

	do
		n = pread(fd, buf, sizeof buf, 0);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return err_sys(e, "cannot read 'audit.head'");
	if (head_decode(buf, (size_t)n, ret) == -1)
		return err_set(e, ERR_FORMAT, "'audit.head' is damaged");
	ret->len = (size_t)n;
	memcpy(ret->text, buf, ret->len);
	return 0;
}

bool
head_is(int fd, const struct head *h)
{
	char buf[HEAD_MAX + 1];
	ssize_t n = pread(fd, buf, sizeof buf, 0);

	return n >= 0 && (size_t)n == h->len && memcmp(buf, h->text, h->len)
	    == 0;
}

int
head_write(int fd, struct head *h, struct err *e)
{
	struct str s;
	ssize_t n;

	str_init(&s, HEAD_MAX);
	head_encode(h, &s);
	h->len = s.len;
	memcpy(h->text, s.s, s.len);
	str_clear(&s);
	do
		n = pwrite(fd, h->text, h->len, 0);
	while (n == -1 && errno == EINTR);
	if (n != (ssize_t)h->len)
		return err_sys(e, "cannot write 'audit.head'");
	return 0;
}
