/*
 * cmd/envfile.h - variables that a project's `.env` files set for everything
 * its agent starts.
 */
#ifndef CMD_ENVFILE_H
#define CMD_ENVFILE_H

#include "common/err.h"

/*
 * Does this file set a variable that changes what a shell does before its
 * first command?  0: no, or there is no such file; -1: ERR_PERMITTED names
 * file and variable, anything else means that it cannot be read.
 * `ret_line`: the first such line, from 1; 0: none was read.  NULL is fine.
 */
int	envfile_check(const char *root, const char *relative,
	    unsigned *ret_line, struct err *);

#endif
