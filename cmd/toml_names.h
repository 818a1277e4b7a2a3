/*
 * cmd/toml_names.h - which names of a TOML text are taken.
 *
 * TOML lets a name be defined once, and says which tables may be added to
 * later.  A file that breaks this is one its reader drops as a whole.
 */
#ifndef CMD_TOML_NAMES_H
#define CMD_TOML_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

struct toml_names {
	void		*known;		/* a tree, tsearch(3) */
	struct str	 table;		/* the one we are in, as it is known */
	unsigned	 section;	/* counts headers */
	size_t		 held;		/* bytes; more than 64 MiB is refused */
};

void	toml_names_init(struct toml_names *);
void	toml_names_clear(struct toml_names *);

/* [path] or [[path]]; false: it cannot be defined here. */
bool	toml_names_table(struct toml_names *, const char *path, bool is_list);

/* `path` begins with the table it stands in, which is `table` bytes of it. */
bool	toml_names_value(struct toml_names *, const char *path, size_t table);

#endif
