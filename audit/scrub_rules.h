/*
 * audit/scrub_rules.h - what a secret looks like.  Pure, internal to the room.
 *
 * A rule looks at text[at..len) and says which stretch of it is a secret.
 */
#ifndef AUDIT_SCRUB_RULES_H
#define AUDIT_SCRUB_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct hit {
	size_t		 keep;	/* bytes from `at` that stay */
	size_t		 len;	/* bytes behind them that go */
	const char	*kind;
};

struct span {
	const char	*s;
	size_t		 len;
};

typedef bool scrub_rule(const char *text, size_t len, size_t at,
	    struct hit *ret);

scrub_rule scrub_shape;		/* scrub_shapes.c: tokens known by their form */
scrub_rule scrub_jwt;
scrub_rule scrub_pem;
scrub_rule scrub_pem_base64;
scrub_rule scrub_named;		/* scrub_names.c: behind a telling name */
scrub_rule scrub_header;	/* Authorization: Bearer ... */
scrub_rule scrub_url;		/* scheme://user:SECRET@host */
scrub_rule scrub_user_flag;	/* curl -u name:SECRET */
scrub_rule scrub_query;		/* scrub_odd.c: ?sig=SECRET&... */
scrub_rule scrub_bot;		/* 123456789:SECRET of a chat bot */
scrub_rule scrub_random;	/* nothing a person would have chosen */

/* Does the line before `at` hold this word? */
bool	scrub_line_has(const char *text, size_t at, const char *word);

/* Is this the name of a secret?  "DB_PASSWORD" is, "max_tokens" is not. */
bool	scrub_name_secret(struct span name);
/* Is this a value nobody needs to hide?  "$TOKEN", "true", "<your key>". */
bool	scrub_value_harmless(struct span value);

#endif
