/*
 * policy/review.h - a policy looked at: for `sandbox explain` and
 * `sandbox policy check`.  Nothing here decides.
 */
#ifndef POLICY_REVIEW_H
#define POLICY_REVIEW_H

#include "common/str.h"
#include "policy/policy.h"

/*
 * How the last judgement of j came about: for every effect, the rules tried
 * from the last to the first with what kept them from matching, then the rule
 * or trigger that answered.  One line each.
 */
void	review_tried(const struct policy *, const struct judgement *,
	    struct str *ret);

/*
 * The smallest rule that would let the simple command pass that was asked
 * about, as JSON for policy.json.  False: there is none, because rules cannot
 * lift this verdict, or because the words are not known before it runs.  For
 * humans only: an agent is never told what would lift the gate.
 */
bool	review_rule(const struct policy *, const struct judgement *,
	    struct str *ret);

/* Rules that cannot decide anything, one line each; how many. */
size_t	review_rules(const struct policy *, struct str *ret);

#endif
