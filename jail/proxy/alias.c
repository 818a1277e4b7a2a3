#include "jail/proxy/alias.h"

#include <stdlib.h>

#include "common/mem.h"

#include "common/banned.h"

#define FIRST	1	/* 127.1.0.1 */

int
alias_for(struct aliases *a, const struct host *name,
    unsigned char ret[static 4])
{
	size_t i = 0;

	while (i < a->n && !host_same(&a->v[i], name))
		i++;
	if (i == ALIASES_MAX)
		return -1;
	if (i == a->n) {
		if ((a->n & (a->n - 1)) == 0)
			a->v = xrealloc(a->v, a->n == 0 ? 1 : a->n * 2,
			    sizeof *a->v);
		a->v[a->n++] = *name;
	}
	i += FIRST;
	ret[0] = 127;
	ret[1] = 1;
	ret[2] = (unsigned char)(i >> 8);
	ret[3] = (unsigned char)i;
	return 0;
}

const struct host *
alias_of(const struct aliases *a, const struct address *at)
{
	const unsigned char *b = at->b + 12;
	size_t i = (size_t)b[2] << 8 | b[3];

	if (!address_is_v4(at) || b[0] != 127 || b[1] != 1 || i < FIRST ||
	    i - FIRST >= a->n)
		return NULL;
	return &a->v[i - FIRST];
}

void
aliases_clear(struct aliases *a)
{
	free(a->v);
	*a = (struct aliases){ 0 };
}
