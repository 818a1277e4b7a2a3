/*
 * jail/prove.h - attacks on the walls, each first where there is no wall.
 *
 * A claim is only proven by an attack that works outside and does not inside.
 * So each probe runs twice: free, and in a jail.  Where it does not even work
 * free, nothing is known, and that is said.
 *
 * A probe is this program itself, started again with a hidden option:
 *	prove_probe(...)	in that process: try it, and end
 */
#ifndef JAIL_PROVE_H
#define JAIL_PROVE_H

#include "jail/enter.h"

enum proof {
	PROOF_PASS,		/* works outside, not inside */
	PROOF_FAIL,		/* works inside, or could not be tried there */
	PROOF_UNAVAILABLE	/* does not work outside either */
};

struct claim {
	const char	*name;
	const char	*says;
};

/* The claims, in order; NULL behind the last. */
const struct claim *prove_claim(size_t i);

struct prove {
	const char	*program;	/* ours; absolute */
	const char	*proxy;		/* sandbox-proxy */
	const char	*home;
	const char	*without;	/* leave out this claim's wall, to see
					   that it shows; or NULL */
};

/*
 * Every claim, told as it is known; `why` is "" for a pass.  -1: nothing could
 * be tried (err).  Not as root.
 */
int	prove_all(const struct prove *,
	    void (*tell)(void *arg, const struct claim *, enum proof,
	    const char *why), void *arg, struct err *);

#define PROVE_KEY	"sandbox-verify"	/* in the session's keyring */
#define PROVE_FORKS	60

/* Try one thing.  0: it worked, 1: it was held, 2: no such probe. */
int	prove_probe(const char *name, const char *what);

#endif
