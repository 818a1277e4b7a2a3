/*
 * policy/shell/read.h - shared inside the reader: cursor, tokens, failing.
 *
 * Every function that cannot go on calls rd_fail once and returns NULL or
 * false; from then on rd->fail is set, and all loops end because the cursor
 * has been moved to the end of the text.
 */
#ifndef POLICY_SHELL_READ_H
#define POLICY_SHELL_READ_H

#include "policy/shell/shell.h"

enum token_kind {
	TOK_END, TOK_NEWLINE, TOK_WORD, TOK_REDIR,
	TOK_SEMI, TOK_SEMI_SEMI, TOK_AMP, TOK_AND, TOK_OR, TOK_PIPE,
	TOK_PIPE_AMP, TOK_OPEN, TOK_CLOSE
};

struct token {
	enum token_kind	 kind;
	uint32_t	 at, end;
	struct sh_word	*word;		/* TOK_WORD */
	enum sh_redir_kind redir;	/* TOK_REDIR */
	int		 fd;
	bool		 tabs;
};

struct reader {
	struct arena	*arena;
	const char	*s;
	uint32_t	 at, end;
	uint32_t	 shift;		/* added to spans */
	bool		 fixed;		/* inside backquotes: one span */
	uint32_t	 fixed_len;
	unsigned	 depth, pieces;
	const char	*fail;
	uint32_t	 fail_at;
	struct token	 tok;		/* the next token, if have */
	bool		 have;
	struct sh_redir	*waiting;	/* here-documents without a body yet */
	struct sh_redir **waiting_end;
	bool		 foreign;	/* an outer level's wait: no newline */
	char		*scratch;	/* as long as the whole line */
};

void	*rd_fail(struct reader *, const char *why);	/* NULL */
void	*rd_get(struct reader *, size_t size);		/* or fails */
bool	 rd_enter(struct reader *);			/* one level deeper */
void	 rd_leave(struct reader *);
int	 rd_peek(const struct reader *, uint32_t ahead);  /* -1 at the end */
uint32_t rd_at(const struct reader *, uint32_t at);	/* for spans */
uint32_t rd_len(const struct reader *, uint32_t from, uint32_t to);

/* lex.c */
const struct token *tok_peek(struct reader *);
struct token	tok_take(struct reader *);
bool	lex_blank(int c);
bool	lex_break(int c);	/* ends a word */

/* word.c: the cursor stands at the first byte of a word. */
struct sh_word *word_read(struct reader *);
struct sh_word *word_read_regex(struct reader *);

/*
 * parts.c: one word at a time gathers text in rd->scratch; whatever nests
 * (a substitution inside the word) starts after the text was put away.
 */
struct parts {
	struct sh_part	*first, **end;
	uint32_t	 n;		/* bytes gathered */
	bool		 some;		/* a word even with nothing in it: '' */
};
void	parts_begin(struct parts *);
void	parts_char(struct reader *, struct parts *, char);
struct sh_part *parts_add(struct reader *, struct parts *,
	    enum sh_part_kind, bool quoted);
void	parts_end(struct reader *, struct parts *);
/* A terminated copy of source text. */
const char *parts_source(struct reader *, uint32_t from, uint32_t to);

/* dollar.c: the cursor stands at '$' or '`'. */
void	dollar_read(struct reader *, struct parts *, bool quoted);
void	backquote_read(struct reader *, struct parts *, bool quoted);
/* At "((": up to the matching "))", cursor behind it.  The part is SH_CALC. */
struct sh_part *calc_read(struct reader *);

/* quote.c: the cursor stands behind the opening quote. */
void	quote_single(struct reader *, struct parts *);
void	quote_double(struct reader *, struct parts *);
void	quote_ansi(struct reader *, struct parts *);

/* heredoc.c: at the beginning of the line behind the newline. */
void	heredoc_bodies(struct reader *);

/* parse.c, simple.c, compound.c */
struct sh_node *parse_list(struct reader *);
struct sh_node *parse_nested(struct reader *);	/* to ')' and over it */
struct sh_node *parse_compound(struct reader *, const char *keyword);
struct sh_node *parse_function(struct reader *, const char *name);
struct sh_node *parse_command(struct reader *);
struct sh_node *parse_simple(struct reader *);
struct sh_node *node_new(struct reader *, enum sh_kind, uint32_t at);
void	node_end(struct reader *, struct sh_node *, uint32_t from);
bool	parse_redirs(struct reader *, struct sh_node *);
bool	tok_is(struct reader *, const char *reserved);
bool	tok_skip_newlines(struct reader *);

#endif
