/*
 * policy/decide.h - weighing facts, for the files of the room that ask what a
 * verdict would be.
 */
#ifndef POLICY_DECIDE_H
#define POLICY_DECIDE_H

#include "policy/facts.h"

/* The gravest answer to all facts; ret begins as the mildest. */
void	decide_weigh(const struct facts *, struct verdict *ret);

/* Would this fact be asked, and by a trigger, no rule? */
bool	decide_asks(const struct facts *, const struct fact *);

#endif
