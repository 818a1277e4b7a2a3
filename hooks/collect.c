#include "hooks/collect.h"

#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

void
collected_init(struct collected *c)
{
	*c = (struct collected){ 0 };
	answer_init(&c->answer);
}

void
collected_clear(struct collected *c)
{
	answer_clear(&c->answer);
}

static int
refuse(struct err *e, const char *what)
{
	return err_set(e, ERR_PERMITTED, "the answer is not to be believed: "
	    "%s", what);
}

static bool
is_digest_of(const char *text, const struct digest *want)
{
	struct digest d;

	digest_of(text, strlen(text), NULL, &d);
	return digest_eq(&d, want);
}

static int
check_sweeper(const struct answer *a, struct err *e)
{
	if (a->text[0] != '\0' || a->output[0] != '\0' ||
	    a->edited[0] != '\0')
		return refuse(e, "unsigned words");
	return 0;
}

/* Which decision each outcome needs. */
static const struct {
	enum outcome	outcome;
	enum decision	decision;
} pairs[] = {
	{ OUTCOME_DENIED, DECISION_DENY },
	{ OUTCOME_DONE, DECISION_RUN },
	{ OUTCOME_ALLOW_ONCE, DECISION_ALLOW_ONCE },
};

static bool
decision_fits(enum outcome outcome, enum decision decision)
{
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (pairs[i].outcome == outcome)
			return pairs[i].decision == decision;
	return false;
}

static int
check_approval(const struct collect_ask *ask, const struct answer *a,
    struct approval *ap, struct err *e)
{
	const struct approval_for who = { .approvers = ask->approvers,
	    .project = ask->home->project, .id = ask->id };
	struct digest asked;

	if (approval_verify(a->approval, a->approval_sig, &who, ap, e) == -1)
		return -1;
	request_digest(ask->req, &ap->scripts, &asked);
	if (!digest_eq(&asked, &ap->digest))
		return refuse(e, "it was given for another request");
	if (!decision_fits(a->outcome, ap->decision))
		return refuse(e, "outcome and decision differ");
	if (ap->has_text ? !is_digest_of(a->text, &ap->text) :
	    a->text[0] != '\0')
		return refuse(e, "its text is not the signed one");
	if (ap->has_edited ? !is_digest_of(a->edited, &ap->edited) :
	    a->edited[0] != '\0')
		return refuse(e, "its edited command is not the signed one");
	return 0;
}

int
collect_check(const struct collect_ask *ask, const struct answer *a,
    struct approval *ret_approval, struct result *ret_result, struct err *e)
{
	struct approval ap = { 0 };
	struct result res = { 0 };

	if (strcmp(a->id, ask->id) != 0 ||
	    strcmp(a->project, ask->home->project) != 0)
		return refuse(e, "it is for another request");
	if (a->outcome == OUTCOME_UNKNOWN || a->outcome == OUTCOME_NOT_STARTED)
		return check_sweeper(a, e);
	if (check_approval(ask, a, &ap, e) == -1)
		return -1;
	if (a->outcome == OUTCOME_ALLOW_ONCE &&
	    ask->now->wall_ms > ap.expires_wall_ms)
		return err_set(e, ERR_LOST, "the approval has expired");
	if (a->outcome == OUTCOME_DONE) {
		if (result_verify(a->result, a->result_sig, &ap, &res, e) ==
		    -1)
			return -1;
		if (!is_digest_of(a->output, &res.output))
			return refuse(e, "its output is not the signed one");
	} else if (a->output[0] != '\0') {
		return refuse(e, "an output without a run");
	}
	*ret_approval = ap;
	*ret_result = res;
	return 0;
}

int
collect(struct queue *q, const struct collect_ask *ask,
    struct collected *ret, struct err *e)
{
	int won;

	if (queue_read_answer(q, ask->id, &ret->answer, e) == -1 ||
	    collect_check(ask, &ret->answer, &ret->approval, &ret->result,
	    e) == -1)
		return -1;
	if (ask->home->jailed && ret->answer.outcome == OUTCOME_ALLOW_ONCE)
		return refuse(e, "from inside the jail nobody can see that "
		    "this once was not used before");
	won = queue_collect(q, ask->id, e);
	if (won == -1 && (!ask->owner ||
	    ret->answer.outcome == OUTCOME_ALLOW_ONCE))
		return err_add(e, "the answer cannot be collected");
	ret->copy = won == 0;
	return 0;
}
