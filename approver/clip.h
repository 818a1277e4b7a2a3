/*
 * approver/clip.h - the beginning and the end of a long text.
 */
#ifndef APPROVER_CLIP_H
#define APPROVER_CLIP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

/*
 * Append valid UTF-8 text of at most `units` UTF-16 units (what clients
 * count): all of it, or two thirds from its beginning and one third from its
 * end with a line between that says how many bytes are missing and `where` the
 * whole is (NULL: nowhere).  Cuts only between characters.  True when cut.
 */
bool	clip(const char *text, size_t len, size_t units, const char *where,
	    struct str *ret);

#endif
