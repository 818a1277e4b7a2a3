/*
 * hooks/contain.h - let a command run inside the jail, without a human.
 *
 * The client is told to run `sandbox run --profile project --project DIR --
 * /bin/bash -c '...'` instead of what the model wrote.  That is only done where
 *
 *	- the dialect can rewrite a call (contain_event),
 *	- it happens in the project: `sandbox run` looks again, from the
 *	  directory that it is started in by then, and refuses another one,
 *	- `sandbox` lies beside our programs and this machine has what its
 *	  walls need; where it is wrong about that, the command is refused by
 *	  `sandbox run` itself and nothing runs,
 *	- the agent's own settings have no deny or ask rule about its shell: it
 *	  would apply them to the rewritten text, where they match nothing.
 *
 * Everywhere else policy makes a question of the verdict.
 */
#ifndef HOOKS_CONTAIN_H
#define HOOKS_CONTAIN_H

#include "hooks/gate.h"

/* Can the client be told at all?  Asks nobody. */
bool	contain_offered(const struct gate *);
/*
 * Can it be done with this call?  Looks at its directory, the machine and
 * settings: only worth it when the verdict is contain.
 */
bool	contain_possible(const struct gate *, const struct call *);

/* The verdict was contain. */
int	gate_contain(struct gate *, const struct hook_input *,
	    struct reply *, struct err *);

/*
 * The command inside one that contain made, or NULL where it is no such:
 * wrapping the result again gives exactly the text.  The caller frees it.
 */
char	*contain_unwrap(const struct gate *, const char *command);

/* A shell tool's input with another command; the caller frees it. */
cJSON	*contain_input(const cJSON *input, const char *command);

#endif
