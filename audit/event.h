/*
 * audit/event.h - the kinds of record there are, and how one becomes a line.
 *
 * Internal to the room.  docs/AUDIT.md has the table with the fields each kind
 * carries.
 */
#ifndef AUDIT_EVENT_H
#define AUDIT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "audit/audit.h"
#include "audit/chain.h"
#include "audit/key.h"

enum event_flags {
	EVENT_SYNC = 1,		/* on disk before the append returns */
	EVENT_DECISION = 2,	/* stmt and stmt_sig by an approver */
	EVENT_RESULT = 4,	/* stmt and stmt_sig by a one-run key */
	EVENT_TRUST = 8,	/* says whom or what to believe: always read */
	EVENT_APPROVAL = 16	/* results name it */
};

struct event_kind {
	const char	*name;
	unsigned	 flags;
	const char	*title;		/* first word of its statement */
};

/* By name of len characters; NULL for an unknown one. */
const struct event_kind *event_kind_find(const char *name, size_t len);
/* All of them, one after the other; NULL behind the last. */
const char *event_kind_name(size_t i);

/* Bytes between the last whole record and the new one: what a crash left. */
struct torn {
	uint64_t	bytes;
	struct digest	hash;
	uint64_t	lost;	/* unsynced records a power cut took */
};

/* Everything a line is made of. */
struct record {
	uint64_t		 seq;
	struct digest		 prev;
	const char		*project;
	const struct event	*event;
	const struct clock	*clock;
	const struct torn	*torn;		/* NULL: nothing was torn */
	const char		*after;		/* the archive before the file
						   it begins; NULL: none */
};

/*
 * Append the signed line, without its LF, to ret.  `key` signs, `next` is the
 * public key of the record after this one.  ERR_FORMAT when it would be longer
 * than CHAIN_RECORD_MAX or a decision lacks its statement.
 */
int	record_build(const struct record *, const struct chain_key *key,
	    const unsigned char next[static SIGN_PUB], struct str *ret,
	    struct err *);

#endif
