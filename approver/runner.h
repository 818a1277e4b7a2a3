/*
 * approver/runner.h - the program that runs what was approved.
 *
 *	sandbox-runner --state PRIVATE --id ID
 *
 * Started by an approver, detached: its own session, no terminal, no ancestor
 * but init.  It outlives the approver and the SSH connection.  It is handed
 * the job, a one-run key, the run's lock and the directory on descriptors 3 to
 * 6 (approver/job.h) and never sees the approver's key.  It prints nothing.
 *
 * Before it starts anything it checks the approval's signature against the
 * project's approvers, that the approval covers exactly this job, that the
 * directory and the scripts are still the ones that were shown.  What does not
 * hold is not started, and the answer says so.
 *
 * SIGTERM is the request to stop.  run/<id>/runner holds "PID START\n", so
 * that `sandbox stop` signals this very process and no other.
 *
 * In run/<id>/, all private:
 *	spool	raw output while the command runs
 *	output	the same, scrubbed, afterwards
 *	result	{"v":1,"stmt":...,"sig":...,"call_key":...,"why":...}
 */
#ifndef APPROVER_RUNNER_H
#define APPROVER_RUNNER_H

#include "common/err.h"

#define RUN_PID_NAME	"runner"
#define RUN_OUTPUT_NAME	"output"
#define RUN_RESULT_NAME	"result"
/* head and tail with room for scrubbing's replacements */
#define RUN_OUTPUT_MAX	(64 * 1024 * 1024)
#define RUN_RESULT_MAX	16384

/* A call meant for the background is answered after this long. */
#define RUN_EARLY_MS	5000

int	runner_run(const char *state, const char *id, struct err *);

#endif
