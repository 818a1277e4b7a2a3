/*
 * common/diff.h - what a change of a small file would do, as lines.
 */
#ifndef COMMON_DIFF_H
#define COMMON_DIFF_H

#include "common/str.h"

/*
 * "--- name", "+++ name", then the lines that differ, old ones with '-', new
 * ones with '+', with three lines of context; where lines are left out,
 * "@@ line N @@" says which line of the new text is next.  Everything made
 * visible.  Appends nothing when the texts are equal.
 */
void	diff_lines(const char *name, const struct str *old,
	    const struct str *new, struct str *ret);

#endif
