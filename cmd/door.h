/*
 * cmd/door.h - is each connected agent's door shut?
 *
 * For every agent that is connected: its files say what init would write now,
 * the registered command is run as the agent runs it and must refuse a call
 * that has to be refused and refuse without an input, what the client itself
 * needs (trust, a version) is there, and what no hook of it sees is said.
 *
 * Claude Code's own registration is proved by cmd/doctor.c.
 */
#ifndef CMD_DOOR_H
#define CMD_DOOR_H

#include <stdbool.h>

#include "cmd/agent.h"
#include "queue/home.h"

enum door_mark { DOOR_OK = 0, DOOR_NOTE, DOOR_WARN, DOOR_FAIL };

struct door_finding {
	enum door_mark	 mark;
	const char	*what;		/* "codex: PreToolUse refuses" */
	const char	*text;
	const char	*repair;	/* what to type; never NULL where it
					   warns or fails */
};
typedef void door_say_fn(void *arg, const struct door_finding *);

struct door_place {
	const struct home *home;
	const char	*libexec;
	const char	*user_home;	/* or NULL */
	const char	*search_path;	/* $PATH; NULL: an agent started us,
					   and no client is asked */
	bool		 observes;	/* the policy: nothing is refused */
	const char	*again;		/* behind a command of ours, so that it
					   is about this project; or "" */
	door_say_fn	*say;
	void		*arg;
};

/* One finding; `repair` NULL: there is nothing to type. */
void	door_say(const struct door_place *, enum door_mark, const char *what,
	    const char *text, const char *repair);

/* Do the agent's files hold an entry of ours, right or wrong? */
bool	door_connected(const struct door_place *, const struct agent *);

/* Is it the committed form (init --shared) that is registered? */
bool	door_shared(const struct door_place *, const struct agent *);

/* Its file below the project, of the form that is registered. */
const char *door_file(const struct door_place *, const struct agent *);

/* Says everything; of Claude Code only what is shared. */
void	door_check(const struct door_place *);

/* Is the registration as init would write it now?  err says what is wrong. */
int	door_registered(const struct door_place *, const struct agent *,
	    struct err *);

#endif
