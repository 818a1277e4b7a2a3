/*
 * common/json_splice.h - change one place in a JSON file and no other byte.
 *
 * For files that belong to people and other programs: comments, spacing, key
 * order and line ends stay as they are.  The text must be one that
 * json_parse_commented accepts.
 */
#ifndef COMMON_JSON_SPLICE_H
#define COMMON_JSON_SPLICE_H

#include "common/err.h"
#include "common/str.h"

/*
 * Put `value` (JSON text) at the end of the array or, under `key`, of the
 * object that `pointer` (RFC 6901, "" = the root) names.  Follows the
 * container's own layout: one line stays one line.
 */
int	json_splice_append(struct str *text, const char *pointer,
	    const char *key, const char *value, struct err *);

/* Take the element or member `pointer` names out, with its comma. */
int	json_splice_remove(struct str *text, const char *pointer,
	    struct err *);

#endif
