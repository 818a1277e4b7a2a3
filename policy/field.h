/*
 * policy/field.h - a path in a field of a tool's call.
 *
 * Unlike a shell's word it is data, but clients take blanks off its ends and
 * put the home for `~`, some of them and not always.
 */
#ifndef POLICY_FIELD_H
#define POLICY_FIELD_H

#include "policy/facts.h"

struct field_path {
	const char	*other;	/* what else the text may name, or NULL */
	bool		 odd;	/* or who knows what: ~name, scheme:// */
};

/* -1: no memory is left. */
int	field_path_read(struct facts *, const char *text,
	    struct field_path *ret);

#endif
