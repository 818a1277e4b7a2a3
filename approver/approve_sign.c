/* What a person puts a name to. */
#include "approver/approve_inside.h"

#include <stdio.h>
#include <string.h>

#include "approver/environ.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

enum decision
approve_decision(const struct approving *a)
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
	p->decision = approve_decision(a);
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

int
approve_sign(struct approving *a, struct signer *signer, struct err *e)
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
