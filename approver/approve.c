#include "approver/approve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/environ.h"
#include "approver/job.h"
#include "approver/sweep.h"
#include "approver/view.h"
#include "audit/scrub.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/spawn.h"

#include "common/banned.h"

enum step {
	STEP_TAKE = 1, STEP_CONSUME = 2, STEP_RECORD = 4, STEP_RUN = 8,
	STEP_ANSWER = 16
};

struct approving {
	struct desk		*desk;
	const struct deed	*deed;
	struct claim		*claim;
	struct view		 view;
	struct clock		 now;
	struct approval		 approval;
	struct remembered	 memory;	/* deed->remember, made */
	struct str		 stmt;
	char			 sig[SIGN_SIG_HEX + 1];
	uint64_t		 seq;
	char			**env;
	unsigned char		 seed[SIGN_SEED];	/* of the run key */
	int			 cwd;
	pid_t			 runner;
	unsigned		 spent;
};

static int
take(struct approving *a, struct err *e)
{
	return claim_take(a->claim, e);
}

static int
consume(struct approving *a, struct err *e)
{
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

	answer_init(&ans);
	memcpy(ans.id, a->approval.id, sizeof ans.id);
	memcpy(ans.project, a->approval.project, sizeof ans.project);
	ans.outcome = a->deed->deny ? OUTCOME_DENIED : OUTCOME_ALLOW_ONCE;
	ans.approval = xstrdup(a->stmt.s);
	ans.approval_sig = xstrdup(a->sig);
	ans.result = xstrdup("");
	ans.result_sig = xstrdup("");
	ans.output = xstrdup("");
	ans.out_path = xstrdup("");
	ans.edited = xstrdup("");
	ans.text = xstrdup(a->deed->text == NULL ? "" : a->deed->text);
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

static enum decision
decision_of(const struct approving *a)
{
	if (a->deed->deny)
		return DECISION_DENY;
	return a->view.executor == NULL ? DECISION_ALLOW_ONCE : DECISION_RUN;
}

static void
fill_approval(struct approving *a, const struct signer *signer)
{
	const struct request *req = a->view.req;
	const struct policy_limits *l = policy_limits(a->desk->policy);
	struct approval *p = &a->approval;
	int ttl = a->view.tier == TIER_CRITICAL ? l->critical_ttl_s :
	    l->approval_ttl_s;

	memcpy(p->project, req->project, sizeof p->project);
	memcpy(p->id, req->id, sizeof p->id);
	p->digest = a->view.asked;
	p->has_edited = a->view.edited != NULL;
	if (p->has_edited)
		digest_of(a->view.edited, strlen(a->view.edited), NULL,
		    &p->edited);
	p->decision = decision_of(a);
	snprintf(p->tier, sizeof p->tier, "%s", tier_name(a->view.tier));
	p->cwd_dev = req->cwd_dev;
	p->cwd_ino = req->cwd_ino;
	environ_digest(a->env, &p->environment);
	p->scripts = a->view.scripts_digest;
	p->has_text = a->deed->text != NULL && a->deed->text[0] != '\0';
	if (p->has_text)
		digest_of(a->deed->text, strlen(a->deed->text), NULL,
		    &p->text);
	p->has_run_key = p->decision == DECISION_RUN;
	if (p->has_run_key) {
		randombytes_buf(a->seed, sizeof a->seed);
		sign_public(a->seed, p->run_key);
	}
	p->expires_wall_ms = a->now.wall_ms + (int64_t)ttl * 1000;
	memcpy(p->approver, key_public(signer->key), SIGN_PUB);
}

static int
sign(struct approving *a, struct signer *signer, struct err *e)
{
	auto_free char *subject = visible_line(a->view.subject);
	auto_free char *ask = xasprintf("CRITICAL: %.300s", subject);
	bool again = !a->deed->deny && a->view.tier == TIER_CRITICAL;

	if (signer_ready(signer, again ? ask : NULL, e) == -1)
		return -1;
	/* A person may take long over a passphrase. */
	if (clock_now(&a->now, e) == -1)
		return -1;
	if (request_expired(a->view.req, &a->now))
		return err_set(e, ERR_LOST, "'%s' has expired",
		    a->view.req->id);
	fill_approval(a, signer);
	approval_encode(&a->approval, &a->stmt);
	sign_make(key_seed(signer->key), a->stmt.s, a->stmt.len, a->sig);
	remember_seal(&a->memory, a->approval.project, signer->key);
	signer_done(signer);
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

static int
carry_out(struct approving *a, struct signer *signer, struct err *e)
{
	struct desk *d = a->desk;

	if (desk_refresh(d, e) == -1 || clock_now(&a->now, e) == -1 ||
	    queue_lock(d->queue, a->deed->id, &a->now, &a->claim, e) == -1 ||
	    view_make_edited(d, claim_request(a->claim), a->deed->edited,
	    &a->view, e) == -1 ||
	    compare_with(a->deed, &a->view, e) == -1 ||
	    remember_prepare(d, a->view.req, a->deed->remember, &a->now,
	    &a->memory, e) == -1)
		return -1;
	a->env = environ_make(a->deed->own_env, a->view.req);
	if (decision_of(a) == DECISION_RUN) {
		a->cwd = view_open_cwd(a->view.req, e);
		if (a->cwd == -1)
			return -1;
	}
	if (sign(a, signer, e) == -1 || look_again(a, e) == -1 ||
	    remember_store(d, &a->memory, &a->now, e) == -1 ||
	    spend(a, STEP_TAKE, e) == -1 ||
	    spend(a, STEP_CONSUME, e) == -1 ||
	    spend(a, STEP_RECORD, e) == -1)
		return -1;
	return spend(a, a->approval.decision == DECISION_RUN ? STEP_RUN :
	    STEP_ANSWER, e);
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
		    .runner = a.runner, .background = a.view.background };
		memcpy(ret->remembered, a.memory.id, sizeof ret->remembered);
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
	return got;
}
