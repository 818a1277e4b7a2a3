/*
 * common/cmd.h - a command table that is also the help text.
 *
 * A program has a table of commands, a command a table of options; parsing,
 * `--help`, and the complaints come from the tables.  Options may stand
 * anywhere among the operands; `--` ends them.
 */
#ifndef COMMON_CMD_H
#define COMMON_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

enum opt_kind {
	OPT_FLAG,		/* bool *: set to true */
	OPT_TEXT,		/* const char **: borrowed from argv */
	OPT_COUNT		/* int *: 0 .. 2^31-1 */
};

struct opt {
	const char	*name;		/* "digest", without dashes, or NULL */
	char		 letter;	/* 'm', or 0 */
	enum opt_kind	 kind;
	const char	*arg;		/* "HEX64" in help; NULL for flags */
	const char	*help;
	void		*dest;
};

/*
 * Read options out of argv[1..], leaving the operands in argv[0..*argc) (the
 * command's name is gone).  Unknown options, missing or surplus values and a
 * repeated option are ERR_USAGE.  Returns 1 when --help was asked for.
 */
int	opt_parse(const struct opt *, size_t n, int *argc, char **argv,
	    struct err *);

/* The same, but the first operand ends the options: for what runs commands. */
int	opt_parse_front(const struct opt *, size_t n, int *argc, char **argv,
	    struct err *);

/* "usage: sandbox NAME SYNOPSIS", what it does, its options. */
void	opt_help(const char *program, const char *name, const char *synopsis,
	    const char *about, const struct opt *, size_t n);

#endif
