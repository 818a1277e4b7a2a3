#include "approver/clip.h"

#include "common/json.h"

#include "common/banned.h"

#define NOTE_UNITS	160

static size_t
units_at(const char *p, size_t left, size_t *ret_bytes)
{
	uint32_t cp;
	size_t n = utf8_next(p, left, &cp);

	*ret_bytes = n == 0 ? 1 : n;
	return n == 4 ? 2 : 1;
}

static size_t
units_in(const char *text, size_t len)
{
	size_t units = 0, step;

	for (size_t at = 0; at < len; at += step)
		units += units_at(text + at, len - at, &step);
	return units;
}

/* How many bytes from the beginning fill at most `units`. */
static size_t
bytes_for(const char *text, size_t len, size_t units)
{
	size_t at = 0, step;

	while (at < len) {
		size_t u = units_at(text + at, len - at, &step);

		if (u > units)
			break;
		units -= u;
		at += step;
	}
	return at;
}

bool
clip(const char *text, size_t len, size_t units, const char *where,
    struct str *ret)
{
	size_t all = units_in(text, len), room, head, tail;

	if (all <= units) {
		str_addn(ret, text, len);
		return false;
	}
	room = units > NOTE_UNITS ? units - NOTE_UNITS : 0;
	head = bytes_for(text, len, room * 2 / 3);
	/* The end: leave out from the beginning what does not fit. */
	tail = bytes_for(text, len, all - room / 3);
	str_addn(ret, text, head);
	str_addf(ret, "\n[... %zu bytes left out", tail - head);
	if (where != NULL)
		str_addf(ret, "; the whole output is in %s", where);
	str_add(ret, " ...]\n");
	str_addn(ret, text + tail, len - tail);
	return true;
}
