/*
 * policy/commands/table.h - what is known about programs, as constant data.
 *
 * The *.txt files beside this one say it in words (their grammar is in
 * docs/POLICY.md); gen.awk turns them into the arrays behind
 * commands_programs, sorted by name, ready without any work at start-up.
 */
#ifndef POLICY_COMMANDS_TABLE_H
#define POLICY_COMMANDS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program does with a word it is given, or does anyway. */
enum role {
	ROLE_DATA = 0,	/* only text */
	ROLE_LIST,	/* a path: names and sizes */
	ROLE_READ,	/* a path: its content */
	ROLE_TREE,	/* a path: everything below it */
	ROLE_KEEP,	/* a path: changed, restorable */
	ROLE_STAGE,	/* a path: the same, and shown to others */
	ROLE_ALIAS,	/* a path: gets another name */
	ROLE_WRITE,	/* a path: changed for good */
	ROLE_DELETE,	/* a path: gone */
	ROLE_WIPE,	/* a path: everything below it gone or changed */
	ROLE_ASK,	/* nobody can tell */
	ROLE_CODE,	/* code of the project runs */
	ROLE_EXEC,	/* a program or code from elsewhere runs */
	ROLE_NET,
	ROLE_SECRET,
	ROLE_PRIVILEGE,
	ROLE_PROCESS,
	ROLE_PERSIST,
	ROLE_HISTORY,
	ROLE_DEVICE,
	ROLE_SETS,	/* the name of a variable */
	ROLE_SCRIPT,	/* text of the shell */
	ROLE_LATER,	/* the same, run some other time: anywhere */
	ROLE_SED,	/* programs in the little languages */
	ROLE_AWK,
	ROLE_JQ,
	ROLE_INLINE,	/* code of an interpreter */
	ROLE_MODE,	/* of chmod */
	ROLE_SUFFIX,	/* of a backup's name */
	ROLE_CLOCK,	/* +FORMAT, or a time to set it to */
	ROLE_WORD,	/* text in which a path of ours may hide: f=@PATH */
	ROLE_LOCAL,	/* git: nothing is lost, but hooks run */
	ROLE_SWITCH,	/* git: other files appear, hooks run */
	ROLE_BODY,	/* said with a request; NAME=@FILE reads one */
	ROLE_SENT,	/* data that is sent, in the same spelling */
	ROLE_NAMED,	/* data that is sent: NAME@FILE reads one */
	ROLE_COOKIE,	/* data that is sent: without a = a file */
	ROLE_METHOD,	/* of HTTP: what does more than show? */
	ROLE_CARRY,	/* a path that is sent, or HOST:PATH */
	ROLE_SQL,	/* a query */
	ROLE_REMOTE,	/* of git: a remote's or a branch's name, no URL */
	ROLE_ENDPOINT,	/* of the program's own host: no other address */
	ROLE_REV,	/* of git: a revision, a path, or REV:PATH */
	ROLE_GLOB,	/* which files a search reads */
	ROLE_COMMAND	/* from here on: another command line */
};

enum opt_takes {
	TAKES_NONE, TAKES_VALUE,
	TAKES_MAYBE,	/* only glued on: -iSUFFIX, --in-place=SUFFIX */
	TAKES_PAIR	/* two words; the role is the second's */
};

struct cmd_option {
	uint16_t	 name;		/* with its dashes, in commands_text */
	uint8_t		 takes;		/* enum opt_takes */
	uint8_t		 role;		/* of the option or its value */
	bool		 drops;		/* the first operand is none then */
	bool		 turns;		/* operands take `turned` then */
};

/* Roles of the operands: `first`, then `rest` again and again, `last` at the
 * end.  No rest: more operands than known are asked. */
struct cmd_takes {
	uint16_t	 first;		/* in commands_roles */
	uint8_t		 n_first, rest, last;
	bool		 has_rest, has_last;
};

enum cmd_style {
	STYLE_GNU,	/* clusters, abbreviations, options anywhere */
	STYLE_POSIX,	/* options end at the first operand */
	STYLE_SINGLE,	/* -long, no clusters */
	STYLE_TEXT	/* no options: every word is an operand */
};

struct cmd_program {
	uint16_t	 name;		/* a sub-command: "git stash list" */
	uint8_t		 style, special;
	uint8_t		 alone;		/* what it does without operands */
	bool		 number;	/* -5 is an option */
	bool		 has_subs;	/* the first operand names one */
	bool		 needs_sub;	/* and must */
	bool		 safe;		/* none of all its options does more
					   than its operands do */
	uint16_t	 options, n_options;	/* in commands_options */
	struct cmd_takes takes, turned;
	uint16_t	 does;		/* whatever its words are */
	uint8_t		 n_does;
	uint16_t	 host;		/* it contacts this one, or "" */
	bool		 reads;		/* ... as who logged in, and only to
					   read: like a fetch */
};

/* Programs that need more than a table; policy/special.c has the functions. */
enum special {
	SPECIAL_NONE = 0,
#define SPECIAL(name) SPECIAL_##name,
#include "policy/commands/specials.h"
#undef SPECIAL
	SPECIAL_COUNT
};

/*
 * No pointers in here: what the dynamic linker has to relocate would be paid
 * for at every tool call.  Names and lists are offsets.
 */
extern const struct cmd_program commands_programs[];
extern const size_t commands_count;
extern const struct cmd_option commands_options[];
extern const uint8_t commands_roles[];
extern const char commands_text[];
/* Three strings each: program, verdict, line; an empty one at the end. */
extern const char commands_examples[];

static inline const char *
commands_name(const struct cmd_program *p)
{
	return commands_text + p->name;
}

/* By full name; NULL: nothing is known. */
const struct cmd_program *commands_find(const char *name);

#endif
