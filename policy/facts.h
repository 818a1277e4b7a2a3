/*
 * policy/facts.h - what was found out about a call, before any verdict.
 *
 * A fact is an effect plus what the rules need to know about it: which
 * question of the policy (trigger) it raises, how grave it is, which simple
 * command it came from.  Producers (paths, programs, the line walker) only
 * add facts; policy/decide.c alone turns them into a verdict.
 */
#ifndef POLICY_FACTS_H
#define POLICY_FACTS_H

#include "policy/rules.h"
#include "policy/shell/arena.h"

struct cwds;			/* policy/paths.h */
struct recall;			/* policy/recall.h */

struct span {
	uint32_t	at, len;
};

/* One simple command as the rules see it. */
struct command {
	const char	 *program;	/* as written, quotes removed */
	const char	**args;		/* without the program; NULL: not a
					   constant */
	size_t		  n_args;
	struct span	  span;
	const struct cwds *at;		/* where it may run; NULL: anywhere */
	const char	 *remote;	/* of git: which one; NULL: its own */
	bool		  sends;	/* more than a request to be shown */
	struct command	 *next;
};

struct fact {
	struct effect		 effect;
	enum trigger		 trigger;
	enum tier		 tier;
	bool			 hard;	/* self-protection: denied, no rule */
	const struct command	*cmd;	/* NULL: the line itself */
	const char		*why;	/* a static half sentence, or NULL */
};

struct facts {
	struct arena		*arena;
	const struct policy	*policy;
	const struct world	*world;
	const struct call	*call;		/* &own: the caller's may go */
	struct call		 own;
	struct fact		*list;	/* JUDGEMENT_EFFECTS of them */
	char			*host;	/* HOST_MAX bytes: of a fetched URL */
	size_t			 n;
	bool			 cut;		/* too much to judge */
	bool			 spent;		/* and no time for the rest */
	unsigned		 n_paths, n_commands, n_nodes;
	struct command		*commands;
	const char		*git_dir;	/* asked last; what it said */
	int			 git_helpers;
	unsigned		 shape;		/* REMEMBER_REDIRECTS, ... */
	bool			 lists;		/* variables may be arrays */
	bool			 brings;	/* whole directories */
	struct recall		*recall;
};

/* What one call may ask of the judgement, so that its time is bounded too. */
#define FACTS_PATHS	512
#define FACTS_COMMANDS	2048
#define FACTS_WORDS	4096
#define FACTS_NODES	4096	/* walked, again where a loop needs it */

/* Copied; one that says nothing new is dropped. */
void	facts_add(struct facts *, const struct fact *);

/* The fact "cannot tell", with a static reason. */
void	facts_unknown(struct facts *, const struct command *, struct span,
	    const char *why);

/* An effect without a path: privilege, process, code, ... */
void	facts_effect(struct facts *, enum effect_kind, const char *target,
	    const struct command *, struct span);

#endif
