#include "approver/mixed.h"

#include <stdbool.h>
#include <stdint.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

enum alphabet { NO_LETTER = 0, LATIN = 1, OTHER = 2, POSING = 4 };

static enum alphabet
alphabet_of(uint32_t cp)
{
	static const struct {
		uint32_t	first, last;
		enum alphabet	is;
	} ranges[] = {
		{ 'A', 'Z', LATIN }, { 'a', 'z', LATIN },
		{ 0x00c0, 0x024f, LATIN }, { 0x0250, 0x02af, LATIN },
		{ 0x0370, 0x03ff, OTHER },	/* Greek */
		{ 0x0400, 0x052f, OTHER },	/* Cyrillic */
		{ 0x0531, 0x0587, OTHER },	/* Armenian */
		{ 0x13a0, 0x13ff, OTHER },	/* Cherokee */
		{ 0x1e00, 0x1eff, LATIN },
		{ 0x1f00, 0x1fff, OTHER },	/* Greek */
		{ 0x2160, 0x2188, POSING },	/* Roman numerals */
		{ 0xab70, 0xabbf, OTHER },	/* Cherokee */
		{ 0xff21, 0xff3a, POSING }, { 0xff41, 0xff5a, POSING },
		{ 0x1d400, 0x1d7ff, POSING },	/* mathematical */
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return ranges[i].is;
	return NO_LETTER;
}

static void
spell(const char *word, size_t len, struct str *ret)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t cp = 0;

		n = utf8_next(word + i, len - i, &cp);
		if (n == 1)
			str_addn(ret, word + i, 1);
		else
			str_addf(ret, "<U+%04X>", cp);
	}
}

static bool
is_bad(unsigned seen)
{
	return (seen & POSING) != 0 || (seen & (LATIN | OTHER)) ==
	    (LATIN | OTHER);
}

size_t
mixed_words(const char *text, size_t len, struct str *ret_first)
{
	size_t count = 0, word = 0;
	unsigned seen = 0;

	for (size_t i = 0, n; i <= len; i += n) {
		uint32_t cp = 0;
		enum alphabet a;

		n = i == len ? 1 : utf8_next(text + i, len - i, &cp);
		if (n == 0)
			n = 1;
		a = i == len ? NO_LETTER : alphabet_of(cp);
		if (a != NO_LETTER) {
			if (seen == 0)
				word = i;
			seen |= (unsigned)a;
			continue;
		}
		if (is_bad(seen) && count++ == 0)
			spell(text + word, i - word, ret_first);
		seen = 0;
	}
	return count;
}
