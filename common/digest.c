#include "common/digest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/banned.h"

int
digest_setup(struct err *e)
{
	if (sodium_init() == -1)
		return err_set(e, ERR_SYSTEM, "libsodium cannot start");
	return 0;
}

void
digest_begin(struct digest_state *s, const char *key)
{
	crypto_generichash_init(&s->st, (const unsigned char *)key,
	    key == NULL ? 0 : strlen(key), DIGEST_BYTES);
}

void
digest_add(struct digest_state *s, const void *p, size_t len)
{
	crypto_generichash_update(&s->st, p, len);
}

void
digest_add_u64(struct digest_state *s, uint64_t v)
{
	unsigned char b[8];

	for (int i = 0; i < 8; i++)
		b[i] = (unsigned char)(v >> (56 - 8 * i));
	digest_add(s, b, sizeof b);
}

void
digest_add_field(struct digest_state *s, const void *p, size_t len)
{
	digest_add_u64(s, len);
	digest_add(s, p, len);
}

void
digest_end(struct digest_state *s, struct digest *ret)
{
	crypto_generichash_final(&s->st, ret->b, DIGEST_BYTES);
}

void
digest_of(const void *p, size_t len, const char *key, struct digest *ret)
{
	struct digest_state s;

	digest_begin(&s, key);
	digest_add(&s, p, len);
	digest_end(&s, ret);
}

int
digest_fd(int fd, size_t max, struct digest *ret, struct err *e)
{
	struct digest_state s;
	char buf[32768];
	off_t off = 0;

	digest_begin(&s, NULL);
	for (;;) {
		ssize_t n = pread(fd, buf, sizeof buf, off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot read");
		if (n == 0)
			break;
		off += n;
		if ((size_t)off > max)
			return err_set(e, ERR_FORMAT, "more than %zu bytes",
			    max);
		digest_add(&s, buf, (size_t)n);
	}
	digest_end(&s, ret);
	return 0;
}

bool
digest_eq(const struct digest *a, const struct digest *b)
{
	return sodium_memcmp(a->b, b->b, DIGEST_BYTES) == 0;
}

void
hex_put(const void *p, size_t len, char *ret)
{
	sodium_bin2hex(ret, len * 2 + 1, p, len);
}

int
hex_get(const char *s, void *ret, size_t len)
{
	if (strlen(s) != len * 2 || strspn(s, "0123456789abcdef") != len * 2)
		return -1;
	return sodium_hex2bin(ret, len, s, len * 2, NULL, NULL, NULL);
}

void
digest_hex(const struct digest *d, char ret[static DIGEST_HEX + 1])
{
	hex_put(d->b, DIGEST_BYTES, ret);
}

int
digest_parse(const char *hex, struct digest *ret)
{
	return hex_get(hex, ret->b, DIGEST_BYTES);
}
