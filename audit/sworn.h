/*
 * audit/sworn.h - statements inside records: does somebody answer for them?
 *
 * Keeps the approvals seen so far, so that a result is held against the one it
 * names, and the approvers that the log itself introduced.  Internal to the
 * room.
 */
#ifndef AUDIT_SWORN_H
#define AUDIT_SWORN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/event.h"
#include "audit/statement.h"
#include "common/json.h"

struct sworn_approval {
	uint64_t	seq;
	struct approval	approval;
};

#define SWORN_KEYS	64

struct sworn {
	const char		*project;
	const struct keyring	*ring;		/* approvers of today */
	unsigned char		 keys[SWORN_KEYS][SIGN_PUB];
	size_t			 n_keys;	/* approvers of the log */
	struct sworn_approval	*approvals;	/* by rising seq */
	size_t			 n, cap;
	uint64_t		 signatures;	/* checked */
	/* Approvals that were not kept; NULL: there are none. */
	int			(*fetch)(void *arg, uint64_t seq,
				    struct approval *ret);
	void			*fetch_arg;
};

void	sworn_init(struct sworn *, const char *project,
	    const struct keyring *);
void	sworn_clear(struct sworn *);

/* Also believe this approver: the pinned genesis record named it. */
void	sworn_trust(struct sworn *, const unsigned char pub[static SIGN_PUB]);

/* Did one of the approvers so far sign this text? */
bool	sworn_by_approver(struct sworn *, const char *text, const char *sig,
	    unsigned char ret_pub[static SIGN_PUB]);
/* Is `stmt` signed by an approver?  Fills ret_pub with its key. */
bool	sworn_signed(struct sworn *, const cJSON *record,
	    unsigned char ret_pub[static SIGN_PUB]);

/*
 * The statement of a record of this kind; ERR_PERMITTED with the reason when
 * nobody answers for it.  Records without a statement are fine.
 */
int	sworn_check(struct sworn *, const struct event_kind *,
	    const cJSON *record, uint64_t seq, struct err *);

/*
 * The two statements that introduce a chain key no record before them named:
 * genesis, and chain.resume for exactly this place in the chain.  -1: the
 * record has no such statement.  Its signature is for sworn_signed.
 */
int	sworn_genesis_key(const struct sworn *, const cJSON *record,
	    unsigned char ret_key[static SIGN_PUB],
	    unsigned char ret_approver[static SIGN_PUB]);
int	sworn_resume_key(const struct sworn *, const cJSON *record,
	    const struct chain_line *, unsigned char ret_key[static SIGN_PUB]);

#endif
