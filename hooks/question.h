/*
 * hooks/question.h - a call as a request to a human.
 */
#ifndef HOOKS_QUESTION_H
#define HOOKS_QUESTION_H

#include <stdbool.h>

#include "hooks/gate.h"
#include "queue/request.h"

/* Fill an init'ed request with everything but what queue_submit fills. */
int	question_make(const struct gate *, const struct hook_input *,
	    struct request *, struct err *);

/*
 * Is the request in the folder the one this call would make: the same call
 * key, computed anew, in the same directory?  Its bytes may be anybody's; that
 * the approval was given for these bytes is checked when the answer comes.
 */
bool	question_same(const struct gate *, const struct hook_input *,
	    const struct request *);

#endif
