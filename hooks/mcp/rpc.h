/*
 * hooks/mcp/rpc.h - JSON-RPC 2.0 as MCP uses it, in both of its eras.
 *
 * A message is judged as a whole before any method sees it: strict JSON
 * (common/json.h), one object, no batch, an id that is a text or a whole
 * number.  Which era a request belongs to is said by the request itself: one
 * that names a protocol version in its _meta (2026-07-28) carries all that
 * earlier versions agreed on once, in `initialize`.
 */
#ifndef HOOKS_MCP_RPC_H
#define HOOKS_MCP_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/json.h"
#include "common/str.h"

#define RPC_MODERN	"2026-07-28"
#define RPC_PREFIX	"io.modelcontextprotocol/"

enum rpc_error {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_VERSION = -32022
};

enum rpc_kind {
	RPC_IGNORE = 0,		/* a response, or a note of no meaning */
	RPC_CALL,		/* wants a response */
	RPC_NOTE,		/* a notification */
	RPC_BAD			/* `code` and `why` are the response */
};

/* Borrowed from the message, but for nothing. */
struct rpc {
	enum rpc_kind	 kind;
	bool		 modern;
	const cJSON	*id;		/* NULL: none that could be used */
	const char	*method;
	const cJSON	*params;	/* an object, or NULL */
	const cJSON	*meta;		/* params._meta, or NULL */
	int		 code;
	struct err	 why;
};

/*
 * Read one line.  The tree it lives in goes to ret_tree, which the caller
 * frees; it may be NULL.
 */
void	rpc_read(const char *line, size_t len, cJSON **ret_tree,
	    struct rpc *ret);

/*
 * Responses, appended as one line.  `result` is owned; `cacheable`: a modern
 * client may keep it.  `data` is owned or NULL.
 */
void	rpc_result(struct str *, const cJSON *id, bool modern, bool cacheable,
	    cJSON *result);
void	rpc_error(struct str *, const cJSON *id, int code, const char *text,
	    cJSON *data);
void	rpc_note(struct str *, const char *method, cJSON *params);

/* A client's id or token, as it was; NULL becomes null. */
void	rpc_echo(cJSON *, const char *name, const cJSON *);

/* {name, title, version} of ourselves. */
cJSON  *rpc_server_info(void);

#endif
