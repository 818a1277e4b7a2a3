/*
 * hooks/reason.h - the words the model reads.
 *
 * A refused call is shown to the model as an error, so the first words carry
 * the truth: APPROVED and executed, DENIED, PENDING.  Every text says what
 * happened, whether the same call again can help and which way is open; none
 * says how to lift the gate.
 *
 * Text from outside (output, a human's words, a rule's reason) passes
 * visible().  Pure: time, randomness and limits are arguments.
 */
#ifndef HOOKS_REASON_H
#define HOOKS_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/str.h"

#define REASON_MAX	(192 * 1024)	/* bytes of any of these texts */
#define REASON_MARK	6		/* hex digits around an output */

struct reason_done {
	const char	*id;
	const char	*outcome;	/* of the result: "exit:0", ... */
	int64_t		 duration_ms;
	int64_t		 ago_ms;	/* since it ended */
	bool		 copy;		/* another call got the answer */
	const char	*edited;	/* what the human made of the command
					   first, or "" */
	const char	*output;
	size_t		 output_units;	/* of it, at most */
	bool		 truncated;	/* already, by the runner */
	const char	*where;		/* the file with all of it, or "" */
	const char	*text;		/* the human's words, or "" */
	/* Fills with random bytes; a test decides what is random. */
	void		(*draw)(void *, size_t);
};

/* Approved and executed: the frame around an output, at most `units`. */
void	reason_done(const struct reason_done *, size_t units,
	    struct str *ret);

/* The policy says no; rule, why and next as in its verdict. */
void	reason_denied(const char *rule, const char *why, const char *next,
	    struct str *ret);

/* A human said no. */
void	reason_refused(const char *id, const char *text, struct str *ret);

/* Nobody has decided yet. */
void	reason_pending(const char *id, const char *root, struct str *ret);

/* Our side cannot or will not: `front` says what that means for the caller,
 * `what` is an error's text. */
void	reason_broken(const char *front, const char *what, struct str *ret);

#endif
