/*
 * policy/match.h - which rule of the policy speaks about a fact.
 */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/facts.h"

/* The last rule that matches, or NULL. */
const struct rule *match_fact(const struct facts *, const struct fact *);
/* The same for a simple command as a whole. */
const struct rule *match_command(const struct facts *,
	    const struct command *);

#endif
