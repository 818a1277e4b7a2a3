/*
 * tests/tools/human - decide a waiting request, honestly or not.
 *
 *	human STATE ID run|deny|allow_once OUTPUT TEXT [LIE]
 *
 * Goes the way of an approver and its runner, without running anything: lock,
 * take, consume, answer with both signatures.  LIE makes one thing false:
 *
 *	key	signed by a key nobody trusts
 *	runkey	result signed by another key than the certified one
 *	digest	for another request
 *	output text decision outcome project id	not what was signed
 *	expired	signed, but its time is over
 *	unknown not_started	what a sweeper writes
 */
#include "audit/statement.h"
#include "queue/queue.h"
#include "tests/unit/project.h"

#include "common/banned.h"

static const char *lie = "";

static bool
lies(const char *what)
{
	return strcmp(lie, what) == 0;
}

static void
hash(const char *text, struct digest *ret)
{
	digest_of(text, strlen(text), NULL, ret);
}

static void
make_approval(const struct home *h, const struct request *req,
    enum decision decision, const char *text, const unsigned char *run_pub,
    struct approval *ret)
{
	struct clock now;

	*ret = (struct approval){ .decision = decision, .tier = "high",
	    .cwd_dev = req->cwd_dev, .cwd_ino = req->cwd_ino };
	if (clock_now(&now, NULL) == -1)
		abort();
	ret->expires_wall_ms = now.wall_ms + (lies("expired") ? -1 : 60000);
	memcpy(ret->project, lies("project") ?
	    "00000000000000000000000000000000" : h->project,
	    sizeof ret->project);
	memcpy(ret->id, lies("id") ? "0000000000000000-000000000000-1" :
	    req->id, lies("id") ? 32 : sizeof ret->id);
	request_digest(req, &ret->scripts, &ret->digest);
	if (lies("digest"))
		ret->digest.b[0] ^= 1;
	if (lies("decision"))
		ret->decision = DECISION_DENY;
	ret->has_text = text[0] != '\0';
	hash(text, &ret->text);
	ret->has_run_key = decision == DECISION_RUN;
	memcpy(ret->run_key, run_pub, SIGN_PUB);
}

static void
make_result(const struct approval *ap, const char *output,
    struct result *ret)
{
	struct clock now;

	*ret = (struct result){ .digest = ap->digest, .outcome = "exit:0" };
	if (clock_now(&now, NULL) == -1)
		abort();
	memcpy(ret->project, ap->project, sizeof ret->project);
	memcpy(ret->id, ap->id, sizeof ret->id);
	ret->start_ms = now.wall_ms - 3100;
	ret->end_ms = now.wall_ms;
	hash(output, &ret->output);
}

static char *
sign(const unsigned char *seed, const char *stmt)
{
	char sig[SIGN_SIG_HEX + 1];

	sign_make(seed, stmt, strlen(stmt), sig);
	return xstrdup(sig);
}

static void
fill_answer(const struct home *h, const struct request *req, char **argv,
    struct answer *a)
{
	unsigned char seed[SIGN_SEED], run[SIGN_SEED], pub[SIGN_PUB];
	bool runs = strcmp(argv[3], "run") == 0;
	enum decision d = runs ? DECISION_RUN :
	    strcmp(argv[3], "deny") == 0 ? DECISION_DENY : DECISION_ALLOW_ONCE;
	struct approval ap;
	struct result res;
	struct str s;

	memset(seed, lies("key") ? 8 : 7, sizeof seed);
	memset(run, 9, sizeof run);
	sign_public(run, pub);
	if (lies("runkey"))
		run[0] ^= 1;
	make_approval(h, req, d, argv[5], pub, &ap);
	sign_public(seed, ap.approver);
	memcpy(a->id, req->id, sizeof a->id);
	memcpy(a->project, h->project, sizeof a->project);
	a->outcome = d == DECISION_DENY ? OUTCOME_DENIED : runs ?
	    OUTCOME_DONE : OUTCOME_ALLOW_ONCE;
	if (lies("outcome"))
		a->outcome = OUTCOME_ALLOW_ONCE;
	str_init(&s, 8192);
	approval_encode(&ap, &s);
	a->approval_sig = sign(seed, s.s);
	a->approval = str_take(&s);
	str_init(&s, 8192);
	if (runs) {
		make_result(&ap, argv[4], &res);
		result_encode(&res, &s);
		a->result_sig = sign(run, s.s);
	} else {
		a->result_sig = xstrdup("");
	}
	a->result = str_take(&s);
	a->output = xasprintf("%s%s", argv[4], lies("output") ? "x" : "");
	a->text = xasprintf("%s%s", argv[5], lies("text") ? "x" : "");
	a->out_path = xstrdup("");
}

static void
fill_sweeper(const struct home *h, const char *id, struct answer *a)
{
	snprintf(a->id, sizeof a->id, "%s", id);
	memcpy(a->project, h->project, sizeof a->project);
	a->outcome = lies("not_started") ? OUTCOME_NOT_STARTED :
	    OUTCOME_UNKNOWN;
	a->approval = xstrdup("");
	a->approval_sig = xstrdup("");
	a->result = xstrdup("");
	a->result_sig = xstrdup("");
	a->output = xstrdup("");
	a->out_path = xstrdup("");
	a->text = xstrdup("");
}

int
main(int argc, char **argv)
{
	const struct queue_limits limits = { 64, 64, 1000, 1 << 30, 1 << 30,
	    28800 };
	struct home h = HOME_INIT;
	struct queue *q = NULL;
	struct claim *c = NULL;
	struct answer a;
	struct clock now;
	struct err e;

	if (argc < 6)
		return 2;
	lie = argc > 6 ? argv[6] : "";
	if (digest_setup(&e) == -1 || clock_now(&now, &e) == -1 ||
	    home_open_state(argv[1], &h, &e) == -1 ||
	    queue_open(&h, &limits, &q, &e) == -1 ||
	    queue_lock(q, argv[2], &now, &c, &e) == -1 ||
	    claim_take(c, &e) == -1)
		project_fail("claim", &e);
	answer_init(&a);
	if (lies("unknown") || lies("not_started"))
		fill_sweeper(&h, argv[2], &a);
	else
		fill_answer(&h, claim_request(c), argv, &a);
	if (claim_consume(c, a.approval[0] == '\0' ? "x" : a.approval,
	    a.approval_sig[0] == '\0' ? "x" : a.approval_sig, &e) == -1 ||
	    claim_answer(c, &a, &e) == -1)
		project_fail("answer", &e);
	answer_clear(&a);
	claim_close(c);
	queue_free(q);
	home_close(&h);
	return 0;
}
