/*
 * approver/fetch/text.h - what of a page a model can read.
 *
 * Pure.  Bytes that are no text are never passed on; HTML becomes the text a
 * reader would see: no tags, no scripts, no styles, no comments.  It is not a
 * browser: what it shows is untrusted either way.
 */
#ifndef APPROVER_FETCH_TEXT_H
#define APPROVER_FETCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

enum text_kind { TEXT_NONE = 0, TEXT_PLAIN, TEXT_HTML };

/* Of a Content-Type; NULL or "" is TEXT_NONE: nobody says what it is. */
enum text_kind	text_kind(const char *content_type);

/* Is its charset Latin-1 (or what browsers take for it)? */
bool	text_is_latin1(const char *content_type);

/* Latin-1 to UTF-8. */
void	text_from_latin1(const char *, size_t len, struct str *ret);

/* HTML, in UTF-8 or something like it, to text in valid UTF-8. */
void	text_from_html(const char *, size_t len, struct str *ret);

#endif
