/*
 * approver/follow.h - reading along with a run, from any process of the user.
 *
 * Output goes to our stdout and stderr line by line, scrubbed and visible().
 * Leaving does nothing to the run.
 */
#ifndef APPROVER_FOLLOW_H
#define APPROVER_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "queue/home.h"

enum follow_state {
	FOLLOW_NONE = 0,	/* never ran here: waits, denied, allowed */
	FOLLOW_RUNNING,
	FOLLOW_DONE,		/* there is a result */
	FOLLOW_LOST		/* the runner died without one */
};

struct follow_end {
	enum follow_state state;
	char		 outcome[24];	/* as in the result statement */
	bool		 started;
	int64_t		 start_ms, end_ms;
	char		 why[320];	/* of not_started; raw */
	char		 call_key[65];
};

/* What is known about a run now; prints nothing. */
int	follow_look(const struct home *, const char *id,
	    struct follow_end *ret, struct err *);

/*
 * Print what it said so far and, with `wait`, what it says until it is over.
 */
int	follow_run(const struct home *, const char *id, bool wait,
	    struct follow_end *ret, struct err *);

/*
 * The same for whoever draws: `put` gets text that is scrubbed and visible(),
 * newlines and tabs kept, with 1 or 2 for where it was written; its -1 ends
 * the reading.  follow_more gives what came since the last one, held back
 * only until a line or a key block is whole.
 */
struct follow;
typedef int follow_fn(void *arg, int fd, const char *text, size_t len,
	    struct err *);
int	follow_open(const struct home *, const char *id, follow_fn *put,
	    void *arg, struct follow **ret, struct err *);
int	follow_more(struct follow *, struct follow_end *ret, struct err *);
void	follow_close(struct follow *);	/* NULL is fine */

/*
 * The exit status that stands for an outcome: the command's own; 128 + signal;
 * 137 for a timeout, 143 when stopped; 125 when it was not started; 128 when
 * nobody knows.
 */
int	follow_exit(const struct follow_end *);

/* "exit 0 after 3.1 s" into buf. */
void	follow_say(const struct follow_end *, char *buf, size_t len);

/* Ask the runner to stop (SIGTERM to that very process).  ERR_NEGATIVE when
 * nothing runs. */
int	follow_stop(const struct home *, const char *id, struct err *);

#endif
