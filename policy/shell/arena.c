/* policy/shell/arena.c - a bump allocator with an end. */
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/shell/arena.h"
#include "common/banned.h"

void
arena_init(struct arena *a, size_t size)
{
	/* Untouched pages of a large calloc cost nothing. */
	*a = (struct arena){ .base = xcalloc(1, size), .size = size };
}

void
arena_clear(struct arena *a)
{
	free(a->base);
	*a = (struct arena){ 0 };
}

void
arena_reset(struct arena *a)
{
	a->used = 0;
	a->full = false;
}

void *
arena_get(struct arena *a, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;
	void *p;

	if (need < size || need > a->size - a->used) {
		a->full = true;
		return NULL;
	}
	p = a->base + a->used;
	a->used += need;
	memset(p, 0, size);
	return p;
}

char *
arena_text(struct arena *a, const char *text, size_t len)
{
	char *p = arena_get(a, len + 1);

	if (p != NULL)
		memcpy(p, text, len);
	return p;
}
