/*
 * policy/walk.h - going through a line's tree, shared by the files that do it.
 *
 * The walk carries what would be true at each command: the directories it may
 * run in and what is known about variables.  Knowledge only ever gets less
 * where ways join again (a branch, a loop, `cd x; y`), so that what is judged
 * covers every run of the line.
 */
#ifndef POLICY_WALK_H
#define POLICY_WALK_H

#include "policy/facts.h"
#include "policy/paths.h"
#include "policy/shell/shell.h"

#define WALK_UNROLL	16	/* words of a for, each judged alone */
#define WALK_TEXTS	8	/* eval in bash -c in eval ... */
#define STATE_VARS	64

/*
 * A variable set on the line; `value` as in policy/value.h, or NULL: what the
 * environment has or a number.
 */
struct var {
	const char		*name, *value;
	const struct var	*older;
};

struct state {
	struct cwds		 cwds;
	const struct var	*vars;
	unsigned		 n_vars;
	bool			 lost;	/* all others may be anything */
};

/* What was set on the way, in whatever branch: a loop or call may see it. */
struct sets {
	struct {
		const char	*name, *value;
	}		 of[STATE_VARS];
	size_t		 n;
	bool		 all;		/* perhaps everything */
	bool		 moved;		/* the directory, too */
	bool		 jumps;		/* break, return: not to the end */
};

/* A word after expansion, as far as it is known. */
struct arg {
	const char	*val;
	unsigned char	 many;		/* may become no word or several */
#define ARG_SPLIT	2		/* names without quotes: where one holds
					   blanks, it is another */
#define ARG_PART	3		/* one word, perhaps of such a split */
	struct span	 span;
	bool		 text;		/* unknown, and not from outside: what
					   the line reads or sets */
};

struct name {
	const char		*name;
	const struct sh_node	*body;
	bool			 certain;	/* no branch or subshell
						   defined it */
	bool			 called;	/* or judged already */
	struct span		 span;
	struct name		*next;
};

#define NAMES_MAX	16

/* Paths as a command prints them: each is one of the values. */
struct names {
	struct {
		const char	*value;
		bool		 exact;	/* that very path, no deeper one */
		bool		 loose;	/* a guarded one may be among them */
	}		 of[NAMES_MAX];
	const char	*start[NAMES_MAX];	/* trees they lie in */
	bool		 itself[NAMES_MAX];	/* or the top of that */
	size_t		 n, n_starts;
};

/* Variables that perhaps hold a part of a name: it was split at blanks. */
struct piece {
	const char		*name;
	const struct piece	*next;
};

struct walk {
	struct facts	*f;
	unsigned	 texts;		/* depth of nested texts */
	unsigned	 unrolled;	/* loops judged word by word */
	unsigned	 maybe;		/* depth of what may not run, or not
					   in this shell */
	bool		 fixed;		/* inside one: everything is at span */
	struct span	 span;
	struct name	*functions;	/* defined on this line */
	const struct names *feed;	/* what the pipe brings, or NULL */
	bool		 given;		/* of this command: the environment may
					   hold what the line set, as code */
	struct sets	*sets;		/* noted here; NULL: nobody asks */
	struct sets	*later;		/* a trap may set these at any time, or
					   setting them fails */
	bool		 body;		/* of a function */
	const struct names *names;	/* what the last find printed */
	const struct piece *pieces;	/* once there, they stay */
};

/* A simple command on its way to a judgement. */
struct run {
	struct walk		*w;
	struct state		*st;
	struct command		*cmd;
	struct arg		*argv;	/* argv[0] is the program */
	size_t			 argc;
	struct span		 span;
	const struct sh_node	*node;	/* NULL inside a wrapper */
	unsigned		 wraps;
	const char		*deep;	/* words that hold this stand for files
					   anywhere: changing them is asked */
};

/* state.c */
const char *state_var(const struct walk *, const struct state *,
	    const char *name);		/* NULL: not set on this line */
void	state_set(struct walk *, struct state *, const char *name,
	    const char *value);
void	state_join(struct walk *, struct state *, const struct state *other);
bool	state_same(const struct state *, const struct state *);
void	state_forget(struct state *);
/* The same where the walk goes on with it: whoever notes sets is told. */
void	state_lose(struct walk *, struct state *);
/* Make `st` true as well after any of these; false: it was already. */
bool	state_widen(struct walk *, struct state *, const struct sets *);
/* It is readonly: whatever is set later, nobody knows its value. */
void	state_fix(struct walk *, const char *name);
/* Does it hold anything that a calculation could run? */
bool	state_text(const struct state *);
/* What `inner` noted counts for `outer`, which may be NULL. */
void	state_note(struct sets *outer, const struct sets *inner);
void	state_cd(struct walk *, struct state *, const char *value);
/* From here on its value, a name, may be a part of one: ARG_PART. */
void	state_split(struct walk *, const char *name);
bool	state_is_split(const struct walk *, const char *name);
/* Does setting this variable change what programs do? */
bool	state_grave(const char *name);
/* The fact that it does; where only code is loaded by it, it is code. */
void	state_warn(struct walk *, const char *name, struct span);

/* expand.c: judges the substitutions in it as well. */
struct arg expand_word(struct walk *, struct state *, const struct sh_word *);
/*
 * brace.c: the words it becomes by plain braces, or a lone $x with blanks in
 * its known value.  No other word can become several of those.
 */
#define BRACE_WORDS	16
bool	expand_several(const struct sh_word *);
size_t	expand_words(struct walk *, struct state *, const struct sh_word *,
	    struct arg ret[BRACE_WORDS]);
void	expand_parts(struct walk *, struct state *, const struct sh_part *);

/* calc.c: is this free of subscripts and of variables that are code? */
bool	calc_safe(struct walk *, struct state *, const char *text);

/* output.c: what $(...) prints, as a value; NULL: nobody knows. */
const char *output_of(struct walk *, const struct state *,
	    const struct sh_node *body);

/*
 * prints.c: the names that a simple command prints, where it reads `in` from
 * its pipe; NULL: anything else.  It has been walked just now.
 */
const struct names *names_printed(struct walk *, const struct sh_node *,
	    const struct names *in);
/* All of them as one value; NULL where that is not program text. */
const char *names_word(const struct names *);
/* `read NAME` sets it to one of those that the pipe brings. */
void	names_read(struct run *);

/* walk.c */
void	walk_node(struct walk *, const struct sh_node *, struct state *);
/* Runs perhaps: afterwards either may be the case. */
void	walk_maybe(struct walk *, const struct sh_node *, struct state *);
/* In a shell of its own: nothing it sets stays. */
void	walk_own(struct walk *, const struct sh_node *,
	    const struct state *);

/* Judge the functions in front of `until` that nothing called. */
void	walk_uncalled(struct walk *, const struct name *until,
	    const struct state *);

/* loop.c; `each`: what a `for` sets its variable to; NULL: it sets none. */
void	walk_loop(struct walk *, const struct sh_node *, const char *each,
	    struct state *);
void	walk_for(struct walk *, const struct sh_node *, struct state *);

/* line.c */
void	walk_simple(struct walk *, const struct sh_node *, struct state *);
void	walk_text(struct walk *, const char *text, struct span,
	    struct state *);
struct span walk_span(const struct walk *, uint32_t at, uint32_t len);

/* redirect.c */
void	redirect_add(struct run *, const struct sh_redir *);

/* simple.c: argv[0] to the table or the special knowledge. */
void	run_program(struct run *);
/* The rest of argv from `from` on is a command line of its own. */
void	run_wrapped(struct run *, size_t from);
void	run_unknown(struct run *, const char *why);
/* A path fact or an effect of this command. */
void	run_path(struct run *, enum path_use, const struct arg *);
void	run_effect(struct run *, enum effect_kind, const char *target);
/* It runs a file: the target is where that lies, as far as it can be told. */
void	run_code(struct run *, enum effect_kind, const struct arg *file);

#endif
