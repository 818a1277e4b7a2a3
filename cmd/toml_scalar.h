/*
 * cmd/toml_scalar.h - is this a number, a truth or a date of TOML?
 */
#ifndef CMD_TOML_SCALAR_H
#define CMD_TOML_SCALAR_H

#include <regex.h>
#include <stddef.h>

struct toml_scalar {
	regex_t		 shape;
};

void	toml_scalar_init(struct toml_scalar *);
void	toml_scalar_clear(struct toml_scalar *);

/*
 * How long the value is that `at` begins with, up to where a value can end;
 * 0: it is none.  Ranges are left to whoever reads the number.
 */
size_t	toml_scalar_len(const struct toml_scalar *, const char *at);

#endif
