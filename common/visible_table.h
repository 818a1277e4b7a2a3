/*
 * common/visible_table.h - the two character tables behind common/visible.c.
 * Sorted, disjoint ranges of code points, both ends included; ASCII is not in
 * them.  How they were derived is said in visible_table.c.
 */
#ifndef COMMON_VISIBLE_TABLE_H
#define COMMON_VISIBLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct visible_range {
	uint32_t	first;
	uint32_t	last;
};

extern const struct visible_range visible_hidden_ranges[];
extern const size_t visible_hidden_n;

extern const struct visible_range visible_mark_ranges[];
extern const size_t visible_mark_n;

#endif
