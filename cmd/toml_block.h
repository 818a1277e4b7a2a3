/*
 * cmd/toml_block.h - lines of ours in somebody's TOML file, between two marks.
 *
 * They are ours only where the table's header is read as one right behind the
 * first mark: the same words in a string or a comment are somebody's text.
 */
#ifndef CMD_TOML_BLOCK_H
#define CMD_TOML_BLOCK_H

#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

struct toml_block {
	const char	*begin, *end;	/* the marks: comments, with their LF */
	const char	*table;		/* "/mcp_servers/sandbox" */
};

/* 1: there, both marks included; 0: not; -1: not TOML, or cut. */
int	toml_block_find(const struct toml_block *, const struct str *text,
	    size_t *ret_at, size_t *ret_len, struct err *);

/* 0 as well when there is none.  A text without the first mark is not read. */
int	toml_block_remove(const struct toml_block *, struct str *text,
	    struct err *);

/* At the end, on a line of its own; the result is TOML, or nothing changed. */
int	toml_block_append(struct str *text, const struct str *block,
	    struct err *);

#endif
