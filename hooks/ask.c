/*
 * A human is asked by a hook, which waits and says what came of it.
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
#include "hooks/gate.h"
#include "hooks/inquiry.h"
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
	struct inquiry		 i;
	int64_t			 start_ms;
	int			 stop;	/* readable: the client is gone, or we
					   were told to go */
};

static void
ask_clear(struct ask *a)
{
	inquiry_clear(&a->i);
	await_free(a->bell);
	queue_free(a->q);
	mem_close_fd(&a->stop);
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
	int most = a->g->dialect->wait_s - MARGIN_S;

	return s > most ? most : s;
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
	busy = queue_read(a->q, a->i.id, &req, &where, &waiter, NULL) == 0 &&
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
		got = await_wait(a->bell, a->i.id, until, a->stop);
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
		if (gate_keep(a->g, e) == -1 ||
		    gate_record(a->g, a->in, "allow", a->i.id, e) == -1)
			return -1;
		dialect_allow(a->g->dialect, a->in->event, r);
		return 0;
	case OUTCOME_DONE:
		inquiry_done(a->g, &a->i, c, a->g->dialect->reason_units,
		    &text);
		break;
	case OUTCOME_DENIED:
		reason_refused(a->i.id, c->answer.text, &text);
		break;
	case OUTCOME_NOT_STARTED:
		return err_set(e, ERR_LOST, "request %s was decided but "
		    "could not be started; the same call again asks again",
		    a->i.id);
	case OUTCOME_UNKNOWN:
		return err_set(e, ERR_LOST, "request %s was started and its "
		    "outcome is unknown; look at its effects before asking "
		    "again", a->i.id);
	}
	dialect_refuse(a->g->dialect, a->in->event, text.s, r);
	return 0;
}

static int
take_answer(struct ask *a, struct reply *r, struct err *e)
{
	struct collected c;
	int rc;

	collected_init(&c);
	rc = inquiry_take(a->g, a->in, a->q, &a->i, &c, e);
	if (rc == 0)
		rc = say_answer(a, &c, r, e);
	collected_clear(&c);
	/* A forged answer must not leave its question open behind it. */
	if (rc == -1 && a->i.ticket.owner)
		queue_withdraw(a->q, &a->i.ticket, NULL);
	return rc;
}

static int
say_pending(struct ask *a, struct reply *r)
{
	auto_str struct str text = { 0 };

	str_init(&text, REASON_MAX);
	reason_pending(a->i.id, a->g->home.root_path, &text);
	dialect_refuse(a->g->dialect, a->in->event, text.s, r);
	return 0;
}

static int
ask_and_wait(struct ask *a, struct reply *r, struct err *e)
{
	const struct queue_limits limits = inquiry_limits(a->g->policy);

	if (queue_open(&a->g->home, &limits, &a->q, e) == -1)
		return err_add(e, "the queue is not available");
	/* Bell, signals and the guard's patience before anyone can answer. */
	a->bell = await_open(a->q);
	a->stop = open_stop(e);
	if (a->stop == -1 || announce(a, e) == -1 ||
	    inquiry_put(a->g, a->in, a->q, &a->i, e) == -1)
		return -1;
	switch (wait_for_answer(a)) {
	case AWAIT_ANSWER:
		return take_answer(a, r, e);
	case AWAIT_DEADLINE:
		return say_pending(a, r);
	case AWAIT_OVER:
		return err_set(e, ERR_LOST, "request %s has expired or was "
		    "taken back; the same call again asks again", a->i.id);
	case AWAIT_FD:
		break;
	}
	if (a->i.ticket.owner)
		queue_withdraw(a->q, &a->i.ticket, NULL);
	return err_set(e, ERR_LOST, "the client is gone");
}

int
gate_ask(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	struct ask a = { .g = g, .in = in, .stop = -1,
	    .i = INQUIRY_INIT,
	    .start_ms = clock_boot_ms() };
	int rc;

	rc = ask_and_wait(&a, r, e);
	ask_clear(&a);
	return rc;
}
