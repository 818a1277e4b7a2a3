/*
 * policy/ours.h - our own program behind others.
 *
 * `sandbox approve` is a human's word.  Wrappers that the tables know are
 * judged by what they wrap; these are the ways that nobody looks into, where
 * the words alone say for certain what would run.
 */
#ifndef POLICY_OURS_H
#define POLICY_OURS_H

#include "policy/walk.h"

/* Would this text, of a shell or an interpreter, run `sandbox approve`? */
bool	ours_text(const char *text);

/* Does this program start what its words say, and say they that? */
bool	ours_behind(const struct run *, const char *program);

/* The first word is only known when it runs: can it be nothing else? */
bool	ours_first(const struct run *);

#endif
