/*
 * common/id.h - names for things that are asked once.
 *
 *	<16 hex random>-<12 hex milliseconds since boot>-<hex pid>
 *
 * Random first, so that a short prefix names one; the time part in the middle
 * orders a list by age without opening the files.  At most ID_MAX characters.
 */
#ifndef COMMON_ID_H
#define COMMON_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ID_MAX	38	/* 16 + 1 + 12 + 1 + 8 */

void	id_make(int64_t boot_ms, pid_t, char ret[static ID_MAX + 1]);

/* Exactly the shape above, lower case. */
bool	id_ok(const char *);

/* For qsort over char *: by time part, then by the whole text. */
int	id_compare(const void *, const void *);

/* A prefix a person typed: 1..ID_MAX characters out of 0-9a-f and '-'. */
bool	id_prefix_ok(const char *);

#endif
