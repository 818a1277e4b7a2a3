/*
 * policy/parse.h - reading policy.json, shared by the files that do it.
 *
 * Every object has a table of its keys; a key that is not in the table, comes
 * with the wrong type or a senseless value refuses the whole file, and the
 * message names line and column of that key.
 */
#ifndef POLICY_PARSE_H
#define POLICY_PARSE_H

#include "policy/rules.h"

struct parse {
	const char	*text;
	size_t		 len;
	const char	*name;		/* for messages */
	struct policy	*policy;
	struct err	*err;
};

struct parse_key {
	const char	*name;
	int		(*take)(struct parse *, const char *at, const cJSON *,
			    void *into);
	size_t		 offset;	/* of the field in `into` */
};

/* "NAME:LINE:COL: " and the text; `at` is a JSON pointer.  Returns -1. */
int	parse_bad(struct parse *, const char *at, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* Walk an object by its table. */
int	parse_object(struct parse *, const char *at, const cJSON *,
	    const struct parse_key *, void *into);

/* The usual values: char *, struct words, enum action. */
int	parse_text(struct parse *, const char *at, const cJSON *, void *);
int	parse_words(struct parse *, const char *at, const cJSON *, void *);
int	parse_action(struct parse *, const char *at, const cJSON *, void *);

/* The "rules" array, and after everything is read, each rule's examples. */
int	parse_rules(struct parse *, const char *at, const cJSON *, void *);
int	parse_run_examples(struct parse *, const cJSON *rules);

#endif
