/*
 * The five tools: what they take, and what becomes of it.  The models read
 * templates/mcp_tools.json; a test compares its schemas with these tables.
 */
#include "hooks/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define REASON_BYTES	4096
#define URL_BYTES	8192
#define WAIT_MAX_S	3600

typedef void tool_fn(struct mcp *, const struct rpc *, const cJSON *arguments);

/* The project's root, unless the call names another directory. */
static char *
directory(const struct mcp *m, const cJSON *arguments)
{
	const char *cwd = json_str(arguments, "cwd");
	const char *root = m->place->home.root_path;

	if (cwd == NULL || cwd[0] == '\0')
		return xstrdup(root);
	return cwd[0] == '/' ? xstrdup(cwd) : xasprintf("%s/%s", root, cwd);
}

/* A call of `tool` with these texts of its arguments. */
static void
ask(struct mcp *m, const struct rpc *r, const cJSON *arguments,
    const char *tool, const char *const pairs[])
{
	struct mcp_call *c;
	struct err e = { 0 };

	if (mcp_place_open(m, &e) == -1) {
		rpc_result(&m->f.out, r->id, r->modern, false,
		    mcp_say_error(e.text));
		return;
	}
	c = mcp_call_new(m, r);
	c->tool = xstrdup(tool);
	c->cwd = directory(m, arguments);
	c->input = json_object();
	for (size_t i = 0; pairs[i] != NULL; i += 2)
		json_add_str(c->input, pairs[i],
		    json_str(arguments, pairs[i + 1]));
	free(c->says);
	c->says = xstrdup(json_str(arguments, "reason"));
	mcp_call_ask(m, c);
}

static void
run_privileged(struct mcp *m, const struct rpc *r, const cJSON *arguments)
{
	static const char *const pairs[] = { "command", "command", NULL };

	ask(m, r, arguments, "Bash", pairs);
}

static void
fetch_url(struct mcp *m, const struct rpc *r, const cJSON *arguments)
{
	static const char *const pairs[] = { "url", "url", NULL };

	ask(m, r, arguments, "fetch_url", pairs);
}

static void
refuse(struct mcp *m, const struct rpc *r, const char *why)
{
	cJSON *facts = json_object();

	json_add_str(facts, "message", why);
	rpc_result(&m->f.out, r->id, r->modern, false, mcp_say("error", why,
	    facts));
}

static void
request_path_access(struct mcp *m, const struct rpc *r,
    const cJSON *arguments)
{
	static const char *const read[] = { "file_path", "path", NULL };
	static const char *const write[] = { "file_path", "path",
	    "content", "content", NULL };
	const char *mode = json_str(arguments, "mode");
	bool has_content = json_get(arguments, "content") != NULL;

	if (strcmp(mode, "read") == 0 && !has_content)
		ask(m, r, arguments, "path_read", read);
	else if (strcmp(mode, "write") == 0 && has_content)
		ask(m, r, arguments, "path_write", write);
	else
		refuse(m, r, "'mode' is \"read\", or \"write\" with the "
		    "whole new 'content' of the file");
}

static void
check_request(struct mcp *m, const struct rpc *r, const cJSON *arguments)
{
	struct mcp_call *c = mcp_call_new(m, r);
	int patience = mcp_patience_s(c->client);
	int64_t s = json_int(arguments, "wait_seconds", 0);

	mcp_call_read(m, c, json_str(arguments, "request_id"),
	    s < patience ? (int)s : patience);
}

static void
sandbox_status(struct mcp *m, const struct rpc *r, const cJSON *arguments)
{
	(void)arguments;
	rpc_result(&m->f.out, r->id, r->modern, false, mcp_say_status(m, r));
}

static const struct json_field run_fields[] = {
	{ "command", JSON_STRING, true, BLOB_MAX },
	{ "reason", JSON_STRING, true, REASON_BYTES },
	{ "cwd", JSON_STRING, false, 4095 },
};
static const struct json_field path_fields[] = {
	{ "path", JSON_STRING, true, 4095 },
	{ "mode", JSON_STRING, true, 8 },
	{ "reason", JSON_STRING, true, REASON_BYTES },
	{ "content", JSON_STRING, false, BLOB_MAX },
};
static const struct json_field url_fields[] = {
	{ "url", JSON_STRING, true, URL_BYTES },
	{ "reason", JSON_STRING, true, REASON_BYTES },
};
static const struct json_field check_fields[] = {
	{ "request_id", JSON_STRING, true, 64 },
	{ "wait_seconds", JSON_INT, false, 0 },
};

#define FIELDS(table) table, ARRAY_LEN(table)

static const struct tool {
	const char		*name;
	const struct json_field	*fields;
	size_t			 n_fields;
	tool_fn			*fn;
} tools[] = {
	{ "run_privileged", FIELDS(run_fields), run_privileged },
	{ "request_path_access", FIELDS(path_fields), request_path_access },
	{ "fetch_url", FIELDS(url_fields), fetch_url },
	{ "check_request", FIELDS(check_fields), check_request },
	{ "sandbox_status", NULL, 0, sandbox_status },
};

static int
check_arguments(const struct tool *t, const cJSON *arguments, struct err *e)
{
	if (json_check(arguments, t->fields, t->n_fields, true, e) == -1)
		return -1;
	for (size_t i = 0; i < t->n_fields; i++) {
		const char *text = json_str(arguments, t->fields[i].name);

		if (t->fields[i].needed && text != NULL && text[0] == '\0')
			return err_set(e, ERR_FORMAT, "'%s' is empty",
			    t->fields[i].name);
	}
	if (json_int(arguments, "wait_seconds", 0) > WAIT_MAX_S)
		return err_set(e, ERR_FORMAT, "'wait_seconds' is above %d",
		    WAIT_MAX_S);
	return 0;
}

void
mcp_tool(struct mcp *m, const struct rpc *r, const char *name,
    const cJSON *arguments)
{
	auto_json cJSON *none = json_object();
	struct err e;

	if (arguments == NULL)
		arguments = none;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		if (strcmp(tools[i].name, name) != 0)
			continue;
		/* What a model got wrong it can mend: a result, no error. */
		if (check_arguments(&tools[i], arguments, &e) == -1)
			refuse(m, r, e.text);
		else
			tools[i].fn(m, r, arguments);
		return;
	}
	rpc_error(&m->f.out, r->id, RPC_PARAMS, "Unknown tool", NULL);
}
