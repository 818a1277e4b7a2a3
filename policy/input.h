/*
 * policy/input.h - from a tool's input to facts, for every kind of tool.
 */
#ifndef POLICY_INPUT_H
#define POLICY_INPUT_H

#include "policy/facts.h"

/* All facts of f->call.  Where a shell is told to run is f->own.cwd then. */
void	input_add(struct facts *);

#endif
