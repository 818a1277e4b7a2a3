/*
 * policy/shell/arena.h - one bounded piece of memory, given out from the front.
 *
 * Everything read from one command line lives here and dies together at the
 * next arena_reset.  The size is fixed when it is made: a line that needs more
 * is a line that cannot be told, never one that takes the machine's memory.
 */
#ifndef POLICY_SHELL_ARENA_H
#define POLICY_SHELL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
	char	*base;
	size_t	 used, size;
	bool	 full;		/* something did not fit since the reset */
};

void	 arena_init(struct arena *, size_t size);
void	 arena_clear(struct arena *);
void	 arena_reset(struct arena *);

/* Zeroed and aligned; NULL (and `full`) when there is no room. */
void	*arena_get(struct arena *, size_t size);
/* A terminated copy of exactly len bytes; NULL as above. */
char	*arena_text(struct arena *, const char *, size_t len);

#endif
