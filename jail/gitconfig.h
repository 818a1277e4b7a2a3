/*
 * jail/gitconfig.h - what of a new git configuration is only bookkeeping.
 *
 * `git clone` and `git init` inside a jail write a configuration that git
 * outside will read, and git's configuration can start programs.  Kept are
 * lines in the plainest form whose key is on a short list; everything else,
 * known or not, is left out.  The result is judged line by line, so nothing
 * that was left out can change what a kept line means.
 */
#ifndef JAIL_GITCONFIG_H
#define JAIL_GITCONFIG_H

#include <stddef.h>

#include "common/str.h"

/*
 * Append what may stay; returns how many lines were left out, and appends
 * their keys to ret_left, as far as it has room: a value may be a secret.
 */
size_t	gitconfig_filter(const char *text, size_t len, struct str *ret,
	    struct str *ret_left);

#endif
