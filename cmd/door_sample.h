/*
 * cmd/door_sample.h - a call that has to be refused, in each client's words.
 */
#ifndef CMD_DOOR_SAMPLE_H
#define CMD_DOOR_SAMPLE_H

#include <stdbool.h>

#include "cmd/fire.h"

struct door_sample {
	const char	*agent, *event;
	/* Its input; @ is the project's root, quoted. */
	const char	*input;
	/* What stdout begins with when the call is refused, where the client
	 * reads it there; NULL: exit 2. */
	const char	*refusal;
};

/* NULL: there is none for this agent. */
const struct door_sample *door_sample(const char *agent);

/* The input with the root in it; the caller frees. */
char	*door_sample_input(const struct door_sample *, const char *root);

/* Is this a complete refusal, as the client takes it? */
bool	door_sample_refused(const struct door_sample *, const struct fired *);

#endif
