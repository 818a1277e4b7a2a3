#include "cmd/run_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "hooks/inquiry.h"
#include "jail/proxy/host.h"
#include "policy/remember.h"

#include "common/banned.h"

#define QUESTIONS_MAX	64	/* hosts and ports of one run */
#define ONCE_S		60
#define TOOL		"jail_host"
#define CLIENT		"jail"

enum state {
	STATE_NEW, STATE_WAITS,	/* connections wait */
	STATE_LATE,		/* they were refused, the request still waits */
	STATE_YES, STATE_NO
};

struct question {
	char		*host;
	unsigned	 port;
	bool		 named;		/* an address is a human's to allow */
	enum state	 state;
	unsigned	*ids;		/* of connections that wait */
	size_t		 n_ids;
	int64_t		 until_ms, last_ms;
	int64_t		 once_ms;	/* YES: until then; 0: this run */
	struct inquiry	 i;
	cJSON		*input;
};

struct run_ask {
	const struct cmd_ctx	*ctx;
	char			*says, *cwd;
	char			 session[64];
	struct spec		*spec;
	struct home		 home;
	bool			 searched;
	struct queue		*q;
	int			 wait_s, alone_s;
	struct await		*bell;
	struct question		*v[QUESTIONS_MAX];
	size_t			 n;
};

struct run_ask *
run_ask_new(const struct cmd_ctx *ctx, char *const *argv, struct spec *spec)
{
	struct run_ask *a = xcalloc(1, sizeof *a);
	auto_str struct str says = { 0 };

	*a = (struct run_ask){ .ctx = ctx, .spec = spec, .home = HOME_INIT,
	    .cwd = getcwd(NULL, 0) };
	snprintf(a->session, sizeof a->session, "run-%d-%lld", (int)getpid(),
	    (long long)clock_boot_ms());
	str_init(&says, 400);
	str_add(&says, "asked for by a command in the jail:");
	for (; *argv != NULL; argv++)
		str_addf(&says, " %s", *argv);
	a->says = str_take(&says);
	return a;
}

static void
question_free(struct run_ask *a, struct question *q)
{
	if (q->i.ticket.owner && a->q != NULL)
		queue_withdraw(a->q, &q->i.ticket, NULL);
	inquiry_clear(&q->i);
	json_free(q->input);
	free(q->host);
	free(q->ids);
	free(q);
}

void
run_ask_free(struct run_ask *a)
{
	if (a == NULL)
		return;
	while (a->n > 0)
		question_free(a, a->v[--a->n]);
	await_free(a->bell);
	queue_free(a->q);
	home_close(&a->home);
	free(a->says);
	free(a->cwd);
	free(a);
}

/* The gate, opened anew for each step: policy may have changed. */
struct door {
	struct gate_args	 args;
	struct gate		 g;
	struct hook_input	 in;
};

static int
door_open(struct run_ask *a, const struct question *q, struct door *d,
    struct err *e)
{
	*d = (struct door){ .args = { .client = CLIENT, .event = "jail",
	    .root = a->home.root_path, .state = a->home.priv_path,
	    .origin = CLIENT } };
	d->in = (struct hook_input){ .event = "jail", .kind = HOOK_BEFORE,
	    .tool_use_id = "", .reason = a->says, .source = "", .path = "",
	    .call = { .client = CLIENT, .session = a->session, .tool = TOOL,
	    .input = q->input, .cwd = a->cwd } };
	return gate_open(&d->args, NULL, a->cwd, &d->g, e) == 0 ? 0 : -1;
}

static enum action
judge(struct door *d)
{
	struct gate *g = &d->g;
	const struct recall_from from = { .viewfd = g->home.view,
	    .ledgerfd = g->home.ledger, .wall_ms = g->now.wall_ms };

	judgement_free(g->judgement);
	g->judgement = judgement_new();
	policy_decide(g->policy, &world_real, &d->in.call, g->judgement);
	if (g->judgement->verdict.action == ACTION_ESCALATE &&
	    policy_recall(g->policy, &from) > 0)
		policy_decide(g->policy, &world_real, &d->in.call,
		    g->judgement);
	return g->judgement->verdict.action;
}

static char *
rule_of(const struct question *q)
{
	return xasprintf(strchr(q->host, ':') != NULL ? "[%s]:%u" : "%s:%u",
	    q->host, q->port);
}

static void
release(struct question *q, const struct net *net, bool yes)
{
	for (size_t i = 0; i < q->n_ids; i++)
		net_answer(net, q->ids[i], yes);
	q->n_ids = 0;
}

static void
refuse(struct question *q, const struct net *net, enum state then)
{
	q->state = then;
	release(q, net, false);
}

static void
grant(struct run_ask *a, struct question *q, const struct net *net,
    bool once)
{
	q->state = STATE_YES;
	q->once_ms = once ? clock_boot_ms() + ONCE_S * 1000 : 0;
	run_ask_renew(a);
	net_rules(net, a->spec, NULL);
	release(q, net, true);
}

void
run_ask_renew(struct run_ask *a)
{
	struct list *l = &a->spec->list[SPEC_ALLOW_DOMAINS];

	for (size_t i = 0; i < a->n; i++) {
		auto_free char *rule = rule_of(a->v[i]);

		if (a->v[i]->state == STATE_YES && !list_has(l, rule))
			list_add(l, mem_steal(&rule));
	}
}

/* Once is over: the rules without it, and whoever comes next asks again. */
static void
end_once(struct run_ask *a, struct question *q, const struct net *net)
{
	struct list *l = &a->spec->list[SPEC_ALLOW_DOMAINS];
	auto_free char *rule = rule_of(q);
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], rule) == 0)
			free(l->v[i]);
		else
			l->v[kept++] = l->v[i];
	l->n = kept;
	q->state = STATE_NEW;
	net_rules(net, a->spec, NULL);
}

/* A project is looked for at the first question. */
static int
set_up(struct run_ask *a, struct err *e)
{
	struct cmd_ctx here = *a->ctx;

	if (a->searched)
		return a->home.root != -1 ? 0 : err_set(e, ERR_SETUP,
		    "there is no project here");
	a->searched = true;
	here.dir = ".";
	return a->cwd == NULL ? -1 : cmd_home(&here, &a->home, e);
}

static int
put(struct run_ask *a, struct question *q, struct door *d, struct err *e)
{
	const struct policy_limits *l = policy_limits(d->g.policy);
	struct queue_limits lim = inquiry_limits(d->g.policy);

	if (a->q == NULL) {
		if (queue_open(&a->home, &lim, &a->q, e) == -1)
			return -1;
		a->bell = await_open(a->q);
	}
	a->wait_s = l->wait_s;
	a->alone_s = l->wait_alone_s;
	inquiry_clear(&q->i);
	q->i = (struct inquiry)INQUIRY_INIT;
	return inquiry_put(&d->g, &d->in, a->q, &q->i, e);
}

static void
begin_waiting(const struct run_ask *a, struct question *q)
{
	int64_t now = clock_boot_ms();

	q->state = STATE_WAITS;
	q->last_ms = now + (int64_t)a->wait_s * 1000;
	q->until_ms = now + (int64_t)a->alone_s * 1000;
	if (q->until_ms > q->last_ms)
		q->until_ms = q->last_ms;
}

static void
ask(struct run_ask *a, struct question *q, const struct net *net)
{
	struct err e = { 0 };
	struct door d;
	enum action action;

	if (set_up(a, &e) == -1 || door_open(a, q, &d, &e) == -1) {
		refuse(q, net, STATE_NO);
		return;
	}
	action = judge(&d);
	if (q->named && (action == ACTION_ALLOW || action == ACTION_OBSERVE)) {
		grant(a, q, net, false);
	} else if (action == ACTION_DENY) {
		refuse(q, net, STATE_NO);
	} else if (put(a, q, &d, &e) == -1) {
		refuse(q, net, STATE_NEW);
	} else {
		begin_waiting(a, q);
	}
	gate_close(&d.g);
}

static void
take(struct run_ask *a, struct question *q, const struct net *net)
{
	struct collected c;
	struct err e = { 0 };
	struct door d;
	bool yes, denied;

	if (door_open(a, q, &d, &e) == -1) {
		refuse(q, net, STATE_NEW);
		return;
	}
	judge(&d);		/* as it is with what was remembered now */
	collected_init(&c);
	yes = inquiry_take(&d.g, &d.in, a->q, &q->i, &c, &e) == 0;
	denied = yes && c.answer.outcome == OUTCOME_DENIED;
	q->i.ticket.owner = false;	/* over: nothing to take back */
	if (yes && c.answer.outcome == OUTCOME_ALLOW_ONCE && !c.copy &&
	    gate_record(&d.g, &d.in, "allow", q->i.id, &e) == 0) {
		grant(a, q, net, judge(&d) == ACTION_ESCALATE);
	} else {
		refuse(q, net, denied ? STATE_NO : STATE_NEW);
	}
	collected_clear(&c);
	gate_close(&d.g);
}

static struct question *
find(struct run_ask *a, const struct net_question *n)
{
	auto_free char *url = NULL, *rule = NULL;
	struct question *q;
	struct host h;

	for (size_t i = 0; i < a->n; i++)
		if (a->v[i]->port == n->port && str_eq(a->v[i]->host, n->host))
			return a->v[i];
	if (a->n == QUESTIONS_MAX)
		return NULL;
	q = xcalloc(1, sizeof *q);
	*q = (struct question){ .host = xstrdup(n->host), .port = n->port,
	    .i = INQUIRY_INIT, .input = json_object() };
	rule = rule_of(q);
	url = xasprintf("%s://%s/", n->port == 443 ? "https" : "http", rule);
	q->named = host_parse(n->host, strlen(n->host), &h) == 0 && !h.is_ip;
	json_add_str(q->input, "url", url);
	return a->v[a->n++] = q;
}

void
run_ask_question(struct run_ask *a, const struct net *net,
    const struct net_question *n)
{
	struct question *q = find(a, n);

	if (q == NULL || q->state == STATE_NO || q->state == STATE_YES) {
		net_answer(net, n->id, q != NULL && q->state == STATE_YES);
		return;
	}
	q->ids = xrealloc(q->ids, q->n_ids + 1, sizeof *q->ids);
	q->ids[q->n_ids++] = n->id;
	if (q->state == STATE_LATE)
		begin_waiting(a, q);	/* the request is still there */
	else if (q->state == STATE_NEW)
		ask(a, q, net);
}

size_t
run_ask_wants(const struct run_ask *a, struct pollfd *ret, int *ret_ms)
{
	int64_t now = clock_boot_ms();
	int most = 1000;
	bool waits = false;

	for (size_t i = 0; i < a->n; i++) {
		const struct question *q = a->v[i];
		int64_t at = q->state == STATE_YES ? q->once_ms : q->until_ms;

		if ((q->state != STATE_WAITS && q->state != STATE_YES) ||
		    at == 0)
			continue;
		waits = true;
		if (at - now < most)
			most = at <= now ? 0 : (int)(at - now);
	}
	if (!waits)
		return 0;
	*ret_ms = *ret_ms >= 0 && *ret_ms < most ? *ret_ms : most;
	ret->fd = await_fd(a->bell, &most);
	ret->events = POLLIN;
	return ret->fd != -1;
}

static void
look(struct run_ask *a, struct question *q, const struct net *net)
{
	int64_t now = clock_boot_ms();

	switch (await_wait(a->bell, q->i.id, 0, -1)) {
	case AWAIT_ANSWER:
		take(a, q, net);
		return;
	case AWAIT_OVER:
		q->i.ticket.owner = false;
		refuse(q, net, STATE_NEW);
		return;
	case AWAIT_DEADLINE:
	case AWAIT_FD:
		break;
	}
	if (now < q->until_ms)
		return;
	if (now < q->last_ms && inquiry_attended(&a->home, a->q, q->i.id))
		q->until_ms = now + 1000;
	else
		refuse(q, net, STATE_LATE);
}

void
run_ask_turn(struct run_ask *a, const struct net *net)
{
	if (a->bell != NULL)
		await_hush(a->bell);
	for (size_t i = 0; i < a->n; i++) {
		struct question *q = a->v[i];

		if (q->state == STATE_WAITS)
			look(a, q, net);
		else if (q->state == STATE_YES && q->once_ms != 0 &&
		    q->once_ms <= clock_boot_ms())
			end_once(a, q, net);
	}
}
