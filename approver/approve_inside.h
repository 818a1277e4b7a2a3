/*
 * approver/approve_inside.h - what the two halves of a decision share:
 * approve.c has the order of the steps, approve_sign.c what is signed.
 */
#ifndef APPROVER_APPROVE_INSIDE_H
#define APPROVER_APPROVE_INSIDE_H

#include <signal.h>

#include "approver/approve.h"
#include "approver/view.h"

struct approving {
	struct desk		*desk;
	const struct deed	*deed;
	struct claim		*claim;
	struct view		 view;
	struct clock		 now;
	struct approval		 approval;
	struct remembered	 memory;	/* deed->remember, made */
	struct str		 stmt;
	char			 sig[SIGN_SIG_HEX + 1];
	uint64_t		 seq;
	char			**env;
	unsigned char		 seed[SIGN_SEED];	/* of the run key */
	int			 cwd;
	pid_t			 runner;
	unsigned		 spent;
	struct err		 unremembered;	/* code 0: nothing failed */
	sigset_t		 mask;		/* as it was before we held */
	bool			 holds;
};

enum decision approve_decision(const struct approving *);
/*
 * Unlock, ask again for what is CRITICAL, fill and sign the approval and what
 * is to be remembered.  ERR_LOST: it took until the request was over.
 */
int	approve_sign(struct approving *, struct signer *, struct err *);

#endif
