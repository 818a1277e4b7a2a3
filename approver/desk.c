#include "approver/desk.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

/* The limits of the policy in the queue's words. */
static struct queue_limits
limits_of(const struct policy *p)
{
	const struct policy_limits *l = policy_limits(p);

	return (struct queue_limits){
		.pending_max = l->pending_max,
		.pending_session_max = l->pending_session_max,
		.new_per_minute = l->new_per_minute,
		.bytes_max = l->queue_bytes,
		.ttl_max_s = l->request_ttl_s,
		.answer_keep_s = l->answer_keep_s,
	};
}

/* Who may sign and what the rules are: the two change while a watch watches. */
static int
load_rules(struct desk *d, struct err *e)
{
	const struct home *h = d->home;
	const struct policy_place place = {
		.project = h->project,
		.root = h->root_path,
		.home = d->user_home,
		.state = h->priv_path,
		.keys = h->keys_path,
		.libexec = d->libexec,
		.approvers = &d->approvers,
	};

	if (home_approvers(h, &d->approvers, e) == -1)
		return -1;
	return policy_load(h->view, &place, &d->policy, e);
}

static int
open_all(struct desk *d, struct err *e)
{
	const struct home *h = d->home;
	struct queue_limits limits;

	if (h->jailed)
		return err_set(e, ERR_PERMITTED, "in the jail there is no "
		    "ledger and no log: ask the human outside");
	if (load_rules(d, e) == -1)
		return -1;
	d->judgement = judgement_new();
	limits = limits_of(d->policy);
	if (queue_open(h, &limits, &d->queue, e) == -1)
		return -1;
	return audit_open(h->priv, h->project, &d->audit, e);
}

int
desk_refresh(struct desk *d, struct err *e)
{
	struct desk old = *d;

	d->policy = NULL;
	d->approvers = (struct keyring){ 0 };
	if (load_rules(d, e) == -1) {
		/* The old rules stay for what is shown, not for a decision. */
		policy_free(d->policy);
		keyring_clear(&d->approvers);
		d->policy = old.policy;
		d->approvers = old.approvers;
		return -1;
	}
	policy_free(old.policy);
	keyring_clear(&old.approvers);
	return 0;
}

int
desk_open(const struct home *home, const char *libexec, struct desk *ret,
    struct err *e)
{
	/* In place: the policy keeps a pointer to the keyring. */
	*ret = (struct desk){ .home = home, .libexec = xstrdup(libexec),
	    .user_home = home_user_dir() };
	if (ret->user_home == NULL)
		ret->user_home = xstrdup("/");
	ret->history = history_new(home);
	if (open_all(ret, e) == -1) {
		desk_close(ret);
		return -1;
	}
	return 0;
}

void
desk_close(struct desk *d)
{
	history_free(d->history);
	audit_free(d->audit);
	queue_free(d->queue);
	judgement_free(d->judgement);
	policy_free(d->policy);
	keyring_clear(&d->approvers);
	free(d->user_home);
	free(d->libexec);
	memset(d, 0, sizeof *d);
}
