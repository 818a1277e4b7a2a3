#include "hooks/wire.h"

#include <string.h>

#include "common/banned.h"

long
wire_number(const char **p, const char *end, char stop, long max)
{
	const char *s = *p;
	long v = 0;

	while (s < end && *s >= '0' && *s <= '9' && v <= max)
		v = v * 10 + (*s++ - '0');
	if (s == *p || s >= end || *s != stop || v > max ||
	    (**p == '0' && s != *p + 1))
		return -1;
	*p = s + 1;
	return v;
}

void
wire_put(uint32_t v, char *ret)
{
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	while (n > 0)
		*ret++ = digits[--n];
	*ret = '\0';
}

long
wire_wait(const char *p, size_t len, size_t *ret_len)
{
	const char *at = p + 2, *lf = len == 0 ? NULL : memchr(p, '\n', len);
	long seconds;

	if (lf == NULL || *p != 'W')
		return 0;
	if (lf < at || p[1] != ' ')
		return -1;
	seconds = wire_number(&at, lf + 1, '\n', WIRE_WAIT_S);
	*ret_len = (size_t)(lf + 1 - p);
	return seconds <= 0 ? -1 : seconds;
}

static bool
is_one_object(const char *p, size_t n)
{
	return n == 0 || (n >= 2 && p[0] == '{' && p[n - 1] == '}');
}

bool
wire_reply(const char *p, size_t len, struct wire_reply *ret)
{
	const char *end = p + len;
	struct wire_reply r = { 0 };
	size_t skip = 0;
	long status, n_out, n_err;

	if (wire_wait(p, len, &skip) == -1)
		return false;
	p += skip;
	if (end - p < 2 || p[0] != 'A' || p[1] != ' ')
		return false;
	p += 2;
	status = wire_number(&p, end, ' ', 2);
	n_out = status == -1 ? -1 : wire_number(&p, end, ' ', WIRE_REPLY);
	n_err = n_out == -1 ? -1 : wire_number(&p, end, '\n', WIRE_REPLY);
	if (n_err == -1 || status == 1 || (status == 2 && n_err == 0) ||
	    end - p != n_out + n_err + 2 || memcmp(end - 2, "E\n", 2) != 0)
		return false;
	r.status = (int)status;
	r.out = p;
	r.n_out = (size_t)n_out;
	r.err = p + n_out;
	r.n_err = (size_t)n_err;
	if (!is_one_object(r.out, r.n_out))
		return false;
	*ret = r;
	return true;
}

bool
wire_locale_ok(const char *entry)
{
	static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789_.@,+-/";
	const char *value = strchr(entry, '=');
	size_t name;

	if (value == NULL || value[1] == '/' || value[1] == '\0' ||
	    strlen(value) > 64 || strstr(value, "..") != NULL ||
	    value[1 + strspn(value + 1, fine)] != '\0')
		return false;
	name = (size_t)(value - entry);
	if (strncmp(entry, "LC_", 3) == 0)
		return name > 3 && name <= 20 &&
		    strspn(entry + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
		    name - 3;
	return strncmp(entry, "LANG=", 5) == 0 ||
	    strncmp(entry, "TZ=", 3) == 0;
}
