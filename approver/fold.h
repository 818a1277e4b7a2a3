/*
 * approver/fold.h - break lines before a terminal does.
 *
 * A terminal goes on at the left edge without a word, so a long hostile line,
 * padded well, could put anything below ours and look like one of ours.  What
 * is folded here goes on behind "~ ", which no line of ours begins with.
 */
#ifndef APPROVER_FOLD_H
#define APPROVER_FOLD_H

#include "common/str.h"

/*
 * Append text that is visible already.  Columns are counted generously, two
 * for all that is not ASCII: never more than `columns` on a line, perhaps
 * less.  0 columns: nothing is folded.
 */
void	fold(const char *text, size_t len, unsigned columns, struct str *ret);

/*
 * How many bytes at the end begin a character whose rest has not come: what is
 * read in pieces is not to be judged in pieces.
 */
size_t	fold_unfinished(const char *text, size_t len);

#endif
