/*
 * Calls: judged and asked at once, answered when a human has decided, when the
 * client's patience is over, or never, when nobody wants it any more.
 */
#include "hooks/mcp/mcp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mem.h"

#include "common/banned.h"

#define PROGRESS_MS	5000

struct mcp_call *
mcp_call_new(const struct mcp *m, const struct rpc *r)
{
	const cJSON *token = json_get(r->meta, "progressToken");
	const char *use = json_str(r->meta, "claudecode/toolUseId");
	struct mcp_call *c = xcalloc(1, sizeof *c);
	char name[MCP_NAME_MAX + 1];

	*c = (struct mcp_call){ .i = INQUIRY_INIT, .modern = r->modern };
	c->id = cJSON_Duplicate(r->id, true);
	if (cJSON_IsString(token) || cJSON_IsNumber(token))
		c->token = cJSON_Duplicate(token, true);
	c->client = xstrdup(mcp_client(m, r, name));
	c->tool_use_id = xstrdup(use != NULL && strlen(use) <= 256 ? use : "");
	c->says = xstrdup("");
	c->start_ms = clock_boot_ms();
	return c;
}

void
mcp_call_free(struct mcp_call *c)
{
	if (c == NULL)
		return;
	inquiry_clear(&c->i);
	json_free(c->id);
	json_free(c->token);
	json_free(c->input);
	free(c->tool);
	free(c->cwd);
	free(c->client);
	free(c->tool_use_id);
	free(c->says);
	free(c);
}

static void
respond(struct mcp *m, const struct mcp_call *c, cJSON *result)
{
	rpc_result(&m->f.out, c->id, c->modern, false, result);
}

static void
respond_error(struct mcp *m, const struct mcp_call *c, const struct err *e)
{
	respond(m, c, mcp_say_error(e->text));
}

/* As a hook's input; what a reader reads is the request's own call. */
static struct hook_input
input_of(const struct mcp *m, const struct mcp_call *c)
{
	const struct request *req = &c->i.req;
	struct hook_input in = { .event = "tools/call", .kind = HOOK_BEFORE,
		.tool_use_id = c->tool_use_id, .reason = c->says,
		.source = "", .path = "" };

	if (c->reader)
		in.call = (struct call){ .client = req->agent,
		    .session = req->session, .agent_id = req->agent_id,
		    .tool = req->tool, .input = req->input, .cwd = req->cwd };
	else
		in.call = (struct call){ .client = c->client,
		    .session = m->session, .tool = c->tool,
		    .input = c->input, .cwd = c->cwd };
	return in;
}

/* --- waiting --- */

static void
keep(struct mcp *m, struct mcp_call *c)
{
	struct mcp_call **last = &m->calls;

	while (*last != NULL)
		last = &(*last)->next;
	*last = c;
	m->n_calls++;
}

static void
drop(struct mcp *m, struct mcp_call **at)
{
	struct mcp_call *c = *at;

	*at = c->next;
	m->n_calls--;
	mcp_call_free(c);
}

static void
set_deadlines(struct mcp_call *c, int alone_s, int last_s)
{
	int64_t now = clock_boot_ms();

	c->last_ms = now + (int64_t)last_s * 1000;
	c->alone_ms = alone_s < last_s ? now + (int64_t)alone_s * 1000 :
	    c->last_ms;
	c->progress_ms = now + PROGRESS_MS;
}

/*
 * Longer than a hook waits where nobody watches makes no sense here either;
 * never longer than the client will listen.
 */
static void
begin_waiting(struct mcp *m, struct mcp_call *c, const struct gate *g)
{
	const struct policy_limits *l = policy_limits(g->policy);
	int last = mcp_patience_s(c->client);

	set_deadlines(c, l->wait_alone_s, last < l->wait_s ? last : l->wait_s);
	keep(m, c);
}

/* --- asking --- */

static int
check_cwd(const struct mcp_call *c, struct err *e)
{
	struct stat st;

	if (stat(c->cwd, &st) == -1)
		return err_sys(e, "the directory '%s'", c->cwd);
	return S_ISDIR(st.st_mode) ? 0 :
	    err_set(e, ERR_FORMAT, "'%s' is not a directory", c->cwd);
}

/*
 * Everything that is not denied is asked about: what is executed here is
 * executed by our side, and that never without a human.
 */
static int
judge_and_ask(struct mcp *m, struct mcp_call *c, struct mcp_door *d,
    struct err *e)
{
	const struct hook_input in = input_of(m, c);
	struct gate *g = &d->g;

	if (check_cwd(c, e) == -1)
		return -1;
	g->judgement = judgement_new();
	policy_decide(g->policy, &world_real, &in.call, g->judgement);
	if (g->judgement->verdict.action == ACTION_DENY) {
		if (gate_record(g, &in, "guardrail.decision", NULL, e) == -1)
			return -1;
		respond(m, c, mcp_say_denied(&g->judgement->verdict));
		mcp_call_free(c);
		return 0;
	}
	if (inquiry_put(g, &in, d->q, &c->i, e) == -1)
		return -1;
	begin_waiting(m, c, g);
	return 0;
}

void
mcp_call_ask(struct mcp *m, struct mcp_call *c)
{
	struct mcp_door d;
	struct err e = { 0 };
	int got = -1;

	if (m->n_calls >= MCP_CALLS_MAX)
		err_set(&e, ERR_PERMITTED, "too many calls wait already");
	else if (mcp_door_open(m, c->client, c->cwd, &d, &e) == 0) {
		got = judge_and_ask(m, c, &d, &e);
		mcp_door_close(&d);
	}
	if (got == -1) {
		respond_error(m, c, &e);
		mcp_call_free(c);
	}
}

void
mcp_call_read(struct mcp *m, struct mcp_call *c, const char *id, int seconds)
{
	enum entry_state where;
	struct err e = { 0 };
	bool waiter;

	c->reader = true;
	request_clear(&c->i.req);
	if (m->n_calls >= MCP_CALLS_MAX)
		err_set(&e, ERR_PERMITTED, "too many calls wait already");
	else if (mcp_place_open(m, &e) == 0 &&
	    queue_read(m->place->q, id, &c->i.req, &where, &waiter, &e) == 0) {
		memcpy(c->i.id, c->i.req.id, sizeof c->i.id);
		set_deadlines(c, seconds, seconds);
		keep(m, c);
		return;
	}
	if (e.code == ERR_NO_ID)
		respond(m, c, mcp_say("unknown", "There is no such request "
		    "(any more) in this project.", NULL));
	else
		respond_error(m, c, &e);
	mcp_call_free(c);
}

/* --- answering --- */

/* An allow_once is for the hook that asked; reading does not use it up. */
static int
take(struct mcp *m, struct mcp_call *c, struct mcp_door *d,
    struct collected *ret, struct err *e)
{
	const struct hook_input in = input_of(m, c);
	const struct collect_ask ask = { .home = &d->g.home,
	    .approvers = &d->g.approvers, .id = c->i.id, .req = &c->i.req,
	    .now = &d->g.now };

	if (queue_read_answer(d->q, c->i.id, &ret->answer, e) == -1)
		return -1;
	if (ret->answer.outcome == OUTCOME_ALLOW_ONCE)
		return collect_check(&ask, &ret->answer, &ret->approval,
		    &ret->result, e);
	answer_clear(&ret->answer);
	answer_init(&ret->answer);
	return inquiry_take(&d->g, &in, d->q, &c->i, ret, e);
}

static void
answer(struct mcp *m, struct mcp_call *c)
{
	struct collected got;
	struct mcp_door d;
	struct err e = { 0 };
	int rc;

	if (mcp_door_open(m, c->client, m->place->home.root_path, &d, &e) ==
	    -1) {
		respond_error(m, c, &e);
		return;
	}
	collected_init(&got);
	rc = take(m, c, &d, &got, &e);
	if (rc == 0)
		respond(m, c, mcp_say_answer(&d.g, &c->i, &got));
	else
		respond_error(m, c, &e);
	/* A forged answer must not leave its question open behind it. */
	if (rc == -1 && c->i.ticket.owner)
		queue_withdraw(d.q, &c->i.ticket, NULL);
	collected_clear(&got);
	mcp_door_close(&d);
}

static void
over(struct mcp *m, const struct mcp_call *c)
{
	cJSON *facts = json_object();

	json_add_str(facts, "request_id", c->i.id);
	respond(m, c, mcp_say("expired", "The request has expired or was "
	    "taken back; nothing was executed. Ask again if it is still "
	    "needed.", facts));
}

static void
progress(struct mcp *m, struct mcp_call *c, int64_t now)
{
	cJSON *p;

	if (now < c->progress_ms)
		return;
	c->progress_ms = now + PROGRESS_MS;
	if (c->token == NULL)
		return;
	p = json_object();
	rpc_echo(p, "progressToken", c->token);
	json_add_int(p, "progress", (now - c->start_ms) / 1000);
	json_add_str(p, "message", "waiting for a human in `sandbox watch`");
	rpc_note(&m->f.out, "notifications/progress", p);
}

/* True: it has its response. */
static bool
look(struct mcp *m, struct mcp_call *c)
{
	int64_t now = clock_boot_ms();

	switch (await_wait(m->place->bell, c->i.id, 0, -1)) {
	case AWAIT_ANSWER:
		answer(m, c);
		return true;
	case AWAIT_OVER:
		over(m, c);
		return true;
	case AWAIT_DEADLINE:
	case AWAIT_FD:
		break;
	}
	if (now >= c->last_ms || (now >= c->alone_ms &&
	    !inquiry_attended(&m->place->home, m->place->q, c->i.id))) {
		respond(m, c, mcp_say_pending(c->i.id,
		    m->place->home.root_path));
		return true;
	}
	if (now >= c->alone_ms)
		c->alone_ms = c->last_ms;
	progress(m, c, now);
	return false;
}

void
mcp_look(struct mcp *m)
{
	struct mcp_call **at = &m->calls;

	if (m->place != NULL)
		await_hush(m->place->bell);
	while (*at != NULL)
		if (look(m, *at))
			drop(m, at);
		else
			at = &(*at)->next;
}

int
mcp_wait_ms(const struct mcp *m)
{
	int64_t now = clock_boot_ms(), next = INT64_MAX;
	int most;

	if (m->calls == NULL)
		return -1;
	await_fd(m->place->bell, &most);
	for (const struct mcp_call *c = m->calls; c != NULL; c = c->next) {
		next = c->alone_ms < next ? c->alone_ms : next;
		next = c->progress_ms < next ? c->progress_ms : next;
	}
	return next <= now ? 0 : next - now < most ? (int)(next - now) : most;
}

/* A run that has begun goes on; its answer can be collected later. */
static void
forget(struct mcp *m, struct mcp_call **at)
{
	if ((*at)->i.ticket.owner)
		queue_withdraw(m->place->q, &(*at)->i.ticket, NULL);
	drop(m, at);
}

void
mcp_call_cancel(struct mcp *m, const cJSON *id)
{
	for (struct mcp_call **at = &m->calls; *at != NULL;
	    at = &(*at)->next)
		if (cJSON_Compare((*at)->id, id, true)) {
			forget(m, at);
			return;
		}
}

void
mcp_end(struct mcp *m)
{
	while (m->calls != NULL)
		forget(m, &m->calls);
	if (m->place != NULL) {
		await_free(m->place->bell);
		queue_free(m->place->q);
		home_close(&m->place->home);
		free(m->place);
	}
	frames_clear(&m->f);
}
