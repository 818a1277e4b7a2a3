/*
 * policy/match.h - which rule of the policy speaks about a fact.
 */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/facts.h"

/* The last rule that matches, or NULL. */
const struct rule *match_fact(const struct facts *, const struct fact *);
/* What keeps a rule from matching: "program", ...; NULL: it matches. */
const char *match_miss(const struct facts *, const struct rule_match *,
	    const struct fact *);
/* The same for a simple command as a whole. */
const struct rule *match_command(const struct facts *,
	    const struct command *);

#endif
