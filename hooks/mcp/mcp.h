/*
 * hooks/mcp/mcp.h - the other door to the gate: an MCP server on stdio, for
 * agents whose client has no hooks, or whose model should be able to ask.
 *
 *	mcp_init(...)
 *	mcp_line(m, line, len)		for every line that came
 *	mcp_look(m)			after every ring and every mcp_wait_ms
 *	write what frames_left() has	any time
 *	mcp_end(m)			the client is gone
 *
 * Nothing is opened, written or noted before the first tool is called: clients
 * start a server only to ask what it offers.  No tool approves anything, and
 * nothing here can start a program or reach a network: a call becomes a
 * request in the queue, exactly as a hook's does, and what comes back was
 * signed by an approver.
 *
 * One thread, one client, any number of calls that wait at once.
 * docs/CONNECTOR.md has what is promised to clients.
 */
#ifndef HOOKS_MCP_MCP_H
#define HOOKS_MCP_MCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "hooks/inquiry.h"
#include "hooks/mcp/frame.h"
#include "hooks/mcp/rpc.h"

#define MCP_CALLS_MAX	256	/* at once */
#define MCP_NAME_MAX	64	/* of a client's name */

/* How we were started. */
struct mcp_args {
	const char	*dir;		/* somewhere in the project */
	const char	*base;		/* where private directories lie */
	const char	*session;	/* the client's own, or NULL */
	const char	*locale;
	int		 client_pid;
};

/* Where the project is; opened at the first call. */
struct mcp_place {
	struct home	 home;
	struct queue	*q;		/* for looking, never for asking */
	struct await	*bell;
};

/* A tools/call that has no response yet. */
struct mcp_call {
	struct mcp_call	*next;
	cJSON		*id, *token;	/* token: NULL, no progress wanted */
	bool		 modern;
	bool		 reader;	/* check_request: it asked nothing */
	bool		 task;		/* its response was a handle */
	bool		 related;	/* tasks/result: say which task */
	struct inquiry	 i;
	cJSON		*input;		/* NULL: the request's own */
	char		*tool, *cwd, *client, *tool_use_id, *says;
	int64_t		 start_ms, alone_ms, last_ms;	/* boot time */
	int64_t		 progress_ms;
};

struct mcp {
	struct mcp_args	 args;
	struct frames	 f;
	char		 session[256];
	char		 client[MCP_NAME_MAX + 1];	/* "" until told */
	struct mcp_place *place;
	struct mcp_call	*calls;
	size_t		 n_calls;
	struct str	 list;		/* of tools, once it was asked for */
	bool		 tasks;		/* the legacy version has them */
};

void	mcp_init(struct mcp *, const struct mcp_args *);
void	mcp_line(void *mcp, const char *line, size_t len);
void	mcp_look(struct mcp *);
/* How long nothing will have to be looked at; -1: until something comes. */
int	mcp_wait_ms(const struct mcp *);
/* Take back what waits; free everything. */
void	mcp_end(struct mcp *);

/* --- used by the files of this room --- */

/* Who speaks, in our words: "claude" for Claude Code. */
const char *mcp_client(const struct mcp *, const struct rpc *,
	    char ret[static MCP_NAME_MAX + 1]);
/* How long that client's patience lets a call wait, in seconds. */
int	mcp_patience_s(const char *client);

/* ERR_SETUP: there is no project of ours. */
int	mcp_place_open(struct mcp *, struct err *);

/* A gate for one step, with a queue that has its limits. */
struct mcp_door {
	struct gate_args args;
	struct gate	 g;
	struct queue	*q;
};
int	mcp_door_open(struct mcp *, const char *client, const char *cwd,
	    struct mcp_door *ret, struct err *);
void	mcp_door_close(struct mcp_door *);

/* tools.c: run one; the response comes now or later. */
void	mcp_tool(struct mcp *, const struct rpc *, const char *name,
	    const cJSON *arguments);

/* call.c: a call to be judged and asked; takes what it is handed. */
struct mcp_call *mcp_call_new(const struct mcp *, const struct rpc *);
void	mcp_call_free(struct mcp_call *);
void	mcp_call_ask(struct mcp *, struct mcp_call *);
/* Wait for a request that is there already, at most `seconds`. */
void	mcp_call_read(struct mcp *, struct mcp_call *, const char *id,
	    int seconds);
/* What the answer that is there comes to. */
cJSON  *mcp_call_result(struct mcp *, struct mcp_call *);

/* wait.c: until there is an answer, at most so long; takes the call. */
void	mcp_wait_begin(struct mcp *, struct mcp_call *, int alone_s,
	    int last_s);
/* notifications/cancelled */
void	mcp_call_cancel(struct mcp *, const cJSON *id);

/* say.c: what a tool call came to, as a CallToolResult; the caller owns it. */
cJSON  *mcp_say(const char *status, const char *text, cJSON *facts);
cJSON  *mcp_say_error(const char *what);
cJSON  *mcp_say_denied(const struct verdict *);
cJSON  *mcp_say_over(const char *id);
cJSON  *mcp_say_pending(const char *id, const char *root);
cJSON  *mcp_say_answer(const struct gate *, const struct inquiry *,
	    const struct collected *);

/*
 * tasks.c: a request as a task.  Its id is the request's, so that any server
 * of the project knows it, also after a restart.
 */
bool	mcp_task_wanted(const struct mcp *, const struct rpc *);
cJSON  *mcp_task_handle(const struct mcp_call *);
/* Say in a result's _meta whose it is. */
void	mcp_task_relate(const struct mcp_call *, cJSON *result);
void	mcp_task_get(struct mcp *, const struct rpc *);
void	mcp_task_result(struct mcp *, const struct rpc *);
void	mcp_task_update(struct mcp *, const struct rpc *);
void	mcp_task_cancel(struct mcp *, const struct rpc *);

/* status.c */
cJSON  *mcp_say_status(struct mcp *, const struct rpc *);

#endif
