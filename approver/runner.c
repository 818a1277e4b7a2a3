#include "approver/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approver/key.h"
#include "approver/reap.h"
#include "approver/run.h"
#include "common/digest.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/proc.h"

#include "common/banned.h"

static int
read_seed(struct run *r, struct err *e)
{
	auto_str struct str text = { 0 };
	int got;

	str_init(&text, SIGN_SEED);
	got = io_read_all(JOB_SEED_FD, SIGN_SEED, &text, e);
	if (got == 0 && text.len == SIGN_SEED)
		memcpy(r->seed, text.s, SIGN_SEED);
	else if (got == 0)
		got = err_set(e, ERR_FORMAT, "the run key is damaged");
	explicit_bzero(text.s, text.cap);
	return got;
}

/* From the first moment a request to stop waits to be read. */
static void
arrange_signals(void)
{
	sigset_t set;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a full disk, as far as we go */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* What we were handed belongs to us alone, not to what we start. */
static void
keep_descriptors(void)
{
	for (int fd = JOB_FD; fd <= JOB_SAID_FD; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int
note_pid(int dir, struct err *e)
{
	struct proc_id me;
	char text[64];
	int n;

	if (proc_read(getpid(), &me, NULL, e) == -1)
		return -1;
	n = snprintf(text, sizeof text, "%d %llu\n", (int)me.pid, me.start);
	return fs_replace(dir, RUN_PID_NAME, text, (size_t)n, 0600, e);
}

static int
open_run(struct run *r, const char *state, const char *id, struct err *e)
{
	const struct queue_limits none = { 0 };

	if (home_open_state(state, &r->home, e) == -1 ||
	    queue_open(&r->home, &none, &r->queue, e) == -1 ||
	    audit_open(r->home.priv, r->home.project, &r->audit, e) == -1 ||
	    home_approvers(&r->home, &r->approvers, e) == -1 ||
	    claim_adopt(r->queue, id, JOB_LOCK_FD, &r->claim, e) == -1)
		return -1;
	/* From here on an error can be answered for, once the key is known. */
	const struct approval_for who = { .approvers = &r->approvers,
	    .project = r->home.project, .id = id };

	return read_seed(r, e) == -1 || job_read(JOB_FD, id, &r->job, e) == -1
	    || approval_verify(r->job.approval, r->job.approval_sig, &who,
	    &r->approval, e) == -1 ? -1 : 0;
}

static int
check_key(const struct run *r, struct err *e)
{
	unsigned char pub[SIGN_PUB];

	sign_public(r->seed, pub);
	if (!r->approval.has_run_key ||
	    memcmp(pub, r->approval.run_key, sizeof pub) != 0)
		return err_set(e, ERR_PERMITTED,
		    "the approval names another run key");
	return 0;
}

static int
check_cwd(struct run *r, struct err *e)
{
	struct stat st;

	r->cwd = JOB_CWD_FD;
	if (fstat(r->cwd, &st) == -1)
		return err_sys(e, "cannot stat the directory");
	if (!S_ISDIR(st.st_mode) ||
	    (uint64_t)st.st_dev != r->approval.cwd_dev ||
	    (uint64_t)st.st_ino != r->approval.cwd_ino)
		return err_set(e, ERR_DIGEST,
		    "the directory is not the one that was approved");
	return 0;
}

/* Everything that may have changed since the human looked. */
static int
check(struct run *r, struct err *e)
{
	struct clock now;

	r->executor = executor_find(r->job.req.tool);
	if (r->executor == NULL)
		return err_set(e, ERR_PERMITTED, "this tool is not ours to do");
	if (clock_now(&now, e) == -1 ||
	    job_check(&r->job, &r->approval, now.wall_ms, e) == -1 ||
	    check_cwd(r, e) == -1)
		return -1;
	return scripts_compare(&r->job.scripts, e);
}

static int
work(struct run *r, struct err *e)
{
	struct err why;

	/* What it runs is the agent's: below it nobody approves anything. */
	if (note_pid(claim_run_dir(r->claim), e) == -1 ||
	    home_note_client(&r->home, getpid(), "sandbox-runner", e) == -1)
		return -1;
	if (check(r, &why) == -1)
		return run_refuse(r, why.text, e);
	if (run_execute(r, &why) == -1)
		return run_refuse(r, why.text, e);
	return run_finish(r, e);
}

static void
clear(struct run *r)
{
	stream_close(&r->stream);
	spool_clear(&r->spool);
	explicit_bzero(r->seed, sizeof r->seed);
	job_clear(&r->job);
	claim_close(r->claim);
	audit_free(r->audit);
	queue_free(r->queue);
	keyring_clear(&r->approvers);
	home_close(&r->home);
}

int
runner_run(const char *state, const char *id, struct err *e)
{
	struct run r = {
		.home = HOME_INIT,
		.cwd = -1,
		.spool = { .fd = -1 },
		.stream = STREAM_INIT,
	};
	int got;

	key_protect();
	arrange_signals();
	keep_descriptors();
	if (!id_ok(id))
		return err_set(e, ERR_USAGE, "'%.60s' is not an id", id);
	got = reap_setup(e);
	if (got == 0)
		got = open_run(&r, state, id, e);
	if (got == 0)
		got = check_key(&r, e);
	if (got == 0)
		got = work(&r, e);
	clear(&r);
	return got;
}
