#include "common/json.h"

#include "common/banned.h"

size_t
utf8_next(const char *text, size_t len, uint32_t *ret_cp)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t cp, low;
	size_t n;

	if (len == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret_cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		n = 2, cp = p[0] & 0x1f, low = 0x80;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		n = 3, cp = p[0] & 0x0f, low = 0x800;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		n = 4, cp = p[0] & 0x07, low = 0x10000;
	} else {
		return 0;
	}
	if (len < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (p[i] & 0x3fU);
	}
	if (cp < low || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret_cp = cp;
	return n;
}

bool
utf8_ok(const char *text, size_t len)
{
	uint32_t cp;

	while (len > 0) {
		size_t n = utf8_next(text, len, &cp);

		if (n == 0)
			return false;
		text += n;
		len -= n;
	}
	return true;
}

void
utf8_clean(const char *text, size_t len, struct str *ret)
{
	uint32_t cp;

	while (len > 0) {
		size_t n = utf8_next(text, len, &cp);

		if (n == 0 || cp == 0) {
			str_add(ret, "\xef\xbf\xbd");
			n = 1;
		} else {
			str_addn(ret, text, n);
		}
		text += n;
		len -= n;
	}
}
