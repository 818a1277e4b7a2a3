/*
 * common/str.h - a growing byte string with a ceiling.
 *
 *	struct str s;
 *
 *	str_init(&s, 4096);
 *	str_addf(&s, "%d files", n);
 *	if (s.full) ...			something did not fit
 *	text = str_take(&s);		or str_clear(&s)
 *
 * The content is always followed by a NUL that is not counted.  What would
 * pass the ceiling is dropped and `full` stays set: a caller for whom a part
 * is worse than nothing checks it once, at the end.
 */
#ifndef COMMON_STR_H
#define COMMON_STR_H

#include <stdbool.h>
#include <stddef.h>

struct str {
	char	*s;		/* never NULL after str_init */
	size_t	 len;
	size_t	 cap;
	size_t	 max;		/* ceiling for len, in bytes */
	bool	 full;
};

void	 str_init(struct str *, size_t max);
void	 str_clear(struct str *);	/* frees; it may be init'ed again */
void	 str_reset(struct str *);	/* empties, keeps the memory */
void	 str_wipe(struct str *);	/* zeroes, then frees: for secrets */
void	 str_add(struct str *, const char *text);
void	 str_addn(struct str *, const void *bytes, size_t len);
void	 str_addc(struct str *, char);
void	 str_addf(struct str *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
char	*str_take(struct str *);	/* the caller frees it */

/* Begin it as `auto_str struct str s = { 0 };`: a return may come first. */
#define auto_str	__attribute__((cleanup(str_clear)))

bool	 str_eq(const char *, const char *);	/* NULL equals only NULL */
bool	 str_starts(const char *, const char *prefix);
bool	 str_ends(const char *, const char *suffix);

#endif
