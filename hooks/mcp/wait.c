/*
 * Calls that wait: answered when a human has decided, when the client's
 * patience is over, or never, when nobody wants it any more.
 */
#include "hooks/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define PROGRESS_MS	5000

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

void
mcp_wait_begin(struct mcp *m, struct mcp_call *c, int alone_s, int last_s)
{
	int64_t now = clock_boot_ms();

	keep(m, c);
	c->last_ms = c->alone_ms = c->progress_ms = INT64_MAX;
	/* A task has its response: it only keeps the sign of life. */
	if (c->task)
		return;
	c->last_ms = now + (int64_t)last_s * 1000;
	c->alone_ms = alone_s < last_s ? now + (int64_t)alone_s * 1000 :
	    c->last_ms;
	c->progress_ms = now + PROGRESS_MS;
}

static void
respond(struct mcp *m, struct mcp_call *c, cJSON *result)
{
	if (c->task) {
		json_free(result);
		return;
	}
	if (c->related)
		mcp_task_relate(c, result);
	rpc_result(&m->f.out, c->id, c->modern, false, result);
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
		if (!c->task)
			respond(m, c, mcp_call_result(m, c));
		return true;
	case AWAIT_OVER:
		respond(m, c, mcp_say_over(c->i.id));
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

	if (m->place == NULL)
		return;
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

/*
 * A run that has begun goes on; its answer can be collected later.  A task was
 * handed out to outlive us.
 */
static void
forget(struct mcp *m, struct mcp_call **at)
{
	if ((*at)->i.ticket.owner && !(*at)->task)
		queue_withdraw(m->place->q, &(*at)->i.ticket, NULL);
	drop(m, at);
}

void
mcp_call_cancel(struct mcp *m, const cJSON *id)
{
	for (struct mcp_call **at = &m->calls; *at != NULL;
	    at = &(*at)->next)
		if (!(*at)->task && cJSON_Compare((*at)->id, id, true)) {
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
	str_clear(&m->list);
	frames_clear(&m->f);
}
