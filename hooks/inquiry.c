/*
 * The question: published or joined; its answer: believed and collected.
 */
#include "hooks/inquiry.h"

#include <string.h>

#include "common/mem.h"
#include "hooks/question.h"
#include "hooks/reason.h"

#include "common/banned.h"

/* Who asks what, where. */
struct asker {
	struct gate		*g;
	const struct hook_input	*in;
	struct queue		*q;
	struct inquiry		*i;
};

void
inquiry_clear(struct inquiry *i)
{
	ticket_close(&i->ticket);
	request_clear(&i->req);
}

struct queue_limits
inquiry_limits(const struct policy *p)
{
	const struct policy_limits *l = policy_limits(p);

	return (struct queue_limits){
		.pending_max = l->pending_max,
		.pending_session_max = l->pending_session_max,
		.new_per_minute = l->new_per_minute,
		.bytes_max = l->queue_bytes, .ttl_max_s = l->request_ttl_s,
		.answer_keep_s = l->answer_keep_s,
	};
}

static int
publish(const struct asker *a, struct err *e)
{
	struct inquiry *i = a->i;

	request_clear(&i->req);
	request_init(&i->req);
	if (question_make(a->g, a->in, &i->req, e) == -1 ||
	    queue_submit(a->q, &i->req, &a->g->now, &i->ticket, e) == -1)
		return -1;
	memcpy(i->id, i->ticket.id, sizeof i->id);
	if (gate_record(a->g, a->in, "tool.request", i->id, e) == 0)
		return 0;
	/* What is not recorded does not happen. */
	queue_withdraw(a->q, &i->ticket, NULL);
	return -1;
}

static struct collect_ask
asking(const struct gate *g, const struct inquiry *i)
{
	return (struct collect_ask){ .home = &g->home,
	    .approvers = &g->approvers, .id = i->id, .req = &i->req,
	    .now = &g->now, .owner = i->ticket.owner };
}

/* A forged or expired answer is no reason not to ask. */
static bool
answer_counts(const struct asker *a)
{
	const struct collect_ask ask = asking(a->g, a->i);
	struct collected c;
	bool counts;

	collected_init(&c);
	counts = queue_read_answer(a->q, a->i->id, &c.answer, NULL) == 0 &&
	    collect_check(&ask, &c.answer, &c.approval, &c.result, NULL) == 0;
	collected_clear(&c);
	return counts;
}

/* The newest live trace of the same call; *ret_state NONE when unusable. */
static int
look_back(const struct asker *a, enum trace_state *ret_state, struct err *e)
{
	struct trace_key key = { .session = a->in->call.session,
		.agent_id = a->in->call.agent_id };
	struct inquiry *i = a->i;
	struct trace t = { 0 };
	enum entry_state where;
	bool waiter;

	call_key(&a->in->call, &key.call_key);
	if (queue_find_call(a->q, &key, &a->g->now, &t, e) == -1)
		return -1;
	*ret_state = TRACE_NONE;
	if (t.state == TRACE_NONE || t.state == TRACE_COLLECTED)
		return 0;
	request_clear(&i->req);
	if (queue_read(a->q, t.id, &i->req, &where, &waiter, e) == -1 ||
	    !question_same(a->g, a->in, &i->req))
		return 0;
	memcpy(i->id, t.id, sizeof i->id);
	if (t.state != TRACE_ANSWERED || answer_counts(a))
		*ret_state = t.state;
	return 0;
}

int
inquiry_put(struct gate *g, const struct hook_input *in, struct queue *q,
    struct inquiry *ret, struct err *e)
{
	const struct asker a = { g, in, q, ret };
	enum trace_state state;

	if (look_back(&a, &state, e) == -1)
		return -1;
	if (state == TRACE_NONE)
		return publish(&a, e);
	/* It may have been answered since: then there is nothing to hold. */
	if (state != TRACE_ANSWERED &&
	    queue_attach(q, ret->id, &ret->ticket, e) == -1 &&
	    e->code != ERR_NO_ID)
		return -1;
	return gate_record(g, in, "guardrail.decision", ret->id, e);
}

bool
inquiry_attended(const struct home *home, struct queue *q, const char *id)
{
	enum entry_state where;
	struct request req = { 0 };
	bool waiter, busy;

	if (home_watch_present(home))
		return true;
	busy = queue_read(q, id, &req, &where, &waiter, NULL) == 0 &&
	    (where == ENTRY_CLAIMED || where == ENTRY_RUNNING);
	request_clear(&req);
	return busy;
}

int
inquiry_take(struct gate *g, const struct hook_input *in, struct queue *q,
    const struct inquiry *i, struct collected *ret, struct err *e)
{
	const struct collect_ask ask = asking(g, i);

	if (clock_now(&g->now, e) == -1 || collect(q, &ask, ret, e) == -1)
		return -1;
	/* It was decided and perhaps run: said even if it cannot be noted. */
	if (ret->answer.outcome != OUTCOME_ALLOW_ONCE)
		gate_record(g, in, "answer.collected", i->id, NULL);
	return 0;
}

void
inquiry_done(const struct gate *g, const struct inquiry *i,
    const struct collected *c, size_t units, struct str *ret)
{
	auto_free char *where = xasprintf(".sandbox/out/%s.txt", i->id);
	const struct reason_done d = {
		.id = i->id, .outcome = c->result.outcome,
		.duration_ms = c->result.end_ms - c->result.start_ms,
		.ago_ms = g->now.wall_ms - c->result.end_ms,
		.copy = c->copy, .edited = c->answer.edited,
		.output = c->answer.output,
		.output_units = (size_t)policy_limits(g->policy)->output_bytes,
		.truncated = c->answer.truncated,
		.where = c->answer.out_path[0] == '\0' ? "" : where,
		.text = c->answer.text, .draw = randombytes_buf,
	};

	reason_done(&d, units, ret);
}
