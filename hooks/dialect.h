/*
 * hooks/dialect.h - what an agent's client says and what it understands.
 *
 * One file per client in dialect/, one table entry each.  A dialect turns the
 * client's hook input into a struct hook_input and our few kinds of answer
 * into exactly the bytes that client takes for them.  It never decides.
 *
 *	d = dialect_find("gemini")
 *	d->read(...)		the call, in the words policy knows
 *	dialect_refuse(d, ...)	or _allow, or _tell
 *	dialect_finish(d, ...)	where the client wants words for "nothing"
 *	hook_input_clear(...)
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

/* Borrowed from the JSON it was read from, but for what `made` holds. */
struct hook_input {
	const char	*event;		/* the client's name for it */
	enum hook_kind	 kind;
	struct call	 call;		/* tool and input: BEFORE and AFTER */
	const char	*tool_use_id;	/* "" when the client has none */
	const char	*reason;	/* what the agent says it is for; "" */
	bool		 failed;	/* AFTER: the tool failed */
	int64_t		 duration_ms;	/* AFTER: 0 when not told */
	const cJSON	*response;	/* AFTER: what it returned; NULL */
	const char	*source;	/* CONFIG, SESSION_*: why; "" */
	const char	*path;		/* CONFIG: the file; "" */
	bool		 planning;	/* BEFORE: the human lets it change
					   nothing; no `allow` of ours may */
	const char	*transcript;	/* Codex: the session's file; or NULL */
	cJSON		*made;		/* owned: what had to be translated */
};
void	hook_input_clear(struct hook_input *);
#define auto_hook_input	__attribute__((cleanup(hook_input_clear)))

/* What goes back to the client: hooks/wire.h says what is possible. */
struct reply {
	int		 status;
	struct str	 out, err;
};
void	reply_init(struct reply *);
void	reply_clear(struct reply *);

/*
 * One event of a client and the words for it.  In a template @ stands for the
 * quoted text; there is no other @ in any.  NULL: there are no such words,
 * and nothing is said.
 */
struct dialect_event {
	const char	*name;
	enum hook_kind	 kind;
	/*
	 * It does not run, the prompt is not sent, the change not taken; where
	 * nothing can be refused any more, somebody is told.  REFUSE_EXIT:
	 * exit 2 and the text on stderr.
	 */
	const char	*refuse;
	const char	*allow;		/* without the client asking as well */
	const char	*tell;		/* text for the model */
	const char	*quiet;		/* instead of silence */
};
#define REFUSE_EXIT	"!"

/*
 * A tool whose call means what one of ours means, field by field.  Policy,
 * the human and the executors then see that one.
 *
 * `fields` lists every field the client's tool may have, separated by blanks:
 * `theirs=ours`, `same`, `theirs=@cwd` (the directory it runs in) or `theirs=`
 * (says nothing about the effect).  The first one must be there.  A call with
 * another field is left in the client's words: it can be judged and allowed
 * once, but is not ours to execute.
 */
struct dialect_tool {
	const char	*theirs, *ours, *fields;
};

struct dialect {
	const char	*name;

	/* How long a reason may be, in UTF-16 units, and stay whole. */
	size_t		 reason_units;

	/* How long the client surely waits for its hook. */
	int		 wait_s;

	const struct dialect_event *events;	/* ends with a NULL name */
	const struct dialect_tool  *tools;	/* the same; or NULL */

	/*
	 * The event in which a shell call can be told to run other words, and
	 * the answer that does; its @ is the whole input as JSON.  NULL: none.
	 */
	const char	*contain_event, *contain;
	const char	*contain_planning;	/* and the client goes on as it
						   would have; or NULL */
	bool		 contain_part;	/* it merges: the command alone */

	/*
	 * The event in which what a tool returned can be replaced before the
	 * model reads it, and the answer that does; its @ is all of it as
	 * JSON.  NULL: none.
	 */
	const char	*rewrite_event, *rewrite;

	/*
	 * `event` comes from the registration; another one in the input is an
	 * error, because the answer's shape depends on it.  `root` is where a
	 * call happens whose client does not say; NULL: nobody knows.
	 */
	int	(*read)(const char *event, const char *root, const cJSON *,
		    struct hook_input *ret, struct err *);
};

extern const struct dialect dialect_claude, dialect_codex, dialect_gemini,
    dialect_cursor, dialect_windsurf, dialect_copilot, dialect_cline,
    dialect_opencode;

/* NULL: no such client. */
const struct dialect	*dialect_find(const char *name);

/* HOOK_NONE: the client has no event of that name. */
enum hook_kind	dialect_kind(const struct dialect *, const char *event);

/* An event that is not in the table is refused by exit 2. */
void	dialect_refuse(const struct dialect *, const char *event,
	    const char *text, struct reply *);
void	dialect_allow(const struct dialect *, const char *event,
	    struct reply *);
/*
 * `input` runs instead, and nobody is asked, or nobody by us (planning).  In
 * contain_event only.
 */
void	dialect_contain(const struct dialect *, const cJSON *input,
	    bool planning, struct reply *);
/* `response` is what the tool returned.  In rewrite_event only. */
void	dialect_rewrite(const struct dialect *, const cJSON *response,
	    struct reply *);
void	dialect_tell(const struct dialect *, const char *event,
	    const char *text, struct reply *);
/* Last: gives an empty reply the client's words for nothing. */
void	dialect_finish(const struct dialect *, const char *event,
	    struct reply *);

#endif
