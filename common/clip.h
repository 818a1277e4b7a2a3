/*
 * common/clip.h - the beginning and the end of a long text.
 *
 * Lengths are counted in UTF-16 units, because that is what the clients that
 * read our texts count.
 */
#ifndef COMMON_CLIP_H
#define COMMON_CLIP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

/* Units of valid UTF-8; a bad byte counts as one. */
size_t	clip_units(const char *, size_t len);

/*
 * Append at most `units` of a text: all of it, or head and tail with a line
 * between them that says how much is missing and `where` all of it is (""
 * or NULL: nowhere).  Cuts only between characters.  True when cut.
 */
bool	clip(const char *text, size_t len, size_t units, const char *where,
	    struct str *ret);

#endif
