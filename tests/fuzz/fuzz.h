/*
 * tests/fuzz/fuzz.h - what every target is.
 *
 * A target is one function that must survive any bytes and that aborts when a
 * property does not hold.  `make fuzz` links each with libFuzzer; make check
 * feeds all of them the corpora and what becomes of these by small changes
 * (tests/unit/test_policy_fuzz.c).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define MUST(x) do { if (!(x)) abort(); } while (0)

/* The bytes as a string: cut at the first NUL. */
static inline char *
fuzz_text(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);

	MUST(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	return text;
}

#endif
