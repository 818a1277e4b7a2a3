#include "approver/fold.h"

#include "common/json.h"

#include "common/banned.h"

#define NARROWEST	20
#define TAB		8

static const char go_on[] = "\n~ ";

static unsigned
width(uint32_t cp, unsigned at)
{
	return cp == '\t' ? TAB - at % TAB : cp < 0x80 ? 1 : 2;
}

void
fold(const char *text, size_t len, unsigned columns, struct str *ret)
{
	unsigned at = 0;

	if (columns > 0 && columns < NARROWEST)
		columns = NARROWEST;
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t cp = 0;

		n = utf8_next(text + i, len - i, &cp);
		if (n == 0)
			n = 1;
		if (cp == '\n') {
			at = 0;
		} else if (columns > 0 && at + width(cp, at) > columns) {
			str_add(ret, go_on);
			at = sizeof go_on - 2;
		}
		if (cp != '\n')
			at += width(cp, at);
		str_addn(ret, text + i, n);
	}
}

size_t
fold_unfinished(const char *text, size_t len)
{
	for (size_t n = 1; n <= 3 && n <= len; n++) {
		unsigned char c = (unsigned char)text[len - n];
		size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if ((c & 0xc0) != 0x80)
			return want > n ? n : 0;
	}
	return 0;
}
