/*
 * cmd/fire.h - run one of our own hook programs as an agent would, and see
 * what it answers.
 */
#ifndef CMD_FIRE_H
#define CMD_FIRE_H

#include "common/err.h"
#include "common/str.h"

struct fired {
	int		exit;		/* status, or 128 + signal */
	struct str	out;		/* at most 64 KiB */
};

/*
 * Start path with argv, an empty environment and `input` on stdin; -1 when it
 * cannot be started or is not done in `seconds`.  str_clear(&ret->out).
 */
int	fire(const char *path, char *const argv[], const char *input,
	    int seconds, struct fired *ret, struct err *);

#endif
