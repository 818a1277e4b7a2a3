/*
 * policy/protect.h - the names nobody's rules can open.
 *
 * One table serves every tool and every program.  An entry is a run of path
 * components ("`.git/hooks`") that counts wherever it stands in a path, so
 * that other projects, submodules and the home directory are covered too.
 */
#ifndef POLICY_PROTECT_H
#define POLICY_PROTECT_H

#include "policy/facts.h"

enum guard {
	GUARD_NONE = 0,
	GUARD_ASK,	/* starts programs later: changing it is persistence */
	GUARD_DENY,	/* decides about this gate: no change */
	GUARD_CLOSED	/* the connector's own: neither change nor look */
};

/*
 * The table itself, for those who protect by other means than judging: the
 * run of components in row i (from 0), or NULL behind the last.
 */
const char     *protect_run(size_t i, enum guard *ret);

/*
 * The same for secrets: the run in row i that counts for certain ("" where it
 * does not), or NULL behind the last.
 */
const char     *protect_secret_run(size_t i);

/* `path` is absolute and normalised, a value (see policy/value.h). */
enum guard	protect_find(const struct policy *, const char *path);

/*
 * Does it lie where programs are looked for (bin, .bin, sbin), with the name of
 * one that is taken for what its name says?
 */
bool		protect_shadows(const char *path);

/* Would destroying the whole tree at path take something guarded along? */
bool		protect_below(const struct policy *, const char *path);

/* Does reading path show a secret?  And reading everything below it? */
bool		protect_secret(const struct policy *, const char *path);
bool		protect_secret_below(const struct policy *, const char *path);

/* Does a text handed to an interpreter name the connector's directory? */
bool		protect_named(const struct policy *, const char *text);

/* Is the connector's directory a path component in this word, wherever the
 * path begins: `.sandbox/x`, `of=.sandbox/x`, `f=@.sandbox`? */
bool		protect_word(const char *);

#endif
