/*
 * queue/answer.h - the answer: answered/<id>-a, at most 1 MiB.
 *
 * The queue carries it; whether it is true is for the reader to check: both
 * signatures, H(output) and H(text) (hooks/collect.c).  `not_started` and
 * `unknown` are written by a sweeper that holds no key: they carry no free
 * text (no output, result, out_path, edited or text) and can only deny.  A NULL
 * text is written as "".
 */
#ifndef QUEUE_ANSWER_H
#define QUEUE_ANSWER_H

#include <stdbool.h>

#include "common/err.h"
#include "common/id.h"
#include "common/str.h"

#define ANSWER_MAX	(1024 * 1024)

enum outcome {
	OUTCOME_UNKNOWN = 0,	/* started, and the runner died */
	OUTCOME_NOT_STARTED,	/* consumed, and the runner died before exec */
	OUTCOME_DENIED,
	OUTCOME_DONE,
	OUTCOME_ALLOW_ONCE	/* the agent itself may do exactly this, once */
};
const char	*outcome_name(enum outcome);

struct answer {
	char		 id[ID_MAX + 1];
	char		 project[33];
	enum outcome	 outcome;
	char		*approval;	/* statement; "" for the sweeper's */
	char		*approval_sig;
	char		*result;	/* statement, "" unless OUTCOME_DONE */
	char		*result_sig;
	char		*output;	/* scrubbed, valid UTF-8 */
	bool		 truncated;
	char		*out_path;	/* ".sandbox/out/<id>.txt" or "" */
	char		*text;		/* the human's words */
	char		*edited;	/* the command that ran instead, or
					   "": it ran as it was asked */
};

void	answer_init(struct answer *);
void	answer_clear(struct answer *);
int	answer_encode(const struct answer *, struct str *ret, struct err *);
int	answer_decode(const char *id, const char *bytes, size_t len,
	    struct answer *ret, struct err *);

#endif
