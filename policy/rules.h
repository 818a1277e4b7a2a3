/*
 * policy/rules.h - what a loaded policy is, inside the room.
 *
 * Triggers are the questions every policy answers ("what about a write outside
 * the project?"); a preset answers all of them, the policy file some of them
 * again.  Rules speak about structure (program, arguments, effect, path, host,
 * tool), never about the text of a line; among the rules that match an effect
 * the last one decides it.  Nothing here can lift self-protection: that is no
 * trigger and looks at no rule.
 */
#ifndef POLICY_RULES_H
#define POLICY_RULES_H

#include "policy/policy.h"

enum trigger {
	TRIGGER_READ_INSIDE,	/* allow */
	TRIGGER_READ_OUTSIDE,	/* observe */
	TRIGGER_SECRET_READ,	/* escalate */
	TRIGGER_FILE_WRITE,	/* Write, Edit inside the project */
	TRIGGER_WRITE_OUTSIDE,	/* Write, Edit elsewhere */
	TRIGGER_SHELL_WRITE,	/* a kept change inside the project */
	TRIGGER_SHELL_REMOVE,	/* a certain file is deleted or emptied */
	TRIGGER_SHELL_DELETE,	/* whatever a pattern or a tree holds is */
	TRIGGER_SHELL_TEMP,	/* a command writes below /tmp */
	TRIGGER_SHELL_OUTSIDE,	/* a command that writes elsewhere */
	TRIGGER_NETWORK,
	TRIGGER_PROJECT_CODE,
	TRIGGER_GIT_LOCAL,	/* commits, new branches: nothing is lost */
	TRIGGER_GIT_TREE,	/* checkout, merge: other files appear */
	TRIGGER_GIT_HISTORY,	/* what is lost or leaves */
	TRIGGER_SIGNAL,		/* certain programs are told to end */
	TRIGGER_PROCESS,	/* other signals, other programs' memory */
	TRIGGER_SYSTEM,		/* exec, device, privilege */
	TRIGGER_PERSIST,
	TRIGGER_UNKNOWN_COMMAND,
	TRIGGER_UNKNOWN_TOOL,
	TRIGGER_COUNT
};

struct preset {
	const char	*name;
	enum action	 trigger[TRIGGER_COUNT];
};
/* NULL when there is no such preset. */
const struct preset *preset_find(const char *name);
/* The trigger's key in policy.json, and back (-1). */
const char	*trigger_name(enum trigger);
int		 trigger_parse(const char *name);

/* What a rule asks for; a NULL or -1 field asks for nothing. */
struct rule_match {
	char	 *tool;
	char	 *agent;	/* client */
	char	 *program;
	char	**args;		/* exact words; "*" any one, last "..." any */
	size_t	  n_args;
	bool	  has_args;
	int	  effect;	/* enum effect_kind */
	char	 *path;		/* glob; relative to the project */
	char	 *net;		/* host, or *.host */
};

struct rule {
	char			 id[48];
	struct rule_match	 match;
	enum action		 action;
	int			 tier;	/* -1: the effect's own */
	char			*why;	/* may be NULL */
};

struct remembered_list;

struct words {
	char	**words;
	size_t	  n;
};

struct policy {
	struct policy_place	 place;
	struct policy_limits	 limits;
	enum policy_mode	 mode;
	bool			 auto_allow;
	bool			 contain;	/* wanted, and can be done */
	enum action		 trigger[TRIGGER_COUNT];
	struct rule		*rules;
	size_t			 n_rules;
	struct words		 net_allow, net_deny, net_registries;
	struct words		 secret, protect;	/* globs */
	struct digest		 digest;
	/* policy_recall's; NULL: nothing is remembered */
	struct remembered_list	*memory;
};

/* A policy with a preset's answers and the default limits. */
struct policy	*policy_new(const struct policy_place *,
		    const struct preset *);

/* Frees what a rule points to. */
void	rule_clear(struct rule *);

/* Key, default and sane range of every limit. */
struct limit {
	const char	*name;
	size_t		 offset;	/* in struct policy_limits */
	int		 normal, least, most;
};
extern const struct limit limits[];
extern const size_t limits_count;

#endif
