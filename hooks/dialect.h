/*
 * hooks/dialect.h - what an agent's client says and what it understands.
 *
 * One file per client in dialect/, one table entry each.  A dialect turns the
 * client's hook input into a struct hook_input and our few kinds of answer
 * into exactly the bytes that client takes for them.  It never decides.
 *
 * Reading is strict where a misreading would matter: a missing or mistyped
 * field refuses the call.  Fields nobody here needs are left alone, because
 * clients add some with every version.
 */
#ifndef HOOKS_DIALECT_H
#define HOOKS_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/json.h"
#include "common/str.h"
#include "policy/call.h"

enum hook_kind {
	HOOK_NONE = 0,
	HOOK_BEFORE,		/* a tool is about to run */
	HOOK_AFTER,		/* it ran, or failed */
	HOOK_SESSION_START,
	HOOK_SESSION_END,
	HOOK_PROMPT,		/* a prompt is about to be sent */
	HOOK_CONFIG		/* a settings file changed */
};

/* Borrowed from the JSON it was read from. */
struct hook_input {
	const char	*event;		/* the client's name for it */
	enum hook_kind	 kind;
	struct call	 call;		/* tool and input: BEFORE and AFTER */
	const char	*tool_use_id;	/* "" when the client has none */
	const char	*reason;	/* what the agent says it is for; "" */
	bool		 failed;	/* AFTER: the tool failed */
	int64_t		 duration_ms;	/* AFTER: 0 when not told */
	const char	*source;	/* CONFIG, SESSION_*: why; "" */
	const char	*path;		/* CONFIG: the file; "" */
};

/* What goes back to the client: hooks/wire.h says what is possible. */
struct reply {
	int		 status;
	struct str	 out, err;
};
void	reply_init(struct reply *);
void	reply_clear(struct reply *);

struct dialect {
	const char	*name;

	/* How long a reason may be, in UTF-16 units, and stay whole. */
	size_t		 reason_units;

	/* What an event of this name is about; HOOK_NONE: there is none. */
	enum hook_kind (*kind)(const char *event);

	/* `event` comes from the registration; another one in the input is an
	 * error, because the answer's shape depends on it. */
	int	(*read)(const char *event, const cJSON *,
		    struct hook_input *ret, struct err *);

	/* The tool runs without the client asking its user as well. */
	void	(*allow)(const char *event, struct reply *);

	/*
	 * It does not run, the prompt is not sent, the change not taken; where
	 * nothing can be refused any more, somebody is told.
	 */
	void	(*refuse)(const char *event, const char *text,
		    struct reply *);

	/* Text for the model, where the event can carry one. */
	void	(*tell)(const char *event, const char *text, struct reply *);
};

extern const struct dialect dialect_claude;

/* NULL: no such client. */
const struct dialect	*dialect_find(const char *name);

#endif
