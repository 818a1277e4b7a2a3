/* The methods, and the state behind them. */
#include "hooks/mcp/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/proc.h"
#include "templates/templates.h"

#include "common/banned.h"

#define LIST_MAX	65536
#define PATIENCE_S	45	/* most clients give up after 60 */

typedef void method_fn(struct mcp *, const struct rpc *);

/* --- who speaks ---------------------------------------------------------- */

/*
 * The names clients give themselves, what we call them, and how long they were
 * seen to wait for a tool (docs/CONNECTOR.md).
 */
static const struct client {
	const char	*told, *name;
	int		 patience_s;
} clients[] = {
	{ "claude-code", "claude", 1500 },
	{ "codex-mcp-client", "codex", 270 },
	{ "gemini-cli-mcp-client", "gemini", PATIENCE_S },
};

static bool
name_is_plain(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= MCP_NAME_MAX && strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "._-") == n;
}

const char *
mcp_client(const struct mcp *m, const struct rpc *r,
    char ret[static MCP_NAME_MAX + 1])
{
	const char *told = json_str(json_get(r->meta,
	    RPC_PREFIX "clientInfo"), "name");

	if (told == NULL)
		told = m->client;
	if (!name_is_plain(told))
		told = "mcp";
	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		if (strcmp(clients[i].told, told) == 0)
			told = clients[i].name;
	snprintf(ret, MCP_NAME_MAX + 1, "%s", told);
	return ret;
}

int
mcp_patience_s(const char *client)
{
	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		if (strcmp(clients[i].name, client) == 0)
			return clients[i].patience_s;
	return PATIENCE_S;
}

/* --- the project --------------------------------------------------------- */

static void
place_close(struct mcp *m)
{
	await_free(m->place->bell);
	queue_free(m->place->q);
	home_close(&m->place->home);
	free(m->place);
	m->place = NULL;
}

/* `uninstall` and `init` while we run: the old folder is nobody's. */
static bool
place_is_stale(const struct mcp *m, const struct home *now)
{
	struct stat a, b;

	return fstat(m->place->home.bus, &a) == -1 ||
	    fstat(now->bus, &b) == -1 || a.st_ino != b.st_ino ||
	    a.st_dev != b.st_dev;
}

int
mcp_place_open(struct mcp *m, struct err *e)
{
	const struct queue_limits none = { 0 };
	auto_home struct home now = HOME_INIT;

	if (home_find(m->args.dir, m->args.base, &now, e) != 0)
		return -1;
	if (m->place != NULL && m->calls == NULL && place_is_stale(m, &now))
		place_close(m);
	if (m->place != NULL)
		return 0;
	m->place = xcalloc(1, sizeof *m->place);
	m->place->home = now;
	now = (struct home)HOME_INIT;
	if (queue_open(&m->place->home, &none, &m->place->q, e) == -1) {
		place_close(m);
		return -1;
	}
	m->place->bell = await_open(m->place->q);
	return 0;
}

int
mcp_door_open(struct mcp *m, const char *client, const char *cwd,
    struct mcp_door *ret, struct err *e)
{
	struct queue_limits limits;

	if (mcp_place_open(m, e) == -1)
		return -1;
	*ret = (struct mcp_door){ .args = { .client = client,
	    .event = "tools/call", .root = m->place->home.root_path,
	    .state = m->place->home.priv_path,
	    .client_pid = m->args.client_pid, .locale = m->args.locale,
	    .origin = "mcp" } };
	if (gate_open(&ret->args, NULL, cwd, &ret->g, e) != 0)
		return -1;
	limits = inquiry_limits(ret->g.policy);
	if (queue_open(&ret->g.home, &limits, &ret->q, e) == 0)
		return 0;
	gate_close(&ret->g);
	return -1;
}

void
mcp_door_close(struct mcp_door *d)
{
	queue_free(d->q);
	gate_close(&d->g);
}

/* --- methods ------------------------------------------------------------- */

static const char instructions[] =
    "This project is gated by sandbox: a human approves what is privileged "
    "and executes it outside the agent. Use run_privileged for a command that "
    "your own tools may not run, request_path_access for a file outside the "
    "project, fetch_url for a page; say plainly in `reason` what it is for. A "
    "result with status `done` was executed exactly once: do not repeat it. "
    "`denied`: do not look for another way. `pending`: call check_request "
    "later, with the same request_id.";

/* Tasks are an extension in the new era and core in the last of the old. */
static cJSON *
capabilities(bool modern, bool tasks)
{
	cJSON *all = json_object(), *more = json_object();
	cJSON *requests, *tools;

	json_add(all, "tools", json_object());
	if (modern) {
		json_add(more, RPC_PREFIX "tasks", json_object());
		json_add(all, "extensions", more);
	} else if (tasks) {
		requests = json_object();
		tools = json_object();
		json_add(tools, "call", json_object());
		json_add(requests, "tools", tools);
		json_add(more, "cancel", json_object());
		json_add(more, "requests", requests);
		json_add(all, "tasks", more);
	} else {
		json_free(more);
	}
	return all;
}

static void
initialize(struct mcp *m, const struct rpc *r)
{
	static const char *const known[] = { "2025-11-25", "2025-06-18",
	    "2025-03-26", "2024-11-05" };
	const char *wanted = json_str(r->params, "protocolVersion");
	const char *name = json_str(json_get(r->params, "clientInfo"), "name");
	const char *version = known[0];
	cJSON *result;

	if (wanted == NULL) {
		rpc_error(&m->f.out, r->id, RPC_PARAMS,
		    "protocolVersion is required", NULL);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i], wanted) == 0)
			version = known[i];
	snprintf(m->client, sizeof m->client, "%s", name != NULL &&
	    name_is_plain(name) ? name : "mcp");
	result = json_object();
	m->tasks = version == known[0];
	json_add_str(result, "protocolVersion", version);
	json_add(result, "capabilities", capabilities(false, m->tasks));
	json_add(result, "serverInfo", rpc_server_info());
	json_add_str(result, "instructions", instructions);
	rpc_result(&m->f.out, r->id, false, false, result);
}

static void
discover(struct mcp *m, const struct rpc *r)
{
	cJSON *result = json_object(), *versions = json_array();

	json_push_str(versions, RPC_MODERN);
	json_add(result, "supportedVersions", versions);
	json_add(result, "capabilities", capabilities(true, true));
	json_add_str(result, "instructions", instructions);
	rpc_result(&m->f.out, r->id, true, true, result);
}

static void
ping(struct mcp *m, const struct rpc *r)
{
	rpc_result(&m->f.out, r->id, false, false, json_object());
}

/* The template, on one line. */
static void
make_list(struct str *ret)
{
	const char *text = template_mcp_tools_json;
	auto_json cJSON *tools = NULL;

	if (json_parse(text, strlen(text), JSON_DEPTH, &tools, NULL) == -1)
		BUG("templates/mcp_tools.json");
	json_print(tools, ret);
}

static void
tools_list(struct mcp *m, const struct rpc *r)
{
	cJSON *result = json_object();

	if (m->list.len == 0)
		make_list(&m->list);
	json_add(result, "tools", cJSON_CreateRaw(m->list.s));
	rpc_result(&m->f.out, r->id, r->modern, true, result);
}

static bool
is_in_use(const struct mcp *m, const cJSON *id)
{
	for (const struct mcp_call *c = m->calls; c != NULL; c = c->next)
		if (!c->task && cJSON_Compare(c->id, id, true))
			return true;
	return false;
}

static void
tools_call(struct mcp *m, const struct rpc *r)
{
	const char *name = json_str(r->params, "name");
	const cJSON *arguments = json_get(r->params, "arguments");

	if (name == NULL || (arguments != NULL &&
	    !cJSON_IsObject(arguments)))
		rpc_error(&m->f.out, r->id, RPC_PARAMS, "a call has a name "
		    "and, if anything, an object of arguments", NULL);
	else if (is_in_use(m, r->id))
		rpc_error(&m->f.out, r->id, RPC_REQUEST,
		    "this id belongs to a call that still waits", NULL);
	else
		mcp_tool(m, r, name, arguments);
}

static void
cancelled(struct mcp *m, const struct rpc *r)
{
	const cJSON *id = json_get(r->params, "requestId");

	if (id != NULL)
		mcp_call_cancel(m, id);
}

enum era { LEGACY = 1, MODERN = 2, BOTH = 3 };

static const struct method {
	const char	*name;
	enum rpc_kind	 kind;
	enum era	 era;
	method_fn	*fn;
} methods[] = {
	{ "initialize", RPC_CALL, LEGACY, initialize },
	{ "server/discover", RPC_CALL, MODERN, discover },
	{ "ping", RPC_CALL, LEGACY, ping },
	{ "tools/list", RPC_CALL, BOTH, tools_list },
	{ "tools/call", RPC_CALL, BOTH, tools_call },
	{ "tasks/get", RPC_CALL, BOTH, mcp_task_get },
	{ "tasks/result", RPC_CALL, LEGACY, mcp_task_result },
	{ "tasks/update", RPC_CALL, MODERN, mcp_task_update },
	{ "tasks/cancel", RPC_CALL, BOTH, mcp_task_cancel },
	{ "notifications/cancelled", RPC_NOTE, BOTH, cancelled },
};

static void
dispatch(struct mcp *m, const struct rpc *r)
{
	enum era era = r->kind == RPC_NOTE ? BOTH :
	    r->modern ? MODERN : LEGACY;

	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (methods[i].kind == r->kind &&
		    (methods[i].era & era) != 0 &&
		    strcmp(methods[i].name, r->method) == 0) {
			methods[i].fn(m, r);
			return;
		}
	if (r->kind == RPC_CALL)
		rpc_error(&m->f.out, r->id, RPC_METHOD, "Method not found",
		    NULL);
}

static void
refuse(struct mcp *m, const struct rpc *r)
{
	cJSON *data = NULL, *versions;

	if (r->code == RPC_VERSION) {
		data = json_object();
		versions = json_array();
		json_push_str(versions, RPC_MODERN);
		json_add(data, "supported", versions);
		json_add_str(data, "requested", json_str(r->meta,
		    RPC_PREFIX "protocolVersion"));
	}
	rpc_error(&m->f.out, r->id, r->code, r->why.text, data);
}

void
mcp_line(void *arg, const char *line, size_t len)
{
	auto_json cJSON *tree = NULL;
	struct mcp *m = arg;
	struct rpc r;

	rpc_read(line, len, &tree, &r);
	if (r.kind == RPC_BAD)
		refuse(m, &r);
	else if (r.kind != RPC_IGNORE)
		dispatch(m, &r);
}

void
mcp_init(struct mcp *m, const struct mcp_args *args)
{
	struct proc_id me = { .pid = getpid() };

	*m = (struct mcp){ .args = *args };
	frames_init(&m->f);
	str_init(&m->list, LIST_MAX);
	/* One that lasts as long as we do, and no other process will have. */
	proc_read(getpid(), &me, NULL, NULL);
	if (args->session != NULL && strlen(args->session) < sizeof m->session)
		snprintf(m->session, sizeof m->session, "%s", args->session);
	else
		snprintf(m->session, sizeof m->session, "mcp-%d-%llu",
		    (int)me.pid, me.start);
}
