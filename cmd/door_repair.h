/*
 * cmd/door_repair.h - what to type where doctor found something broken.
 *
 * Each is a command line for a shell, made so that it can be pasted as it is:
 * names are quoted, and the project is named where the shell stands elsewhere.
 * What only a human can do on a client's own screen is said in words.
 */
#ifndef CMD_DOOR_REPAIR_H
#define CMD_DOOR_REPAIR_H

#include "cmd/door.h"

/* `sandbox WORDS` about this project; the caller frees, as below. */
char	*repair_sandbox(const struct door_place *, const char *words);

/*
 * Register this agent again.  A file that init could not edit is moved away
 * first, beside itself: its bytes are a person's.
 */
char	*repair_registration(const struct door_place *, const struct agent *);

/* Move a file away, beside itself. */
char	*repair_move(const char *dir, const char *file);

/* Our programs are there no more, or do not do what they should. */
char	*repair_install(const struct door_place *, const struct agent *);

#endif
