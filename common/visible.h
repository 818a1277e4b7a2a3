/*
 * common/visible.h - the one way hostile text reaches a person.
 *
 * Whatever came from an agent, a repository, a queue file, a program's output
 * or a file name may hold bytes that move the cursor, hide, reorder or
 * recolour text.  visible() rewrites text so that each of them is seen:
 *
 *	C0 controls and DEL	^[  ^G  ^?	(\n and \t by the flags below)
 *	C1 controls		<U+009B>
 *	not UTF-8		<\xff>, one per byte
 *	bidi, zero width, tags, variation selectors, other format characters,
 *	line/paragraph separators, private use, non-characters, unassigned,
 *	every blank but the plain space, such as U+00A0 and U+3164
 *				<U+202E>
 *	combining marks past three on one base, or on no visible base
 *				<U+0301>
 *
 * Nothing is dropped; `hidden` counts the characters that were rewritten, for
 * "7 hidden characters".  The result is valid UTF-8 whose only control bytes
 * are the ones the flags allow; at most six times as long as what came in.
 * Where `ret` is too small it ends before the character that did not fit, with
 * ret->full set; the count is that of the whole text all the same.
 *
 * Source of the tables: Unicode 14.0 general categories Cc Cf Cs Co Cn Zs Zl Zp
 * and Default_Ignorable_Code_Point; see common/visible_table.c.
 */
#ifndef COMMON_VISIBLE_H
#define COMMON_VISIBLE_H

#include <stddef.h>

#include "common/str.h"

enum visible_flags {
	VISIBLE_LINE = 0,	/* \n is ^J, \t is ^I: one line on a screen */
	VISIBLE_NEWLINE = 1,	/* \n stays */
	VISIBLE_TAB = 2,	/* \t stays */
	VISIBLE_TEXT = 3	/* both stay: a block of output */
};

/* Append the visible form; returns how many characters were rewritten. */
size_t	visible(const char *, size_t len, enum visible_flags,
	    struct str *ret);

/* For a C string into a fresh one-line C string; the caller frees it. */
char	*visible_line(const char *);

/* How many characters visible() would rewrite (newline and tab excepted). */
size_t	visible_hidden(const char *, size_t len);

#endif
