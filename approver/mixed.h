/*
 * approver/mixed.h - words that mix alphabets, to look like another word.
 *
 * "p<U+0430>ypal" with a Cyrillic letter is not paypal.  Nothing in it is
 * hidden, so visible() shows it as it is; a person must be told.
 */
#ifndef APPROVER_MIXED_H
#define APPROVER_MIXED_H

#include <stddef.h>

#include "common/str.h"

/*
 * How many words have letters of Latin and of Greek, Cyrillic, Armenian or
 * Cherokee, or Latin letters in another width or as mathematical signs.  The
 * first one is appended, every letter beyond ASCII by its number.
 */
size_t	mixed_words(const char *text, size_t len, struct str *ret_first);

#endif
