/*
 * policy/recall.h - which question a remembered decision lifts.
 */
#ifndef POLICY_RECALL_H
#define POLICY_RECALL_H

#include "policy/facts.h"
#include "policy/remember.h"

#define RECALL_USES	4	/* for one call; what needs more is asked */
#define RECALL_TRIES	16	/* signatures looked at */

/* What weighing one call knows about remembered decisions. */
struct recall {
	const struct remembered_list *memory;
	bool			 trusted;	/* not signed yet: being made */
	const struct remembered	*used[RECALL_USES];
	size_t			 n_used;
	unsigned		 tries;
	char			 call[DIGEST_HEX + 1];	/* "": not asked yet */
	struct digest		 session;
};

/* ACTION_ESCALATE: nothing lifts it.  Notes which one did. */
enum action	recall_lift(const struct facts *, const struct fact *);

/* "remembered:ID,ID" over a verdict that rests on them. */
void		recall_name(const struct recall *, struct verdict *);

/*
 * The digest an exact call is known by, in hex: of its words, its directory and
 * what is asked about it.  Where a link leads elsewhere than it did, the same
 * words are another call.
 */
void		recall_call(const struct facts *,
		    char ret[static DIGEST_HEX + 1]);

/*
 * The words a command is remembered by: its program and sub-commands, at least
 * two; 0: none.  Options before the sub-command are none too.  Where the table
 * does not know what the words behind it are, they all belong to it.
 */
size_t		recall_head(const struct command *);
/* A word that names no option, place, host or file with an ending. */
bool		recall_free_word(const char *);
/* May it be one of the approved words of `what`? */
bool		recall_plain_word(const char *);
#define RECALL_WITH	"with:"	/* between the head and the other words */

/* Files below it may be let free: no system, program or hidden directory. */
bool		recall_dir_ok(const struct policy *, const char *dir);
/* A host that is one, and no description. */
bool		recall_host_ok(const char *);

#endif
