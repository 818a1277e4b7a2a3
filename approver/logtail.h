/*
 * approver/logtail.h - the end of the audit log, and whether it is what was
 * written: the same for the screen and for the line mode.
 */
#ifndef APPROVER_LOGTAIL_H
#define APPROVER_LOGTAIL_H

#include "audit/verify.h"
#include "common/digest.h"
#include "common/err.h"
#include "common/json.h"
#include "common/str.h"
#include "queue/home.h"

/* One record as `sandbox log` prints it, without a newline; visible. */
void	log_line(const cJSON *record, struct str *ret);

struct log_row {
	unsigned	 place;		/* index into homes */
	int64_t		 wall_ms;
	char		*line;		/* visible */
	char		*json;		/* raw: the record's line */
	char		 session[72];	/* raw, perhaps cut */
	char		 id[13];	/* the record's number */
	struct digest	 digest;
};

struct logtail {
	struct log_row	*row;		/* the newest first */
	size_t		 n;
};

/* The last `max` records of all; one that is cut or torn is left out. */
int	logtail_read(const struct home *const *homes, size_t n, size_t max,
	    struct logtail *ret, struct err *);
void	logtail_clear(struct logtail *);
const struct log_row *logtail_find(const struct logtail *, unsigned place,
	    const char *id);
/* Every field on a line of its own, what binds it last; visible. */
void	logtail_text(const struct log_row *, struct str *ret);

/*
 * `sandbox audit verify` of each, without the files.  One visible line a home:
 * "chain ok: 1204 records, 1024 under a checkpoint", and below a broken one
 * what was found.  Returns whether all are as they were written.
 */
bool	logtail_verify(const struct home *const *homes, size_t n,
	    struct str *ret);

#endif
