/*
 * approver/job.h - what an approver hands to a runner, on one descriptor.
 *
 * One JSON object: the exact request bytes and its blob, the signed approval,
 * the environment, the resolved target, the scripts with their digests, the
 * limits.  It travels in a memory file that only the two have; the runner
 * believes the approval's signature, and of the rest only what that signature
 * covers.
 */
#ifndef APPROVER_JOB_H
#define APPROVER_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "approver/scripts.h"
#include "audit/statement.h"
#include "common/err.h"
#include "queue/request.h"

#define JOB_MAX		(96 * 1024 * 1024)

/* Descriptor numbers in the runner (docs/QUEUE.md). */
#define JOB_FD		3
#define JOB_SEED_FD	4
#define JOB_LOCK_FD	5
#define JOB_CWD_FD	6
#define JOB_MASTER_FD	7	/* these three of an attached run only: */
#define JOB_SLAVE_FD	8	/* a pty, and where a copy of what is said */
#define JOB_SAID_FD	9	/* goes (approver/attach.h) */

struct job {
	struct request	 req;		/* with its blob put back */
	char		*approval;
	char		*approval_sig;
	uint64_t	 approval_seq;
	char		**env;
	char		*target;
	char		*edited;	/* the command instead, or NULL */
	struct scripts	 scripts;
	bool		 background, attached;
	int		 timeout_s;	/* 0: none */
	int		 output_units;	/* of the answer */
};

/* Into a fresh memory file, rewound.  Returns its descriptor. */
int	job_write(const struct job *, struct err *);
int	job_read(int fd, const char *id, struct job *ret, struct err *);
void	job_clear(struct job *);

/*
 * Does the approval cover this job?  Digest over request and scripts, the
 * edited command if there is one, environment, directory, decision `run`, not
 * expired.
 */
int	job_check(const struct job *, const struct approval *,
	    int64_t now_wall_ms, struct err *);

#endif
