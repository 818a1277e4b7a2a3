/*
 * cmd/record.h - what `status` and `doctor` say about the record.
 */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include <stddef.h>

#include "audit/verify.h"
#include "queue/home.h"

/*
 * Tools that ran without a judgement of ours before them: how many in the last
 * seven days, and when the last one did ("" for none).
 */
int	record_missed(const struct home *, size_t *ret, char last[static 21],
	    struct err *);

/* The same in words; NULL: none.  The caller frees. */
char   *record_missed_text(const struct home *);

/* Is the log what was written?  With words for it; the caller frees. */
enum verify_exit record_health(const struct home *, char **ret_text);

#endif
