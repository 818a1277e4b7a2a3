/*
 * policy/line.h - what a command line does, as facts.
 *
 * Reads the line with policy/shell/, walks every simple command in it with the
 * directory and the variables it would have, and asks the tables of
 * policy/commands/ what each program does.  What cannot be read is a fact
 * "unknown"; nothing is ever left out.
 */
#ifndef POLICY_LINE_H
#define POLICY_LINE_H

#include "policy/facts.h"

void	line_add(struct facts *, const char *command);

#endif
