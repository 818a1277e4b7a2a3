/*
 * approver/desk.h - everything an approver works with, opened once.
 *
 *	desk_open(&home, libexec, &desk, e)
 *	...
 *	desk_close(&desk)
 *
 * The policy is the accepted copy from the private directory; if it is bad,
 * there is no desk: what cannot be judged is not approved.
 */
#ifndef APPROVER_DESK_H
#define APPROVER_DESK_H

#include <stdbool.h>

#include "approver/history.h"
#include "audit/audit.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/sign.h"
#include "policy/policy.h"
#include "queue/home.h"
#include "queue/queue.h"

struct desk {
	const struct home	*home;		/* borrowed */
	char			*libexec;	/* where sandbox-runner is */
	char			*user_home;
	struct keyring		 approvers;
	struct policy		*policy;
	struct judgement	*judgement;
	struct queue		*queue;
	struct audit		*audit;
	struct history		*history;
	/* Of a watch: what does not work here (watched.h) */
	struct desk_trouble {
		char	text[ERR_TEXT];	/* "": nothing */
		bool	told;
	} looking, sweeping;
};

int	desk_open(const struct home *, const char *libexec, struct desk *ret,
	    struct err *);
void	desk_close(struct desk *);

/*
 * Read approvers and policy again: a decision is made by the rules in force
 * now, not by those of when a watch began.  -1: they are bad, do not decide.
 */
int	desk_refresh(struct desk *, struct err *);
#define auto_desk	__attribute__((cleanup(desk_close)))

#endif
