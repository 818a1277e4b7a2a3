/*
 * policy/protect_list.h - the tables of policy/protect.c.
 *
 * Every name is a run of path components with '/' between, and counts
 * wherever it stands in a path.
 */
#ifndef POLICY_PROTECT_LIST_H
#define POLICY_PROTECT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/protect.h"

struct guarded {
	const char	*run;
	enum guard	 guard;
};

/*
 * The last component may hold wild characters.  `strong` ones also count when
 * only a glob could stand for them: `*.json` shall not be a secret because of
 * credentials.json, `.e*v` shall be one because of .env.
 */
struct secret {
	const char	*run;
	bool		 strong;
};

extern const struct guarded protect_guarded[];
extern const size_t protect_n_guarded;
extern const struct secret protect_secrets[];
extern const size_t protect_n_secrets;

/* Not secrets, although they look like one. */
extern const char *const protect_templates[];
extern const size_t protect_n_templates;

#endif
