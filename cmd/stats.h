/*
 * cmd/stats.h - what `sandbox stats` counts (stats.c) and says
 * (stats_print.c).
 */
#ifndef CMD_STATS_H
#define CMD_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/id.h"

#define NAME_MAX_	96
#define OPEN_MAX	4096	/* questions without an answer yet */

/* Calls that are alike: a tool and the first words, a session, a rule. */
struct group {
	char	name[NAME_MAX_];
	size_t	calls, asked, approved, denied, refused;
};

struct groups {
	struct group	*g;
	size_t		 n, cap;
};

/* A question that waits, so that its answer finds it. */
struct question {
	char	id[ID_MAX + 1];
	char	what[NAME_MAX_];
	char	session[NAME_MAX_];
	int64_t	asked_ms;
};

struct stats {
	int64_t		 since_ms;
	struct groups	 sessions, kinds, refusals;
	size_t		 calls, asked, approved, denied, refused, missed;
	struct question	 open[OPEN_MAX];
	size_t		 n_open;	/* a ring: the oldest goes */
	int64_t		*took_ms;	/* of each approval */
	size_t		 n_took, cap_took, fast;
};

/* Sorts on its way. */
void	stats_print(struct stats *, bool json);

#endif
