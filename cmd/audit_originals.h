/*
 * cmd/audit_originals.h - is what the log says was kept of files still there?
 */
#ifndef CMD_AUDIT_ORIGINALS_H
#define CMD_AUDIT_ORIGINALS_H

#include <stdbool.h>

#include "common/err.h"
#include "common/json.h"
#include "queue/home.h"

/*
 * Says what is missing or edited, on stdout or (json not NULL) as an array
 * "originals" in it.  Returns how many, -1 when it cannot be told.
 */
int	audit_originals(const struct home *, bool full, cJSON *json,
	    struct err *);

#endif
