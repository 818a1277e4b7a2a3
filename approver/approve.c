#include "approver/approve_inside.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/environ.h"
#include "approver/job.h"
#include "approver/sweep.h"
#include "audit/scrub.h"
#include "common/io.h"
#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

enum step {
	STEP_TAKE = 1, STEP_CONSUME = 2, STEP_RECORD = 4, STEP_RUN = 8,
	STEP_ANSWER = 16
};

static int
take(struct approving *a, struct err *e)
{
	return claim_take(a->claim, e);
}

/* Of a decision that starts nothing on our side. */
static void
make_answer(const struct approving *a, struct answer *ret)
{
	answer_init(ret);
	memcpy(ret->id, a->approval.id, sizeof ret->id);
	memcpy(ret->project, a->approval.project, sizeof ret->project);
	ret->outcome = a->deed->deny ? OUTCOME_DENIED : OUTCOME_ALLOW_ONCE;
	ret->approval = xstrdup(a->stmt.s);
	ret->approval_sig = xstrdup(a->sig);
	ret->result = xstrdup("");
	ret->result_sig = xstrdup("");
	ret->output = xstrdup("");
	ret->out_path = xstrdup("");
	ret->edited = xstrdup("");
	ret->text = xstrdup(a->deed->text == NULL ? "" : a->deed->text);
}

/* A deny is one from here on, with its words, even if we die. */
static int
keep_denial(struct approving *a, struct err *e)
{
	struct answer ans;
	int got;

	make_answer(a, &ans);
	got = claim_deny(a->claim, &ans, e);
	answer_clear(&ans);
	return got;
}

static int
consume(struct approving *a, struct err *e)
{
	if (a->deed->deny && keep_denial(a, e) == -1)
		return -1;
	return claim_consume(a->claim, a->stmt.s, a->sig, e);
}

static void
add_scrubbed(cJSON *fields, const char *name, const char *text)
{
	auto_str struct str clean = { 0 };

	str_init(&clean, 4096);
	scrub(text, strlen(text), &clean);
	json_add_strn(fields, name, clean.s, clean.len);
}

static int
record(struct approving *a, struct err *e)
{
	const struct request *req = a->view.req;
	auto_json cJSON *fields = json_object();
	auto_str struct str summary = { 0 };
	const struct call call = {
		.tool = req->tool, .input = req->input, .cwd = req->cwd,
	};
	const struct event ev = {
		.kind = a->deed->deny ? "deny" : "approval",
		.session = req->session,
		.agent = req->agent,
		.id = req->id,
		.fields = fields,
	};

	str_init(&summary, 1024);
	call_summary(&call, &summary);
	json_add_str(fields, "stmt", a->stmt.s);
	json_add_str(fields, "stmt_sig", a->sig);
	add_scrubbed(fields, "tool", req->tool);
	add_scrubbed(fields, "summary", summary.s);
	json_add_str(fields, "rule", a->view.verdict.rule);
	if (a->deed->text != NULL)
		add_scrubbed(fields, "text", a->deed->text);
	if (a->deed->edited != NULL)
		add_scrubbed(fields, "edited", a->deed->edited);
	if (a->deed->attach != NULL)
		json_add_bool(fields, "attached", true);
	return audit_append(a->desk->audit, &ev, &a->now, &a->seq, e);
}

static int
seed_pipe(const struct approving *a, struct err *e)
{
	int p[2], got;

	if (pipe2(p, O_CLOEXEC) == -1)
		return err_sys(e, "cannot make a pipe");
	got = io_write_all(p[1], a->seed, sizeof a->seed, e);
	close(p[1]);
	if (got == 0)
		return p[0];
	close(p[0]);
	return -1;
}

static int
write_job(const struct approving *a, struct err *e)
{
	/* Borrows everything; job_write only reads. */
	const struct job job = {
		.req = *a->view.req,
		.approval = a->stmt.s,
		.approval_sig = xstrdup(a->sig),
		.approval_seq = a->seq,
		.env = a->env,
		.target = a->view.target,
		.edited = a->view.edited,
		.scripts = a->view.scripts,
		.attached = a->deed->attach != NULL,
		.background = a->view.background,
		.timeout_s = a->view.timeout_s,
		.output_units = policy_limits(a->desk->policy)->output_bytes,
	};
	int fd = job_write(&job, e);

	free(job.approval_sig);
	return fd;
}

/* The only way in the house from a request to a program. */
static int
run(struct approving *a, struct err *e)
{
	auto_free char *path = xasprintf("%s/sandbox-runner",
	    a->desk->libexec);
	auto_free char *state = xstrdup(a->desk->home->priv_path);
	auto_free char *id = xstrdup(a->view.req->id);
	char name[] = "sandbox-runner", s[] = "--state", i[] = "--id";
	char *argv[] = { name, s, state, i, id, NULL };
	char *envp[] = { NULL };
	auto_close int job = write_job(a, e);
	auto_close int seed = job == -1 ? -1 : seed_pipe(a, e);
	const struct attach *at = a->deed->attach;
	const struct spawn_fd fds[] = {
		{ job, JOB_FD }, { seed, JOB_SEED_FD },
		{ claim_lock_fd(a->claim), JOB_LOCK_FD },
		{ a->cwd, JOB_CWD_FD },
		{ at == NULL ? -1 : at->master, JOB_MASTER_FD },
		{ at == NULL ? -1 : at->slave, JOB_SLAVE_FD },
		{ at == NULL ? -1 : at->said[1], JOB_SAID_FD },
	};
	const struct spawn sp = {
		.path = path, .argv = argv, .envp = envp, .cwd_fd = a->cwd,
		.fds = fds, .n_fds = at == NULL ? 4 : ARRAY_LEN(fds),
		.session = true, .detach = true,
	};

	return seed == -1 ? -1 : spawn(&sp, &a->runner, e);
}

static int
answer(struct approving *a, struct err *e)
{
	struct answer ans;
	int got;

	make_answer(a, &ans);
	got = claim_answer(a->claim, &ans, e);
	answer_clear(&ans);
	return got;
}

/* Authority that spends itself: every row once, and only after `needs`. */
static const struct right {
	enum step	step;
	unsigned	needs;
	unsigned	excludes;
	int		(*take)(struct approving *, struct err *);
} rights[] = {
	{ STEP_TAKE,	0,		0,		take },
	{ STEP_CONSUME,	STEP_TAKE,	0,		consume },
	{ STEP_RECORD,	STEP_CONSUME,	0,		record },
	{ STEP_RUN,	STEP_RECORD,	STEP_ANSWER,	run },
	{ STEP_ANSWER,	STEP_RECORD,	STEP_RUN,	answer },
};

static int
spend(struct approving *a, enum step step, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(rights); i++) {
		const struct right *r = &rights[i];

		if (r->step != step)
			continue;
		if ((a->spent & step) != 0 || (a->spent & r->excludes) != 0 ||
		    (a->spent & r->needs) != r->needs)
			BUG("a right was used out of order");
		if (r->take(a, e) == -1)
			return -1;
		a->spent |= step;
		return 0;
	}
	BUG("no such right");
}

static int
compare_with(const struct deed *deed, const struct view *v, struct err *e)
{
	if (deed->shown != NULL && !digest_eq(deed->shown, &v->digest))
		return err_set(e, ERR_DIGEST, "'%s' is not what was shown: "
		    "the request or a file it runs changed; look again with "
		    "`sandbox show %.16s`", v->req->id, v->req->id);
	if (!deed->deny && v->verdict.action == ACTION_DENY)
		return err_set(e, ERR_PERMITTED, "policy denies this and no "
		    "approval lifts it: %s", v->verdict.why);
	if (deed->attach != NULL && (v->executor == NULL ||
	    v->executor->start == NULL || v->kind != CALL_SHELL ||
	    v->background))
		return err_set(e, ERR_USAGE, "only a command that is waited "
		    "for can have the terminal");
	return 0;
}

/*
 * A person may take long over a passphrase, and a link can lead elsewhere
 * meanwhile: what is about to run must still be what was compared.
 */
static int
look_again(const struct approving *a, struct err *e)
{
	auto_view struct view v = { 0 };

	if (a->deed->deny)
		return 0;
	if (desk_refresh(a->desk, e) == -1 ||
	    view_make_edited(a->desk, a->view.req, a->deed->edited, &v, e) ==
	    -1)
		return -1;
	return compare_with(a->deed, &v, e);
}

/* Ctrl-C between these steps would leave something that nobody decided. */
static void
hold_signals(struct approving *a)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	a->holds = sigprocmask(SIG_BLOCK, &set, &a->mask) == 0;
}

/* It is decided; that it cannot be remembered is told, and no more. */
static void
remember(struct approving *a)
{
	struct err *e = &a->unremembered;

	if (remember_store(a->desk, &a->memory, &a->now, e) == -1)
		err_add(e, "decided, but it is NOT remembered");
}

/*
 * A rule stays in force: it is made when nothing can fail any more.  Of an
 * answer it is made before, as who gets it may ask the rules at once.
 */
static int
spend_all(struct approving *a, struct err *e)
{
	if (spend(a, STEP_TAKE, e) == -1 ||
	    spend(a, STEP_CONSUME, e) == -1 ||
	    spend(a, STEP_RECORD, e) == -1)
		return -1;
	if (a->approval.decision != DECISION_RUN) {
		remember(a);
		return spend(a, STEP_ANSWER, e);
	}
	if (spend(a, STEP_RUN, e) == -1)
		return -1;
	remember(a);
	return 0;
}

static int
carry_out(struct approving *a, struct signer *signer, struct err *e)
{
	struct desk *d = a->desk;

	/* Who may sign can have changed since the key was opened. */
	if (desk_refresh(d, e) == -1 ||
	    signer_serves(signer, &d->approvers, e) == -1 ||
	    clock_now(&a->now, e) == -1 ||
	    queue_lock(d->queue, a->deed->id, &a->now, &a->claim, e) == -1 ||
	    view_make_edited(d, claim_request(a->claim), a->deed->edited,
	    &a->view, e) == -1 ||
	    compare_with(a->deed, &a->view, e) == -1 ||
	    remember_prepare(d, a->view.req, a->deed->remember, &a->now,
	    &a->memory, e) == -1)
		return -1;
	a->env = environ_make(a->deed->own_env, a->view.req);
	if (approve_decision(a) == DECISION_RUN) {
		a->cwd = view_open_cwd(a->view.req, e);
		if (a->cwd == -1)
			return -1;
	}
	/* The log as well: what cannot be recorded must not be used up. */
	if (approve_sign(a, signer, e) == -1 || look_again(a, e) == -1 ||
	    audit_make_room(d->audit, e) == -1)
		return -1;
	hold_signals(a);
	return spend_all(a, e);
}

int
decide(struct desk *d, struct signer *signer, const struct deed *deed,
    struct decided *ret, struct err *e)
{
	struct approving a = { .desk = d, .deed = deed, .cwd = -1 };
	int got;

	if (!deed->deny && deed->shown == NULL)
		BUG("an approval without a digest");
	if (deed->deny && (deed->edited != NULL || deed->attach != NULL))
		BUG("a deny that would run");
	str_init(&a.stmt, 8192);
	got = carry_out(&a, signer, e);
	if (got == 0) {
		*ret = (struct decided){ .decision = a.approval.decision,
		    .runner = a.runner, .background = a.view.background,
		    .unremembered = a.unremembered };
		if (a.unremembered.code == 0)
			memcpy(ret->remembered, a.memory.id,
			    sizeof ret->remembered);
	}
	remembered_clear(&a.memory);
	explicit_bzero(a.seed, sizeof a.seed);
	mem_close_fd(&a.cwd);
	view_clear(&a.view);
	environ_free(a.env);
	str_clear(&a.stmt);
	claim_close(a.claim);
	/* Consumed and then failed: say so to the asker now, not some day. */
	if (got == -1 && (a.spent & STEP_CONSUME) != 0)
		sweep_run(d, NULL, NULL);
	if (a.holds)
		sigprocmask(SIG_SETMASK, &a.mask, NULL);
	return got;
}
