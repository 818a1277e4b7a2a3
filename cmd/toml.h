/*
 * cmd/toml.h - as much of TOML as it takes to find a place in somebody's file.
 *
 * The whole text is scanned by TOML 1.0's rules for keys, strings, lists and
 * inline tables; what is not understood is an error, so that nobody edits a
 * file of which a part was misread.  Values are not converted.
 */
#ifndef CMD_TOML_H
#define CMD_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

/*
 * A path is its segments, unquoted, each behind a slash: [hooks.state."a/b"]
 * is "/hooks/state/a~1b" (~ and / as in RFC 6901).
 */
struct toml_event {
	bool		 is_table;	/* [path]; else path = value */
	bool		 is_list;	/* [[path]] */
	const char	*path;
	size_t		 at;		/* where the header or key begins */
	size_t		 value, value_len;
	size_t		 end;		/* behind its line */
};
typedef void toml_fn(void *arg, const struct toml_event *);

/* -1: not TOML that we understand; the line is named. */
int	toml_scan(const char *text, size_t len, toml_fn *, void *arg,
	    struct err *);

/* The raw text of the first value at `path`; false: there is none. */
bool	toml_get(const char *text, size_t len, const char *path,
	    struct str *ret);

/* Append a segment to a path. */
void	toml_path_add(struct str *path, const char *segment, size_t len);

#endif
