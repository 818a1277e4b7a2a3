/*
 * common/json.h - strict JSON over cJSON.
 *
 * cJSON builds and prints the trees; this file decides what is let in.  cJSON
 * alone accepts things that two readers can understand differently, so every
 * text first passes our scanner: RFC 8259 to the letter, valid UTF-8, no NUL
 * (neither raw nor \u0000), no lone surrogate, depth and size bounded, no
 * key twice in one object (after unescaping), nothing but white space around
 * the one value.  Errors name line and column.
 *
 * Reading goes in two steps: json_parse, then json_check with a table of the
 * fields an object has; after that the accessors below cannot fail.  All look
 * keys up case-sensitively (cJSON's plain lookups do not).
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/err.h"
#include "common/str.h"

#define JSON_DEPTH	32

/* The whole of text[0..len) is one JSON value.  The caller json_free's it. */
int	json_parse(const char *text, size_t len, unsigned depth,
	    cJSON **ret, struct err *);

/*
 * The same for files people edit: blanks out // and block comments first, so
 * that line and column stay true.  A comma before ] or } is still an error.
 */
int	json_parse_commented(const char *text, size_t len, unsigned depth,
	    cJSON **ret, struct err *);

/*
 * Where the key or element that `pointer` (RFC 6901: "/rules/0/match") names
 * begins in a text json_parse_commented accepted.  Lines and columns count
 * from 1, columns in bytes.  -1 when there is no such place.
 */
int	json_locate(const char *text, size_t len, const char *pointer,
	    unsigned *ret_line, unsigned *ret_col);

void	json_free(cJSON *);
void	json_free_ptr(cJSON **);
#define auto_json	__attribute__((cleanup(json_free_ptr)))

enum json_kind {
	JSON_STRING, JSON_INT, JSON_BOOL, JSON_OBJECT, JSON_ARRAY,
	JSON_STRING_OR_NULL, JSON_OBJECT_OR_NULL, JSON_ANY
};

struct json_field {
	const char	*name;
	enum json_kind	 kind;
	bool		 needed;
	size_t		 max;	/* strings: bytes; arrays: elements; 0 = any */
};

/*
 * Is obj an object with every needed field, each of its kind?  `closed`: and
 * with no field the table does not name.  JSON_INT is a whole number in
 * 0 .. 2^53 - 1.
 */
int	json_check(const cJSON *obj, const struct json_field *, size_t n,
	    bool closed, struct err *);

/*
 * A number that a double cannot hold as it was written (more than 15 digits,
 * or too large or small) stands in the tree as its text (cJSON_Raw), and is
 * printed so: two that differ stay two.  false: not a number.
 */
bool	json_number(const cJSON *, double *ret);

/* Borrowed; the fallbacks are for optional fields. */
const cJSON *json_get(const cJSON *obj, const char *name);
const char  *json_str(const cJSON *obj, const char *name);	/* or NULL */
int64_t	     json_int(const cJSON *obj, const char *name, int64_t fallback);
bool	     json_bool(const cJSON *obj, const char *name, bool fallback);

/* Building.  Bytes that are not UTF-8 become U+FFFD; NULL text adds null. */
cJSON	*json_object(void);
cJSON	*json_array(void);
void	 json_add_str(cJSON *obj, const char *name, const char *text);
void	 json_add_strn(cJSON *obj, const char *name, const char *, size_t len);
void	 json_add_int(cJSON *obj, const char *name, int64_t);
void	 json_add_bool(cJSON *obj, const char *name, bool);
void	 json_add(cJSON *obj, const char *name, cJSON *owned);
void	 json_push_str(cJSON *array, const char *text);
void	 json_push(cJSON *array, cJSON *owned);

/*
 * A copy in which `text` wrote every string anew (its own name is in
 * string->string), beginning with str_init(ret, ...).  As deep as v: bound
 * that when v is parsed.
 */
typedef void json_text_fn(const cJSON *string, struct str *ret);
cJSON	*json_map(const cJSON *v, json_text_fn *text);

/* One line, no spaces; every control byte escaped.  Appended to ret. */
void	 json_print(const cJSON *, struct str *ret);

/*
 * JSON text for a terminal: what visible() would rewrite becomes a \u escape,
 * which means the same to whoever parses it.
 */
void	 json_visible(const char *json, size_t len, struct str *ret);

/* One quoted JSON string, appended. */
void	 json_quote(const char *, size_t len, struct str *ret);

/*
 * Append text with every byte that is not part of valid UTF-8 replaced by
 * U+FFFD (one per byte).  NUL bytes become U+FFFD too.
 */
void	 utf8_clean(const char *, size_t len, struct str *ret);
bool	 utf8_ok(const char *, size_t len);
/* Length 1..4 of the valid sequence at p, its code point; 0 if not valid. */
size_t	 utf8_next(const char *p, size_t len, uint32_t *ret_cp);

#endif
