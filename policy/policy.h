/*
 * policy/policy.h - may this call happen?
 *
 *	policy_load(...)		once per process, all the I/O
 *	policy_decide(p, w, call, j)	any number of times, pure
 *	j->verdict, j->effects		valid until the next decide or free,
 *					and as long as the call's texts
 *
 * A call becomes effects, rules look at effects, the gravest verdict wins.
 * policy_decide reads no file, clock, environment or network; the few facts
 * about the file system it needs are asked of a struct world, so that tests
 * and `sandbox judge` can supply one.  "Cannot tell" is never allowed.
 *
 * Self-protection (connector state, agents' settings, our programs) is added
 * after the user's rules at every load: a loaded policy without it cannot
 * exist.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/sign.h"
#include "policy/call.h"

/* Smaller is graver, 0 is the safe value: the worst of two is the minimum. */
enum action {
	ACTION_DENY = 0, ACTION_ESCALATE, ACTION_CONTAIN, ACTION_OBSERVE,
	ACTION_ALLOW
};
enum tier { TIER_CRITICAL = 0, TIER_HIGH, TIER_MEDIUM, TIER_LOW };

const char	*action_name(enum action);	/* "deny" ... "allow" */
const char	*tier_name(enum tier);		/* "critical" ... "low" */

enum effect_kind {
	EFFECT_UNKNOWN = 0,	/* cannot tell what this does */
	EFFECT_READ, EFFECT_WRITE, EFFECT_DELETE,	/* target: path */
	EFFECT_NET,		/* target: host:port */
	EFFECT_EXEC,		/* target: path or program */
	EFFECT_CODE,		/* runs code of the project; target: the file's
				   path, or the program that finds it */
	EFFECT_PRIVILEGE,	/* sudo and its kin */
	EFFECT_PERSIST,		/* cron, rc files, hooks, units, keys */
	EFFECT_SECRET,		/* reads a secret; target: path */
	EFFECT_PROCESS,		/* kill, ptrace */
	EFFECT_DEVICE,
	EFFECT_HISTORY,		/* git history, refs and remotes */
	EFFECT_CONNECTOR	/* our own state or programs */
};
enum certainty { CERTAIN_NO = 0, CERTAIN_YES };	/* is target all of it? */

const char	*effect_name(enum effect_kind);

struct effect {
	enum effect_kind kind;
	enum certainty	 certainty;
	bool		 kept;		/* a change that can be taken back */
	bool		 whole;		/* and all that lies below target */
	const char	*named;		/* the path before links were followed;
					   NULL where there is none */
	const char	*target;	/* absolute path, host or program; "" */
	uint32_t	 span_at;	/* bytes of the command it came from; */
	uint32_t	 span_len;	/* 0 = the whole call */
};

/* For people: a part that is not known is `*`, a letter `?`.  Not visible(). */
char	*effect_target(const struct effect *);

struct verdict {
	enum action	 action;
	enum tier	 tier;
	char		 rule[64];	/* id of the rule that decided */
	char		 why[320];	/* a sentence, offending words quoted */
	char		 next[240];	/* the sanctioned way on; never a way to
					   lift the gate */
};

#define JUDGEMENT_EFFECTS	128

/* Reusable; a few hundred KiB of bounded memory, so keep one per process. */
struct judgement {
	struct verdict	 verdict;
	struct effect	 effects[JUDGEMENT_EFFECTS];
	size_t		 n_effects;
	bool		 effects_cut;	/* more than fit: judged as unknown */
	struct facts	*facts;		/* private: owns the targets */
};
struct judgement *judgement_new(void);
void		  judgement_free(struct judgement *);

/* Does it change a path that is known in full?  target is absolute then. */
bool		  effect_changes(const struct effect *);

#define WORLD_PATH	4096

/*
 * What policy may ask of the world.  All answers are about now; the approver
 * asks again before it runs anything.
 */
struct world {
	void	*arg;
	/*
	 * Where does an absolute path lead?  Links are followed where they
	 * stand and ".." leaves what was resolved so far, as in the kernel;
	 * parts that do not exist stay as written, and so does a last link of
	 * /proc/N, which nobody can follow for another.  0 and the text in ret
	 * (WORLD_PATH bytes, no "." or "..", no final slash), or -1: cannot
	 * tell.
	 */
	int	(*resolve)(void *arg, const char *path, char *ret);
	/* Has the configuration of the repository git finds from dir keys
	   that start helpers?  -1: cannot tell. */
	int	(*git_config_helpers)(void *arg, const char *dir);
	/* Is there something at path, be it a dangling link? */
	bool	(*exists)(void *arg, const char *path);
	/* Are there hooks that git would run from there?  -1: cannot tell. */
	int	(*git_hooks)(void *arg, const char *dir);
	/* Is path a hard link to a file of root that decides about the gate
	   (protect_run, GUARD_DENY and more)?  -1: cannot tell. */
	int	(*other_name)(void *arg, const char *path, const char *root);
};
extern const struct world world_real;	/* policy/world.c, the machine's */
extern const struct world world_plain;	/* no links, no helpers: for examples */

/* Where things are; every path absolute and link-free, borrowed by load. */
struct policy_place {
	const char		*project;	/* id */
	const char		*root;		/* of the project */
	const char		*home;		/* the user's, from passwd */
	const char		*state;		/* private directory */
	const char		*keys;		/* the approver's, or NULL */
	const char		*libexec;	/* our programs' directory */
	const struct keyring	*approvers;	/* who may accept a policy */
	bool			 jail;		/* can "contain" be done here?
						   If not it means escalate. */
};

struct policy_limits {
	int	wait_s, wait_alone_s, request_ttl_s, exec_timeout_s;
	int	output_bytes;		/* of an answer's output, in UTF-16
					   units where the client counts so */
	int	pending_max, pending_session_max, new_per_minute;
	int	queue_bytes, answer_keep_s, approval_ttl_s, critical_ttl_s;
	int	originals_mb, originals_days;	/* kept at most */
};

enum policy_mode { MODE_ENFORCE = 0, MODE_OBSERVE };

struct policy;

/*
 * Load the accepted copy `policy.accepted` from the private view directory:
 * signature by an approver, project id, strict content.  Absent: the built-in
 * strict defaults.  Over it lie the machine's and the user's own files
 * (policy/layers.h).  Present and bad in any way: -1, and the caller denies.
 */
int	policy_load(int viewfd, const struct policy_place *,
	    struct policy **ret, struct err *);

/* From text, unsigned: for check, accept, try and judge.  `name` for errors
 * ("policy.json:12:7: unknown key 'rulez'"). */
int	policy_parse(const char *text, size_t len, const char *name,
	    const struct policy_place *, struct policy **ret, struct err *);

/* The built-in strict defaults. */
int	policy_builtin(const struct policy_place *, struct policy **ret,
	    struct err *);
void	policy_free(struct policy *);

const struct policy_limits *policy_limits(const struct policy *);
bool			policy_auto_allow(const struct policy *);
enum policy_mode	policy_mode(const struct policy *);
/* place.jail was a hope: from here on what a jail would hold is a question. */
void			policy_no_jail(struct policy *);
/* H of the exact policy text in force; of "" for the built-in one. */
const struct digest    *policy_digest(const struct policy *);

/* Never fails: what cannot be judged is escalated or denied. */
void	policy_decide(const struct policy *, const struct world *,
	    const struct call *, struct judgement *);

/*
 * The accepted copy (docs/POLICY.md): one line
 * "sandbox-policy-v1 PROJECT H(policy) KEY SIG\n", then the exact bytes.  SIG
 * covers the line's text before " SIG".  policy_seal makes it from text that
 * policy_parse took.
 */
void	policy_seal(const char *text, size_t len, const char *project,
	    const unsigned char seed[static SIGN_SEED], struct str *ret);

#endif
