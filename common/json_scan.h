/*
 * common/json_scan.h - the strict scanner behind common/json.h; nobody else
 * includes this.
 *
 * Walks a text once, without recursion and without allocating, and says
 * whether it is one JSON value by RFC 8259 and our rules.  Keys that occur
 * twice are not its business: json.c looks for them in the tree.
 */
#ifndef COMMON_JSON_SCAN_H
#define COMMON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#define JSON_SCAN_DEPTH	256	/* ceiling for any caller's depth */

/*
 * Told of every key (is_key) and every element and value that begins, with the
 * container depth it lies in.  NULL: nobody listens.
 */
struct json_scan_event {
	bool		is_key;
	unsigned	depth;		/* 0: the root value */
	size_t		at;		/* offset in the text */
	size_t		len;		/* of a key, with its quotes */
};
typedef bool json_scan_fn(void *arg, const struct json_scan_event *);

/*
 * NULL when the text is fine (or fn returned false to end early), else what
 * is wrong; *ret_at is where.
 */
const char *json_scan(const char *text, size_t len, unsigned depth,
	    json_scan_fn *fn, void *arg, size_t *ret_at);

/* Overwrite comments with spaces, keeping every newline where it is. */
void	json_blank_comments(char *text, size_t len);

/*
 * Offset of the key or element a pointer names in a text without comments
 * ("": of the value itself).  -1: no such place.
 */
int	json_offset(const char *blanked, size_t len, const char *pointer,
	    size_t *ret_at);

/* In the tree of this text, each number that a double loses as its text. */
void	json_keep_numbers(cJSON *, const char *text, size_t len);

#endif
