/*
 * approver/signer.h - the key, for one decision at a time.
 *
 * A locked key is unlocked for every decision and locked again behind it;
 * only `watch` holds it between, and even there critical asks again.  An open
 * key needs no passphrase, so critical asks for a code typed on the terminal.
 */
#ifndef APPROVER_SIGNER_H
#define APPROVER_SIGNER_H

#include <stdbool.h>

#include "approver/key.h"
#include "common/err.h"
#include "common/sign.h"

struct signer {
	struct key	*key;		/* owned */
	int		 passphrase_fd;	/* -1: the terminal */
	bool		 held;		/* watch: stays unlocked */
};

/*
 * Load the key and see that it is one of the project's approvers (ERR_SETUP
 * when not).  held: unlock it now.
 */
int	signer_open(const struct keyring *, int passphrase_fd, bool held,
	    struct signer *ret, struct err *);
/* Is it an approver of this other project, too?  ERR_SETUP when not. */
int	signer_serves(const struct signer *, const struct keyring *,
	    struct err *);
void	signer_close(struct signer *);
#define auto_signer	__attribute__((cleanup(signer_close)))

/*
 * Make the key ready.  `ask_again` is the question for a critical approval,
 * NULL for everything else.  ERR_PERMITTED when the human did not agree.
 */
int	signer_ready(struct signer *, const char *ask_again, struct err *);
/* The decision is signed: lock again unless held. */
void	signer_done(struct signer *);

#endif
