/*
 * Tasks: a call that answers with a handle, for clients that said they can
 * poll.  2026-07-28 has them as an extension, 2025-11-25 in its core; the two
 * differ in names and in how the result is fetched.
 */
#include "hooks/mcp/mcp.h"

#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define TASKS		RPC_PREFIX "tasks"
#define POLL_MS		2000
#define RESULT_WAIT_S	86000	/* of tasks/result, which has to block */

bool
mcp_task_wanted(const struct mcp *m, const struct rpc *r)
{
	const cJSON *capabilities = json_get(r->meta,
	    RPC_PREFIX "clientCapabilities");

	if (!r->modern)
		return m->tasks && cJSON_IsObject(json_get(r->params, "task"));
	return cJSON_IsObject(json_get(json_get(capabilities, "extensions"),
	    TASKS));
}

/* The fields of a task, in the era's names. */
static void
describe(cJSON *o, const struct request *req, const char *status, bool modern)
{
	char created[21], now[21];
	struct clock c = { .wall_ms = req->created_wall_ms };

	clock_format(req->created_wall_ms, created);
	clock_now(&c, NULL);
	clock_format(c.wall_ms, now);
	json_add_str(o, "taskId", req->id);
	json_add_str(o, "status", status);
	if (strcmp(status, "working") == 0)
		json_add_str(o, "statusMessage",
		    "waiting for a human in `sandbox watch`");
	json_add_str(o, "createdAt", created);
	json_add_str(o, "lastUpdatedAt", now);
	json_add_int(o, modern ? "ttlMs" : "ttl", req->ttl_s * 1000);
	json_add_int(o, modern ? "pollIntervalMs" : "pollInterval", POLL_MS);
}

cJSON *
mcp_task_handle(const struct mcp_call *c)
{
	cJSON *o = json_object(), *task;

	if (c->modern) {
		json_add_str(o, "resultType", "task");
		describe(o, &c->i.req, "working", true);
		return o;
	}
	task = json_object();
	describe(task, &c->i.req, "working", false);
	json_add(o, "task", task);
	return o;
}

void
mcp_task_relate(const struct mcp_call *c, cJSON *result)
{
	cJSON *meta = json_object(), *task = json_object();

	json_add_str(task, "taskId", c->i.id);
	json_add(meta, RPC_PREFIX "related-task", task);
	json_add(result, "_meta", meta);
}

/* The task a request names, as a call that reads it; NULL: told. */
static struct mcp_call *
find(struct mcp *m, const struct rpc *r)
{
	const char *id = json_str(r->params, "taskId");
	enum entry_state where;
	struct mcp_call *c;
	struct err e = { 0 };
	bool waiter;

	if (id == NULL || mcp_place_open(m, &e) == -1) {
		rpc_error(&m->f.out, r->id, RPC_PARAMS, id == NULL ?
		    "taskId is required" : e.text, NULL);
		return NULL;
	}
	c = mcp_call_new(m, r);
	c->reader = true;
	c->task = false;
	if (queue_read(m->place->q, id, &c->i.req, &where, &waiter, &e) == 0) {
		memcpy(c->i.id, c->i.req.id, sizeof c->i.id);
		return c;
	}
	rpc_error(&m->f.out, r->id, RPC_PARAMS, "there is no such task", NULL);
	mcp_call_free(c);
	return NULL;
}

static const char *
status_of(const struct mcp *m, const struct mcp_call *c)
{
	switch (await_wait(m->place->bell, c->i.id, 0, -1)) {
	case AWAIT_ANSWER:
		return "completed";
	case AWAIT_OVER:
		return "cancelled";
	case AWAIT_DEADLINE:
	case AWAIT_FD:
		break;
	}
	return "working";
}

void
mcp_task_get(struct mcp *m, const struct rpc *r)
{
	struct mcp_call *c = find(m, r);
	const char *status;
	cJSON *o;

	if (c == NULL)
		return;
	o = json_object();
	status = status_of(m, c);
	describe(o, &c->i.req, status, r->modern);
	if (r->modern && strcmp(status, "completed") == 0)
		json_add(o, "result", mcp_call_result(m, c));
	rpc_result(&m->f.out, r->id, r->modern, false, o);
	mcp_call_free(c);
}

void
mcp_task_result(struct mcp *m, const struct rpc *r)
{
	struct mcp_call *c = find(m, r);

	if (c == NULL)
		return;
	c->related = true;
	mcp_wait_begin(m, c, RESULT_WAIT_S, RESULT_WAIT_S);
}

/* We never ask a task anything, so there is nothing to take. */
void
mcp_task_update(struct mcp *m, const struct rpc *r)
{
	struct mcp_call *c = find(m, r);

	if (c != NULL)
		rpc_result(&m->f.out, r->id, r->modern, false, json_object());
	mcp_call_free(c);
}

/* Only what this session asked; what a human already holds goes on. */
void
mcp_task_cancel(struct mcp *m, const struct rpc *r)
{
	struct mcp_call *c = find(m, r);
	struct ticket ticket = { .fd = -1, .owner = true };
	const char *status;
	cJSON *o;

	if (c == NULL)
		return;
	memcpy(ticket.id, c->i.id, sizeof ticket.id);
	if (str_eq(c->i.req.session, m->session))
		queue_withdraw(m->place->q, &ticket, NULL);
	status = status_of(m, c);
	o = json_object();
	if (r->modern || strcmp(status, "cancelled") == 0) {
		if (!r->modern)
			describe(o, &c->i.req, status, false);
		rpc_result(&m->f.out, r->id, r->modern, false, o);
	} else {
		json_free(o);
		rpc_error(&m->f.out, r->id, RPC_PARAMS,
		    "the task can no longer be cancelled", NULL);
	}
	mcp_call_free(c);
}
