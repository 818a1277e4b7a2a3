/*
 * cmd/memory.h - the list of what is remembered, for `sandbox policy show`.
 */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "common/err.h"
#include "common/json.h"
#include "queue/home.h"

/*
 * One comment line per remembered decision on stdout, or (list not NULL) one
 * object in an array: id, scope, what, how often it was used, until when, by
 * whom, and why it does not count if it does not.  Uses are counted in the
 * audit log.
 */
int	memory_show(const struct home *, cJSON *list, struct err *);

#endif
