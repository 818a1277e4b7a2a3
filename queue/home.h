/*
 * queue/home.h - where a project keeps its folder and its private directory.
 *
 *	<root>/.sandbox/		shared with the agent, proves nothing
 *	<base>/sandbox/<32 hex>/	PRIVATE: 0700, the authority
 *
 * The private directory's name is the first 32 hex digits of BLAKE2b-256 of
 * the project's real path; its record.json holds that path again, the project
 * id and the uid.  Any mismatch is ERR_SETUP: "run sandbox init".  A
 * `.sandbox` without a matching private record (a cloned repository's) is
 * never used.
 */
#ifndef QUEUE_HOME_H
#define QUEUE_HOME_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/sign.h"

#define HOME_PROJECT	32	/* hex characters of a project id */

struct home {
	char	*root_path;	/* real path */
	char	*priv_path;
	char	*keys_path;	/* the approver's keys, so that policy can close
				   them to agents; NULL: not known */
	char	 project[HOME_PROJECT + 1];
	char	 genesis[65];	/* digest of the audit log's first record */
	int	 root;		/* directory descriptors */
	int	 sandbox;	/* <root>/.sandbox */
	int	 bus;		/* <root>/.sandbox/escalations */
	int	 priv;
	int	 view, ledger, run, clients, audit;
	bool	 jailed;	/* record and view are all that is shown */
};

/*
 * In the jail of `sandbox run --agent` the private directory shows record.json
 * and view/ alone, on a file system that nobody inside can change: `jailed`,
 * and the other private descriptors are -1.  Nothing there decides anything.
 *
 * Open both sides and check everything: owners, modes, record.json against
 * the root's real path and our uid.  `state` is the private directory itself
 * (as registered with the hooks); NULL derives it from `base`.
 */
int	home_open(const char *root, const char *state, const char *base,
	    struct home *ret, struct err *);

/*
 * The same for the nearest parent of `dir` that has a private record.  1: there
 * is none, and the error says so; -1: there is one, and it cannot be used.
 */
int	home_find(const char *dir, const char *base, struct home *ret,
	    struct err *);

/*
 * Are both sides still what lies under their names?  What was moved away or
 * replaced while it was open goes on working where nobody looks for it.
 * ERR_SETUP says which.
 */
int	home_still_here(const struct home *, struct err *);

/* By private directory alone; the root comes from record.json (runner). */
int	home_open_state(const char *state, struct home *ret, struct err *);

/*
 * Make both sides for `root` (init).  The bus folders, `.gitignore`, the
 * private folders and record.json with a fresh project id.  An existing
 * matching record is kept, so that init twice is init once; an existing
 * foreign `.sandbox` (no private record) is ERR_SETUP.
 */
int	home_create(const char *root, const char *base, struct home *ret,
	    struct err *);
/* Rewrite record.json once genesis is known. */
int	home_set_genesis(struct home *, const char *digest_hex, struct err *);
/* Remember where the approver's keys lie (an absolute, link-free path). */
int	home_set_keys(struct home *, const char *path, struct err *);

void	home_close(struct home *);

/* The private directory's path for a project; the caller frees. */
char	*home_state_path(const char *base, const char *real_root);

/* <passwd home>/.local/state, or $XDG_STATE_HOME for commands a human runs
 * (`use_env`).  Never from the environment in hooks.  The caller frees. */
char	*home_base(bool use_env);
/* The passwd home of our uid; the caller frees, NULL if there is none. */
char	*home_user_dir(void);

/* view/approvers; a missing file is an empty ring. */
int	home_approvers(const struct home *, struct keyring *ret,
	    struct err *);

#define HOME_INIT { .root = -1, .sandbox = -1, .bus = -1, .priv = -1, \
	.view = -1, .ledger = -1, .run = -1, .clients = -1, .audit = -1 }
#define auto_home	__attribute__((cleanup(home_close)))

/* --- agents that called us: run/clients/<pid>-<starttime> --- */
/* Written by the gate for the client process that started the hook. */
int	home_note_client(const struct home *, pid_t, const char *client,
	    struct err *);
/*
 * 1: an ancestor of ours is a noted client, of this project or of another one
 * beside it; 0: none; -1: cannot tell.
 */
int	home_under_agent(const struct home *, struct err *);

/* --- is a human watching?  view/watch.lock --- */
/* Hold it (watch); returns a descriptor to keep.  Several may hold it. */
int	home_watch_hold(const struct home *, struct err *);
bool	home_watch_present(const struct home *);

#endif
