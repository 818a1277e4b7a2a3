/*
 * A human is asked: publish or join a request, wait, say what came of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "hooks/collect.h"
#include "hooks/gate.h"
#include "hooks/question.h"
#include "hooks/reason.h"
#include "hooks/wire.h"

#include "common/banned.h"

#define CLIENT_FD	3	/* pidfd of the client, from the guard */
#define MARGIN_S	15	/* the guard's patience behind ours */

struct ask {
	struct gate		*g;
	const struct hook_input	*in;
	struct queue		*q;
	struct await		*bell;
	struct request		 req;	/* ours, or the one we joined */
	struct ticket		 ticket;
	char			 id[ID_MAX + 1];
	int64_t			 start_ms;
	int			 stop;	/* readable: the client is gone, or we
					   were told to go */
};

static void
ask_clear(struct ask *a)
{
	ticket_close(&a->ticket);
	request_clear(&a->req);
	await_free(a->bell);
	queue_free(a->q);
	mem_close_fd(&a->stop);
}

/* --- the question -------------------------------------------------------- */

static int
publish(struct ask *a, struct err *e)
{
	request_clear(&a->req);
	request_init(&a->req);
	if (question_make(a->g, a->in, &a->req, e) == -1 ||
	    queue_submit(a->q, &a->req, &a->g->now, &a->ticket, e) == -1)
		return -1;
	memcpy(a->id, a->ticket.id, sizeof a->id);
	if (gate_record(a->g, a->in, "tool.request", a->id, e) == 0)
		return 0;
	/* What is not recorded does not happen. */
	queue_withdraw(a->q, &a->ticket, NULL);
	return -1;
}

static struct collect_ask
asking(const struct ask *a)
{
	return (struct collect_ask){ .home = &a->g->home,
	    .approvers = &a->g->approvers, .id = a->id, .req = &a->req,
	    .now = &a->g->now, .owner = a->ticket.owner };
}

/* A forged or expired answer is no reason not to ask. */
static bool
answer_counts(struct ask *a)
{
	const struct collect_ask ask = asking(a);
	struct collected c;
	bool counts;

	collected_init(&c);
	counts = queue_read_answer(a->q, a->id, &c.answer, NULL) == 0 &&
	    collect_check(&ask, &c.answer, &c.approval, &c.result, NULL) == 0;
	collected_clear(&c);
	return counts;
}

/* The newest live trace of the same call; *ret_state NONE when unusable. */
static int
look_back(struct ask *a, enum trace_state *ret_state, struct err *e)
{
	struct trace_key key = { .session = a->in->call.session,
		.agent_id = a->in->call.agent_id };
	struct trace t = { 0 };
	enum entry_state where;
	bool waiter;

	call_key(&a->in->call, &key.call_key);
	if (queue_find_call(a->q, &key, &a->g->now, &t, e) == -1)
		return -1;
	*ret_state = TRACE_NONE;
	if (t.state == TRACE_NONE || t.state == TRACE_COLLECTED)
		return 0;
	request_clear(&a->req);
	if (queue_read(a->q, t.id, &a->req, &where, &waiter, e) == -1 ||
	    !question_same(a->g, a->in, &a->req))
		return 0;
	memcpy(a->id, t.id, sizeof a->id);
	if (t.state != TRACE_ANSWERED || answer_counts(a))
		*ret_state = t.state;
	return 0;
}

/* Join what is already asked, else ask. */
static int
put_question(struct ask *a, struct err *e)
{
	enum trace_state state;

	if (look_back(a, &state, e) == -1)
		return -1;
	if (state == TRACE_NONE)
		return publish(a, e);
	/* It may have been answered since: then there is nothing to hold. */
	if (state != TRACE_ANSWERED &&
	    queue_attach(a->q, a->id, &a->ticket, e) == -1 &&
	    e->code != ERR_NO_ID)
		return -1;
	return gate_record(a->g, a->in, "guardrail.decision", a->id, e);
}

/* --- waiting ------------------------------------------------------------- */

/* One descriptor for "the client is gone" and "we are told to go". */
static int
open_stop(struct err *e)
{
	struct epoll_event ev = { .events = EPOLLIN };
	auto_close int all = epoll_create1(EPOLL_CLOEXEC);
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (all == -1 || sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		return err_sys(e, "cannot watch for signals");
	/* Open until we end; nobody reads it, being readable is all. */
	sig = signalfd(-1, &set, SFD_CLOEXEC);
	if (sig == -1 || epoll_ctl(all, EPOLL_CTL_ADD, sig, &ev) == -1 ||
	    epoll_ctl(all, EPOLL_CTL_ADD, CLIENT_FD, &ev) == -1)
		return err_sys(e, "cannot watch the client");
	return fd_steal(&all);
}

static int
wait_limit_s(const struct ask *a)
{
	int s = policy_limits(a->g->policy)->wait_s;

	return s > WIRE_WAIT_S - MARGIN_S ? WIRE_WAIT_S - MARGIN_S : s;
}

/* Somebody is at it: watching, or already executing this request. */
static bool
human_is_there(const struct ask *a)
{
	enum entry_state where;
	struct request req = { 0 };
	bool waiter, busy;

	if (home_watch_present(&a->g->home))
		return true;
	busy = queue_read(a->q, a->id, &req, &where, &waiter, NULL) == 0 &&
	    (where == ENTRY_CLAIMED || where == ENTRY_RUNNING);
	request_clear(&req);
	return busy;
}

static enum await_result
wait_for_answer(struct ask *a)
{
	int alone_s = policy_limits(a->g->policy)->wait_alone_s;
	int64_t last = a->start_ms + (int64_t)wait_limit_s(a) * 1000;
	int64_t until = a->start_ms + (int64_t)alone_s * 1000;
	enum await_result got;

	if (until > last || human_is_there(a))
		until = last;
	for (;;) {
		got = await_wait(a->bell, a->id, until, a->stop);
		if (got != AWAIT_DEADLINE || until == last ||
		    !human_is_there(a))
			return got;
		until = last;
	}
}

static int
announce(const struct ask *a, struct err *e)
{
	char line[32];
	int n = snprintf(line, sizeof line, "W %d\n",
	    wait_limit_s(a) + MARGIN_S);

	return io_write_all(STDOUT_FILENO, line, (size_t)n, e);
}

/* --- the answer ---------------------------------------------------------- */

static void
say_done(const struct ask *a, const struct collected *c, struct str *text)
{
	auto_free char *where = xasprintf(".sandbox/out/%s.txt", a->id);
	struct reason_done d = {
		.id = a->id, .outcome = c->result.outcome,
		.duration_ms = c->result.end_ms - c->result.start_ms,
		.ago_ms = a->g->now.wall_ms - c->result.end_ms,
		.copy = c->copy, .edited = c->answer.edited,
		.output = c->answer.output,
		.output_units =
		    (size_t)policy_limits(a->g->policy)->output_bytes,
		.truncated = c->answer.truncated,
		.where = c->answer.out_path[0] == '\0' ? "" : where,
		.text = c->answer.text, .draw = randombytes_buf,
	};

	reason_done(&d, a->g->dialect->reason_units, text);
}

static int
say_answer(struct ask *a, const struct collected *c, struct reply *r,
    struct err *e)
{
	auto_str struct str text = { 0 };

	str_init(&text, REASON_MAX);
	switch (c->answer.outcome) {
	case OUTCOME_ALLOW_ONCE:
		if (c->copy)
			return err_set(e, ERR_LOST, "this call was allowed "
			    "once, and that once was used");
		if (gate_record(a->g, a->in, "allow", a->id, e) == -1)
			return -1;
		a->g->dialect->allow(a->in->event, r);
		return 0;
	case OUTCOME_DONE:
		say_done(a, c, &text);
		break;
	case OUTCOME_DENIED:
		reason_refused(a->id, c->answer.text, &text);
		break;
	case OUTCOME_NOT_STARTED:
		return err_set(e, ERR_LOST, "request %s was approved but "
		    "could not be started; the same call again asks again",
		    a->id);
	case OUTCOME_UNKNOWN:
		return err_set(e, ERR_LOST, "request %s was started and its "
		    "outcome is unknown; look at its effects before asking "
		    "again", a->id);
	}
	a->g->dialect->refuse(a->in->event, text.s, r);
	return 0;
}

static int
take_answer(struct ask *a, struct reply *r, struct err *e)
{
	const struct collect_ask ask = asking(a);
	struct collected c;
	int rc;

	collected_init(&c);
	rc = clock_now(&a->g->now, e);
	if (rc == 0)
		rc = collect(a->q, &ask, &c, e);
	/* It was decided and perhaps run: said even if it cannot be noted. */
	if (rc == 0 && c.answer.outcome != OUTCOME_ALLOW_ONCE)
		gate_record(a->g, a->in, "answer.collected", a->id, NULL);
	if (rc == 0)
		rc = say_answer(a, &c, r, e);
	collected_clear(&c);
	/* A forged answer must not leave its question open behind it. */
	if (rc == -1 && a->ticket.owner)
		queue_withdraw(a->q, &a->ticket, NULL);
	return rc;
}

static int
say_pending(struct ask *a, struct reply *r)
{
	auto_str struct str text = { 0 };

	str_init(&text, REASON_MAX);
	reason_pending(a->id, a->g->home.root_path, &text);
	a->g->dialect->refuse(a->in->event, text.s, r);
	return 0;
}

static int
ask_and_wait(struct ask *a, struct reply *r, struct err *e)
{
	const struct policy_limits *l = policy_limits(a->g->policy);
	const struct queue_limits limits = {
		.pending_max = l->pending_max,
		.pending_session_max = l->pending_session_max,
		.new_per_minute = l->new_per_minute,
		.bytes_max = l->queue_bytes, .ttl_max_s = l->request_ttl_s,
		.answer_keep_s = l->answer_keep_s,
	};

	if (queue_open(&a->g->home, &limits, &a->q, e) == -1)
		return err_add(e, "the queue is not available");
	/* Bell, signals and the guard's patience before anyone can answer. */
	a->bell = await_open(a->q);
	a->stop = open_stop(e);
	if (a->stop == -1 || announce(a, e) == -1 || put_question(a, e) == -1)
		return -1;
	switch (wait_for_answer(a)) {
	case AWAIT_ANSWER:
		return take_answer(a, r, e);
	case AWAIT_DEADLINE:
		return say_pending(a, r);
	case AWAIT_OVER:
		return err_set(e, ERR_LOST, "request %s has expired or was "
		    "taken back; the same call again asks again", a->id);
	case AWAIT_FD:
		break;
	}
	if (a->ticket.owner)
		queue_withdraw(a->q, &a->ticket, NULL);
	return err_set(e, ERR_LOST, "the client is gone");
}

int
gate_ask(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	struct ask a = { .g = g, .in = in, .stop = -1,
	    .ticket = { .fd = -1 },
	    .start_ms = clock_boot_ms() };
	int rc;

	rc = ask_and_wait(&a, r, e);
	ask_clear(&a);
	return rc;
}
