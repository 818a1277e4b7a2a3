/*
 * hooks/registration.h - what an agent's settings must say so that our hooks
 * run, and what they must not say.
 *
 * One table per agent: event, program, matcher, seconds.  `init` writes it,
 * `doctor`, ConfigChange and UserPromptSubmit check it.  The commands hold
 * absolute paths and are started without a shell (`args` is present), with
 * everything the guard needs in argv: nothing is taken from the environment,
 * which a repository's settings can set.
 */
#ifndef HOOKS_REGISTRATION_H
#define HOOKS_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/json.h"

struct registration {
	const char	*event;		/* "PreToolUse" */
	const char	*program;	/* file in libexec: "pretooluse" */
	const char	*matcher;	/* NULL: this event has none */
	int		 timeout_s;
	bool		 block;		/* onFailure: "block" */
	const char	*status;	/* statusMessage, or NULL */
};

/* Claude Code's, ended by a NULL event. */
extern const struct registration registration_claude[];

/*
 * Where our programs and the project are.  Without `root` the hook looks for
 * the project itself (`managed`: one registration for all of a machine); and
 * without `libexec` the command looks for our programs (`shared`: a committed
 * file, for people who have them elsewhere or not at all).
 */
struct registration_place {
	const char	*libexec;	/* absolute, no link */
	const char	*root;
	const char	*state;		/* private directory */
};

/*
 * The value for hooks.<event>[]: one group {matcher?, hooks: [one entry]}.
 * The caller frees.
 */
cJSON	*registration_group(const struct registration *,
	    const struct registration_place *);

/* Is this group exactly the one we would write? */
bool	registration_is(const cJSON *group, const struct registration *,
	    const struct registration_place *);

/* Is this group one of ours at all: an entry whose program is one of our
 * names with our arguments, wherever it was installed? */
bool	registration_ours(const cJSON *group);

/*
 * The environment names that change what programs do (LD_*, GIT_*, PATH, ...).
 * An agent's settings that set one of them for everything it starts are
 * refused.
 */
bool	registration_env_bad(const char *name);

/*
 * What is wrong with one settings file, as its text:
 *	- the client would silently drop all of it (not JSON, wrong shapes),
 *	- it sets disableAllHooks,
 *	- it sets a dangerous environment variable,
 *	- `need` and one of our registrations is missing or differs, or
 *	  disableAllHooks is not false: this file outranks the committed one,
 *	  which a pull may bring with a true.
 * 0: nothing; -1: err has the first, with the place.
 */
int	registration_check(const char *text, size_t len,
	    const struct registration_place *, bool need, struct err *);

#endif
