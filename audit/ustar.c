#include "audit/ustar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define BLOCK	512

/* Offsets in a header; what is not set is zero. */
#define AT_MODE		100
#define AT_UID		108
#define AT_GID		116
#define AT_SIZE		124
#define AT_TIME		136
#define AT_SUM		148
#define AT_TYPE		156
#define AT_MAGIC	257

static void
header(const char *name, size_t len, char ret[static BLOCK])
{
	unsigned sum = 0;

	memset(ret, 0, BLOCK);
	memcpy(ret, name, strnlen(name, USTAR_NAME));
	memcpy(ret + AT_MODE, "0000444", 8);
	memcpy(ret + AT_UID, "0000000", 8);
	memcpy(ret + AT_GID, "0000000", 8);
	snprintf(ret + AT_SIZE, 12, "%011zo", len);
	memcpy(ret + AT_TIME, "00000000000", 12);
	memset(ret + AT_SUM, ' ', 8);
	ret[AT_TYPE] = '0';
	memcpy(ret + AT_MAGIC, "ustar\00000", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)ret[i];
	snprintf(ret + AT_SUM, 8, "%06o", sum);
	ret[AT_SUM + 7] = ' ';
}

static size_t
padding(size_t len)
{
	return (BLOCK - len % BLOCK) % BLOCK;
}

void
ustar_add(struct str *s, const char *name, const void *data, size_t len)
{
	static const char zero[BLOCK];
	char head[BLOCK];

	if (strlen(name) > USTAR_NAME)
		BUG("a name that is too long for an archive");
	header(name, len, head);
	str_addn(s, head, BLOCK);
	str_addn(s, data, len);
	str_addn(s, zero, padding(len));
}

void
ustar_end(struct str *s)
{
	static const char zero[2 * BLOCK];

	str_addn(s, zero, sizeof zero);
}

static bool
is_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != '\0')
			return false;
	}
	return true;
}

static int
refuse(const struct ustar *u, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "byte %zu: %s", u->at, what);
}

int
ustar_next(struct ustar *u, struct ustar_member *ret, struct err *e)
{
	struct ustar_member m = { .name = "" };
	const char *p = u->data + u->at;
	size_t left = u->len - u->at;
	char want[BLOCK], size[13] = "";

	if (left < 2 * BLOCK)
		return refuse(u, "the archive is cut short", e);
	if (is_zero(p, BLOCK))
		return left == 2 * BLOCK && is_zero(p, left) ? 0 :
		    refuse(u, "the archive's end is not zeros", e);
	memcpy(m.name, p, USTAR_NAME);
	memcpy(size, p + AT_SIZE, 12);
	m.len = strtoul(size, NULL, 8);
	header(m.name, m.len, want);
	if (m.name[0] == '\0' || memcmp(p, want, BLOCK) != 0)
		return refuse(u, "a header that is not ours", e);
	left -= BLOCK;
	if (m.len > left || padding(m.len) > left - m.len)
		return refuse(u, "the archive is cut short", e);
	m.data = p + BLOCK;
	if (!is_zero(m.data + m.len, padding(m.len)))
		return refuse(u, "padding that is not zero", e);
	u->at += BLOCK + m.len + padding(m.len);
	*ret = m;
	return 1;
}
