/* tests/bench/clock.h - time taken, and many times in order. */
#ifndef TESTS_BENCH_CLOCK_H
#define TESTS_BENCH_CLOCK_H

#include <stdlib.h>
#include <time.h>

static inline double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline double
now_ms(void)
{
	return now_us() / 1e3;
}

static inline int
times_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Afterwards v[n / 2] is the median, v[n * 9 / 10] nine tenths. */
static inline void
times_sort(double *v, size_t n)
{
	qsort(v, n, sizeof *v, times_compare);
}

#endif
