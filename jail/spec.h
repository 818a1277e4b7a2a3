/*
 * jail/spec.h - what a jail shall let through: the settings, read strictly.
 *
 * The shape is the one users of Anthropic's sandbox-runtime know:
 *
 *	{
 *	  "filesystem": {
 *	    "denyRead":   ["~/.ssh", "secrets"],
 *	    "allowRead":  ["."],
 *	    "allowWrite": ["."],
 *	    "denyWrite":  ["./deploy"],
 *	    "allowGitConfig": false
 *	  },
 *	  "network": {
 *	    "allowedDomains": [], "deniedDomains": [],
 *	    "deniedResolvedAddresses": [],
 *	    "allowUnixSockets": [], "allowLocalBinding": true,
 *	    "transparentHttp": false, "ask": false
 *	  },
 *	  "credentials": { "envVars": [{"name": "TOKEN", "mode": "deny"}] },
 *	  "environment": { "pass": ["NAME", "PREFIX_*"] },
 *	  "limits": { "processes": 1024, "memory": 0 },
 *	  "allowNestedUserNamespaces": false
 *	}
 *
 * Everything may be left out; what is left out allows nothing but reading.
 * An unknown key, a wrong type, an empty or damaged text is an error with line
 * and column, and the caller runs nothing.  Comments are allowed.
 *
 * Which rule wins (jail/plan.h applies it):
 *	read	the most specific path; of equal ones, allowRead
 *	write	denyWrite before allowWrite, always
 *	domain	denied before allowed; "*.x" does not cover "x"
 */
#ifndef JAIL_SPEC_H
#define JAIL_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "jail/list.h"

#define SPEC_MAX	(1 << 20)	/* bytes of a settings file */
#define SPEC_PROCESSES	1024		/* limits.processes left out */

enum spec_list {
	SPEC_DENY_READ, SPEC_ALLOW_READ, SPEC_ALLOW_WRITE, SPEC_DENY_WRITE,
	SPEC_ALLOW_SOCKETS,		/* paths up to here, all absolute */
	SPEC_ALLOW_DOMAINS, SPEC_DENY_DOMAINS, SPEC_DENY_ADDRESSES,
	SPEC_ENV_PASS, SPEC_ENV_DENY,
	SPEC_LISTS
};

struct spec {
	struct list	 list[SPEC_LISTS];
	bool		 given[SPEC_LISTS];	/* its key was there */
	bool		 git_config;	/* allowGitConfig */
	bool		 plain_http;	/* transparentHttp */
	bool		 ask;		/* a host no rule knows is asked */
	bool		 later;		/* rules may come while it runs */
	bool		 registries;	/* a profile of ours: those of packages
					   that policy allows */
	bool		 nested;	/* allowNestedUserNamespaces */
	int64_t		 processes;	/* at most; never 0 */
	int64_t		 memory;	/* in bytes; 0: no limit */
};

/* Where "~" and relative paths begin. */
struct spec_place {
	const char	*cwd;
	const char	*home;
	const char	*account;	/* the home that the password database
					   knows, where it is another; or
					   NULL */
	const struct list *closed;	/* what no settings open; or NULL */
};

/* Allows nothing but reading. */
void	spec_init(struct spec *);
void	spec_clear(struct spec *);
#define auto_spec	__attribute__((cleanup(spec_clear)))

/* `ret` must be fresh from spec_init.  On failure it holds nothing. */
int	spec_parse(const char *text, size_t len, const struct spec_place *,
	    struct spec *ret, struct err *);

/*
 * A project's settings under its user's: denials add up, limits take the
 * smaller; an allowance that the user's settings do not have is an error (a
 * repository must not be able to open the jail it is run in).  What the
 * project leaves out stays as the user has it.  `user` becomes the result.
 */
int	spec_tighten(struct spec *user, const struct spec *project,
	    struct err *);

/*
 * The settings in force: `file` if given, else `<cwd>/.sandbox/jail.json`
 * under the user's (~/.config/sandbox/jail.json, else ~/.srt-settings.json).
 * A project's file without a user's may allow writing in cwd, nothing more.
 * One that names something below `closed` as readable is an error: there it
 * has no business, and jail/plan.h would not open it.
 * A file that is named or exists must be readable, whole and valid.  Where a
 * user's settings lie or could lie is added to denyWrite.
 */
int	spec_load(const char *file, const struct spec_place *,
	    struct spec *ret, struct err *);

/*
 * Deny changing the settings in force (`file`, or NULL), and where a user's
 * could lie: what was loosened inside would hold for the next run.
 */
void	spec_protect(const char *file, const struct spec_place *,
	    struct spec *);

#endif
