#include "hooks/mcp/rpc.h"

#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define ID_TEXT_MAX	256
#define CACHE_MS	3600000
#define SAFE_INT	9007199254740991.0

/* What a double cannot hold would come back as another number. */
static bool
is_whole(const cJSON *v)
{
	double d;

	return json_number(v, &d) && d >= -SAFE_INT && d <= SAFE_INT &&
	    d == (double)(int64_t)d;
}

static bool
id_is_good(const cJSON *id)
{
	if (cJSON_IsString(id))
		return strlen(id->valuestring) <= ID_TEXT_MAX;
	return is_whole(id);
}

static void
refuse(struct rpc *r, int code, const char *why)
{
	r->kind = RPC_BAD;
	r->code = code;
	err_set(&r->why, ERR_FORMAT, "%s", why);
}

/* The two things a request of the new era must say about itself. */
static void
check_modern(struct rpc *r)
{
	const char *version = json_str(r->meta,
	    RPC_PREFIX "protocolVersion");

	r->modern = version != NULL || str_eq(r->method, "server/discover");
	if (!r->modern)
		return;
	if (version == NULL ||
	    !cJSON_IsObject(json_get(r->meta, RPC_PREFIX "clientCapabilities")))
		refuse(r, RPC_PARAMS, "_meta needs '" RPC_PREFIX
		    "protocolVersion' and '" RPC_PREFIX "clientCapabilities'");
	else if (strcmp(version, RPC_MODERN) != 0)
		refuse(r, RPC_VERSION, "Unsupported protocol version");
}

static void
read_object(const cJSON *o, struct rpc *r)
{
	const cJSON *id = json_get(o, "id"), *params = json_get(o, "params");

	r->method = json_str(o, "method");
	if (r->method == NULL && json_get(o, "method") == NULL &&
	    (json_get(o, "result") != NULL || json_get(o, "error") != NULL))
		return;		/* an answer to a question we never asked */
	if (id != NULL && !id_is_good(id)) {
		refuse(r, RPC_REQUEST, "id must be a text or a whole number");
		return;
	}
	r->id = id;
	if (!str_eq(json_str(o, "jsonrpc"), "2.0")) {
		refuse(r, RPC_REQUEST, "jsonrpc must be \"2.0\"");
	} else if (r->method == NULL) {
		refuse(r, RPC_REQUEST, "method must be a text");
	} else if (params != NULL && !cJSON_IsObject(params)) {
		refuse(r, RPC_PARAMS, "params must be an object");
	} else {
		r->params = params;
		r->meta = json_get(params, "_meta");
		r->kind = id == NULL ? RPC_NOTE : RPC_CALL;
		if (r->meta != NULL && !cJSON_IsObject(r->meta))
			refuse(r, RPC_PARAMS, "_meta must be an object");
		else if (r->kind == RPC_CALL)
			check_modern(r);
	}
}

void
rpc_read(const char *line, size_t len, cJSON **ret_tree, struct rpc *ret)
{
	struct rpc r = { .kind = RPC_IGNORE };
	cJSON *tree = NULL;
	struct err e;

	if (line == NULL)
		refuse(&r, RPC_REQUEST, "the message is too long");
	else if (json_parse(line, len, JSON_DEPTH, &tree, &e) == -1)
		refuse(&r, RPC_PARSE, e.text);
	else if (!cJSON_IsObject(tree))
		refuse(&r, RPC_REQUEST, cJSON_IsArray(tree) ?
		    "a batch is not taken: one message a line" :
		    "a message is an object");
	else
		read_object(tree, &r);
	/* A notification is never answered, however wrong it is. */
	if (r.kind == RPC_BAD && cJSON_IsObject(tree) &&
	    json_get(tree, "id") == NULL && r.method != NULL)
		r.kind = RPC_IGNORE;
	*ret_tree = tree;
	*ret = r;
}

void
rpc_echo(cJSON *o, const char *name, const cJSON *v)
{
	json_add(o, name, v == NULL ? cJSON_CreateNull() :
	    cJSON_Duplicate(v, true));
}

static cJSON *
message(const cJSON *id)
{
	cJSON *o = json_object();

	json_add_str(o, "jsonrpc", "2.0");
	rpc_echo(o, "id", id);
	return o;
}

static void
put(struct str *out, cJSON *o)
{
	json_print(o, out);
	str_addc(out, '\n');
	json_free(o);
}

cJSON *
rpc_server_info(void)
{
	cJSON *info = json_object();

	json_add_str(info, "name", "sandbox");
	json_add_str(info, "title", "sandbox: a human approves");
	json_add_str(info, "version", SANDBOX_VERSION);
	return info;
}

void
rpc_result(struct str *out, const cJSON *id, bool modern, bool cacheable,
    cJSON *result)
{
	cJSON *o = message(id), *meta;

	if (modern && json_get(result, "resultType") == NULL)
		json_add_str(result, "resultType", "complete");
	if (modern && cacheable) {
		json_add_int(result, "ttlMs", CACHE_MS);
		json_add_str(result, "cacheScope", "public");
	}
	if (modern) {
		meta = json_object();
		json_add(meta, RPC_PREFIX "serverInfo", rpc_server_info());
		json_add(result, "_meta", meta);
	}
	json_add(o, "result", result);
	put(out, o);
}

void
rpc_error(struct str *out, const cJSON *id, int code, const char *text,
    cJSON *data)
{
	cJSON *o = message(id), *error = json_object();

	json_add(error, "code", cJSON_CreateNumber(code));
	json_add_str(error, "message", text);
	if (data != NULL)
		json_add(error, "data", data);
	json_add(o, "error", error);
	put(out, o);
}

void
rpc_note(struct str *out, const char *method, cJSON *params)
{
	cJSON *o = json_object();

	json_add_str(o, "jsonrpc", "2.0");
	json_add_str(o, "method", method);
	json_add(o, "params", params);
	put(out, o);
}
