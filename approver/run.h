/*
 * approver/run.h - one run, as the files of the runner share it.  Nobody else
 * includes this; approver/runner.h is the door.
 */
#ifndef APPROVER_RUN_H
#define APPROVER_RUN_H

#include "approver/executor/executor.h"
#include "approver/job.h"
#include "approver/spool.h"
#include "approver/stream.h"
#include "audit/audit.h"
#include "queue/home.h"
#include "queue/queue.h"

struct run {
	struct home		 home;
	struct keyring		 approvers;
	struct queue		*queue;
	struct audit		*audit;
	struct claim		*claim;
	struct job		 job;
	struct approval		 approval;
	unsigned char		 seed[SIGN_SEED];
	int			 cwd;
	const struct executor	*executor;
	struct spool		 spool;
	struct stream		 stream;
	char			 outcome[24];	/* of the result statement */
	int64_t			 start_ms, end_ms;	/* wall clock */
	bool			 answered;
	char			 kept[DIGEST_HEX + 1];	/* run_keep.c */
};

/* Do it: `.started`, exec or perform, wait, end everything.  Fills outcome. */
int	run_execute(struct run *, struct err *);

/* Keep what `input` is about to change; what cannot be kept does not run. */
int	run_keep(struct run *, const cJSON *input, struct err *);
/* What of it is different now, into the record. */
void	run_note_changes(struct run *);

/* The answer of a background call, while it runs on. */
int	run_answer_early(struct run *, struct err *);
/* Result, record, output file, answer; in this order. */
int	run_finish(struct run *, struct err *);
/* It was not started: why, signed and recorded.  The asker is told so. */
int	run_refuse(struct run *, const char *why, struct err *);

#endif
