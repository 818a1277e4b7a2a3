/*
 * policy/shell/shell.h - reading bash syntax exactly as bash reads it.
 *
 *	shell_read(arena, text, len, &tree)
 *	tree.fail == NULL:	tree.root is the whole line as a tree
 *	otherwise:		"cannot tell", and why in a few words
 *
 * One pass from left to right, never back; at most SHELL_MAX bytes and
 * SHELL_DEPTH levels.  Nothing is expanded and nothing is decided here.  What
 * bash would refuse, or would read in a way that depends on its settings, is
 * "cannot tell" and never a guess.  Text reads as `bash` without options and
 * without extglob does.
 *
 * Every word, redirection and command keeps the bytes it came from; inside
 * backquotes, whose text is rewritten before it is read, that is the whole
 * backquoted text.
 */
#ifndef POLICY_SHELL_SHELL_H
#define POLICY_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/shell/arena.h"

#define SHELL_MAX	(128 << 10)
#define SHELL_DEPTH	256
#define SHELL_PIECES	20000	/* words, parts and nodes, about */

enum sh_part_kind {
	SH_TEXT,	/* these very bytes; quotes and backslashes are gone */
	SH_GLOB,	/* text is "*", "?", "[" (one character out of a set)
			   or "+": a set that may be anything, to the end */
	SH_TILDE,	/* ~name where it counts; text is the name, often "" */
	SH_BRACE,	/* the word has a brace expansion from here on; text is
			   the rest of it as written, "" if that is long */
	SH_PARAM,	/* $x ${x}; text is the name: x, 1, @, ... */
	SH_EXPAND,	/* ${...} with anything more; text as written, inner:
			   the substitutions in it, name in `name` */
	SH_SUBST,	/* $(...) or `...`; body */
	SH_PROC,	/* <(...) or >(...); body */
	SH_CALC		/* $((...)); text as written, inner */
};

struct sh_part {
	enum sh_part_kind	 kind;
	bool			 quoted;	/* in "": no splitting */
	const char		*text;		/* terminated */
	const char		*name;		/* SH_EXPAND */
	struct sh_node		*body;
	struct sh_part		*inner;
	struct sh_part		*next;
};

struct sh_word {
	uint32_t	 at, len;	/* as written */
	const char	*text;		/* all of it, if it is a constant */
	struct sh_part	*parts;
	bool		 plain;		/* no quoting at all: may be reserved */
	uint32_t	 assigns;	/* bytes of NAME= or NAME+= it starts
					   with, else 0 */
	struct sh_word	*next;
};

enum sh_redir_kind {
	SH_IN, SH_OUT, SH_APPEND, SH_CLOBBER, SH_INOUT, SH_DUP_IN, SH_DUP_OUT,
	SH_BOTH, SH_BOTH_APPEND, SH_HEREDOC, SH_HERESTRING
};

struct sh_redir {
	enum sh_redir_kind	 kind;
	int			 fd;		/* -1: the usual one */
	uint32_t		 at, len;
	struct sh_word		*word;		/* target or delimiter */
	struct sh_part		*body;		/* of a here-document */
	bool			 literal;	/* quoted delimiter */
	bool			 tabs;		/* <<- */
	struct sh_redir		*next;
	struct sh_redir		*waits;		/* the reader's own */
};

struct sh_assign {
	const char	*name;
	bool		 append;	/* += */
	bool		 array;		/* =( ) or a subscript: the words */
	struct sh_word	*value;		/* never NULL unless array */
	uint32_t	 at, len;
	struct sh_assign *next;
};

enum sh_kind {
	SH_SIMPLE,	/* assigns words redirs */
	SH_PIPE,	/* kids run side by side, each in its own shell */
	SH_AND_OR,	/* kids with `op` in between */
	SH_LIST,	/* kids one after the other */
	SH_GROUP,	/* { kid } */
	SH_SUBSHELL,	/* ( kid ) */
	SH_IF,		/* kids: condition, branch, condition, ..., else */
	SH_LOOP,	/* while, until: condition, body */
	SH_FOR,		/* name, words, body; also select */
	SH_FOR_CALC,	/* for ((...)): words[0] holds the text, body */
	SH_CASE,	/* words: subject, all patterns; kids: branches */
	SH_TEST,	/* [[ ]]: words, operators among them */
	SH_COMPUTE,	/* (( )): words[0] holds the text */
	SH_FUNCTION	/* name, body */
};

struct sh_node {
	enum sh_kind	 kind;
	uint32_t	 at, len;
	char		 op;		/* SH_AND_OR's kid: 0 first, '&', '|' */
	bool		 async;		/* followed by & */
	bool		 implicit;	/* `for x` without `in`: over "$@" */
	const char	*name;
	struct sh_assign *assigns;
	struct sh_word	*words;
	struct sh_redir	*redirs;
	struct sh_node	*kids;
	struct sh_node	*next;
};

struct sh_tree {
	struct sh_node	*root;		/* SH_LIST; may have no kids */
	const char	*fail;		/* static text: why it cannot be told */
	uint32_t	 fail_at;
};

void	shell_read(struct arena *, const char *text, size_t len,
	    struct sh_tree *ret);

/* Is it an identifier: [A-Za-z_][A-Za-z0-9_]* ? */
bool	shell_is_name(const char *, size_t len);

#endif
