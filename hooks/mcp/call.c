/*
 * A call: judged and asked; its answer believed.  wait.c is what lies between.
 */
#include "hooks/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mem.h"

#include "common/banned.h"

struct mcp_call *
mcp_call_new(const struct mcp *m, const struct rpc *r)
{
	const cJSON *token = json_get(r->meta, "progressToken");
	const char *use = json_str(r->meta, "claudecode/toolUseId");
	struct mcp_call *c = xcalloc(1, sizeof *c);
	char name[MCP_NAME_MAX + 1];
	double any;

	*c = (struct mcp_call){ .i = INQUIRY_INIT, .modern = r->modern,
	    .task = mcp_task_wanted(m, r) };
	c->id = cJSON_Duplicate(r->id, true);
	if (cJSON_IsString(token) || json_number(token, &any))
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

/*
 * Longer than a hook waits where nobody watches makes no sense here either;
 * never longer than the client will listen.
 */
static void
begin_waiting(struct mcp *m, struct mcp_call *c, const struct gate *g)
{
	const struct policy_limits *l = policy_limits(g->policy);
	int last = mcp_patience_s(c->client);

	mcp_wait_begin(m, c, l->wait_alone_s, last < l->wait_s ? last :
	    l->wait_s);
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
	if (c->task)
		respond(m, c, mcp_task_handle(c));
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
	c->task = false;
	request_clear(&c->i.req);
	if (m->n_calls >= MCP_CALLS_MAX)
		err_set(&e, ERR_PERMITTED, "too many calls wait already");
	else if (mcp_place_open(m, &e) == 0 &&
	    queue_read(m->place->q, id, &c->i.req, &where, &waiter, &e) == 0) {
		memcpy(c->i.id, c->i.req.id, sizeof c->i.id);
		mcp_wait_begin(m, c, seconds, seconds);
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

cJSON *
mcp_call_result(struct mcp *m, struct mcp_call *c)
{
	struct collected got;
	struct mcp_door d;
	struct err e = { 0 };
	cJSON *result;

	if (mcp_door_open(m, c->client, m->place->home.root_path, &d, &e) ==
	    -1)
		return mcp_say_error(e.text);
	collected_init(&got);
	if (take(m, c, &d, &got, &e) == 0) {
		result = mcp_say_answer(&d.g, &c->i, &got);
	} else {
		result = mcp_say_error(e.text);
		/* A forged answer must not leave its question behind it. */
		if (c->i.ticket.owner)
			queue_withdraw(d.q, &c->i.ticket, NULL);
	}
	collected_clear(&got);
	mcp_door_close(&d);
	return result;
}
