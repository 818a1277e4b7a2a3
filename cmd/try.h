/*
 * cmd/try.h - another policy over the calls that were recorded.
 */
#ifndef CMD_TRY_H
#define CMD_TRY_H

#include "common/str.h"
#include "policy/policy.h"
#include "queue/home.h"

#define TRY_MAX	10000

struct try_policy {
	const struct str	*text;
	const char		*name;		/* for errors */
	int			 count;		/* 1 to TRY_MAX */
};

/*
 * Judge the last `count` recorded shell calls of this project by the policy in
 * `text` and print those that would be decided otherwise.  Records hold the
 * first 1,024 bytes of a line, with secrets taken out: longer lines are left
 * out and counted.  1 (ERR_NEGATIVE) when something would change.
 */
int	try_policy(const struct home *, const struct policy_place *,
	    const struct try_policy *, struct err *);

#endif
