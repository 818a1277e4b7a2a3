#include "common/clip.h"

#include <stdint.h>

#include "common/json.h"

#include "common/banned.h"

#define NOTE_UNITS	160	/* of the line between head and tail */

/* Bytes and units of the character at p. */
static size_t
character(const char *p, size_t len, size_t *ret_units)
{
	uint32_t cp = 0;
	size_t n = utf8_next(p, len, &cp);

	*ret_units = cp >= 0x10000 ? 2 : 1;
	return n == 0 ? 1 : n;
}

size_t
clip_units(const char *p, size_t len)
{
	size_t units = 0, at = 0, u;

	while (at < len) {
		at += character(p + at, len - at, &u);
		units += u;
	}
	return units;
}

/* How many bytes of p make at most `units`. */
static size_t
head_bytes(const char *p, size_t len, size_t units)
{
	size_t at = 0, u;

	while (at < len) {
		size_t n = character(p + at, len - at, &u);

		if (u > units)
			break;
		units -= u;
		at += n;
	}
	return at;
}

/* The first byte of a tail that makes at most `units` of `total`. */
static size_t
tail_start(const char *p, size_t len, size_t total, size_t units)
{
	size_t at = 0, u;

	while (total > units) {
		at += character(p + at, len - at, &u);
		total -= u;
	}
	return at;
}

bool
clip(const char *p, size_t len, size_t units, const char *where,
    struct str *ret)
{
	size_t total = clip_units(p, len), half, head, tail;
	bool nowhere = where == NULL || where[0] == '\0';

	if (total <= units) {
		str_addn(ret, p, len);
		return false;
	}
	half = units <= NOTE_UNITS ? 0 : (units - NOTE_UNITS) / 2;
	head = head_bytes(p, len, half);
	tail = tail_start(p, len, total, half);
	str_addn(ret, p, head);
	str_addf(ret, "\n[... %zu characters left out%s%.80s ...]\n",
	    total - 2 * half, nowhere ? "" : "; all of it is in ",
	    nowhere ? "" : where);
	str_addn(ret, p + tail, len - tail);
	return true;
}
