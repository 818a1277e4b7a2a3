/*
 * cmd/door_version.h - which version of a client is installed.
 */
#ifndef CMD_DOOR_VERSION_H
#define CMD_DOOR_VERSION_H

#include "common/str.h"

struct version {
	unsigned	part[3];
};

/* The first N.N.N in a text; false: there is none. */
bool	version_parse(const char *text, struct version *ret);
int	version_compare(const struct version *, const struct version *);

/*
 * Ask `program` in a $PATH (absolute folders outside `not_in` only: a
 * project must not answer for a client).  false: not there, or no answer.
 * This starts what an agent may have put there: never below an agent, then
 * `path` is NULL.
 */
bool	version_ask(const char *program, const char *path, const char *not_in,
	    struct version *ret);
/* What is said then; free it. */
char	*version_unknown(const char *program, const char *path,
	    const char *measured);

#endif
