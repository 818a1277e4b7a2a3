/*
 * tests/unit/mutate.h - seeds, a little damaged, the same every time.
 *
 *	mutate_seed = 7;
 *	len = mutate(text, len, marks, sizeof marks - 1);
 *
 * `text` has room for MUTATE_ROOM bytes more.  A fuzzer with feedback explores
 * (tests/fuzz); this keeps what it would find first in every run of the tests.
 */
#ifndef TESTS_UNIT_MUTATE_H
#define TESTS_UNIT_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MUTATE_ROOM	4

static uint32_t mutate_seed;

static inline uint32_t
mutate_next(uint32_t below)
{
	mutate_seed = mutate_seed * 1664525u + 1013904223u;
	return (mutate_seed >> 8) % below;
}

/* Drop, double or overwrite one to four bytes. */
static inline size_t
mutate(uint8_t *text, size_t len, const char *marks, size_t n_marks)
{
	for (uint32_t i = mutate_next(MUTATE_ROOM) + 1; i > 0 && len > 1; i--) {
		size_t at = mutate_next((uint32_t)len);

		switch (mutate_next(3)) {
		case 0:
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
			break;
		case 1:
			memmove(text + at + 1, text + at, len - at);
			len++;
			break;
		default:
			text[at] = (uint8_t)marks[mutate_next(
			    (uint32_t)n_marks)];
		}
	}
	return len;
}

#endif
