/*
 * policy/explain.h - the words of a verdict.
 *
 * A refusal says what was stopped and why in one sentence with the offending
 * words quoted, and what the sanctioned way on is.  It never names a setting
 * that would lift the gate: the model reads it.
 */
#ifndef POLICY_EXPLAIN_H
#define POLICY_EXPLAIN_H

#include "policy/facts.h"

/* For a verdict that `fact` decided; `why` is the rule's own text or NULL. */
void	explain_fact(const struct facts *, const struct fact *,
	    const char *why, struct verdict *);

/* For a verdict over the call as a whole. */
void	explain_text(const char *why, struct verdict *);

#endif
