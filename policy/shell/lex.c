/* policy/shell/lex.c - tokens. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

bool
lex_blank(int c)
{
	return c == ' ' || c == '\t';
}

bool
lex_break(int c)
{
	return c == -1 || lex_blank(c) || c == '\n' ||
	    strchr("|&;()<>", c) != NULL;
}

/* Blanks, joined lines and a comment. */
static void
skip_blanks(struct reader *rd)
{
	for (;;) {
		if (lex_blank(rd_peek(rd, 0)))
			rd->at++;
		else if (rd_peek(rd, 0) == '\\' && rd_peek(rd, 1) == '\n')
			rd->at += 2;
		else
			break;
	}
	if (rd_peek(rd, 0) == '#') {
		const char *nl = memchr(rd->s + rd->at, '\n',
		    rd->end - rd->at);

		rd->at = nl == NULL ? rd->end : (uint32_t)(nl - rd->s);
	}
}

static const struct {
	char		 text[4];
	enum token_kind	 kind;
	enum sh_redir_kind redir;
	bool		 tabs;
} operators[] = {	/* a longer one before its beginning */
	{ "&>>", TOK_REDIR, SH_BOTH_APPEND, false },
	{ "<<<", TOK_REDIR, SH_HERESTRING, false },
	{ "<<-", TOK_REDIR, SH_HEREDOC, true },
	{ "&>", TOK_REDIR, SH_BOTH, false },
	{ "<<", TOK_REDIR, SH_HEREDOC, false },
	{ ">>", TOK_REDIR, SH_APPEND, false },
	{ ">|", TOK_REDIR, SH_CLOBBER, false },
	{ "<>", TOK_REDIR, SH_INOUT, false },
	{ "<&", TOK_REDIR, SH_DUP_IN, false },
	{ ">&", TOK_REDIR, SH_DUP_OUT, false },
	{ "<", TOK_REDIR, SH_IN, false },
	{ ">", TOK_REDIR, SH_OUT, false },
	{ ";;", TOK_SEMI_SEMI, SH_IN, false },
	{ ";&", TOK_SEMI_SEMI, SH_IN, false },
	{ "&&", TOK_AND, SH_IN, false },
	{ "||", TOK_OR, SH_IN, false },
	{ "|&", TOK_PIPE_AMP, SH_IN, false },
	{ ";", TOK_SEMI, SH_IN, false },
	{ "&", TOK_AMP, SH_IN, false },
	{ "|", TOK_PIPE, SH_IN, false },
	{ "(", TOK_OPEN, SH_IN, false },
	{ ")", TOK_CLOSE, SH_IN, false },
};

static bool
lex_operator(struct reader *rd, struct token *t)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]);
	    i++) {
		uint32_t n = (uint32_t)strlen(operators[i].text);

		if (n > rd->end - rd->at || memcmp(rd->s + rd->at,
		    operators[i].text, n) != 0)
			continue;
		t->kind = operators[i].kind;
		t->redir = operators[i].redir;
		t->tabs = operators[i].tabs;
		rd->at += n;
		/* A joined line could make a longer operator of it. */
		if (rd_peek(rd, 0) == '\\' && rd_peek(rd, 1) == '\n' &&
		    strchr("<>&|;(", rd->s[rd->at - 1]) != NULL &&
		    rd_peek(rd, 2) != -1 &&
		    strchr("<>&|;-(", rd_peek(rd, 2)) != NULL)
			rd_fail(rd, "an operator over two lines");
		return true;
	}
	return false;
}

/* A number right before < or > names the descriptor. */
static void
lex_fd(struct reader *rd, struct token *t)
{
	uint32_t to = rd->at;
	int fd = 0;

	for (; to < rd->end && rd->s[to] >= '0' && rd->s[to] <= '9'; to++)
		fd = to - rd->at < 6 ? fd * 10 + rd->s[to] - '0' : fd;
	if (to == rd->at || to == rd->end)
		return;
	if (rd->s[to] == '\\' && to + 1 < rd->end && rd->s[to + 1] == '\n')
		rd_fail(rd, "a word over two lines");
	if (rd->fail != NULL || (rd->s[to] != '<' && rd->s[to] != '>'))
		return;
	if (to - rd->at > 6) {
		rd_fail(rd, "a descriptor's number is too large");
		return;
	}
	/* `2<(x)` is a word in bash; so rare that nobody shall guess. */
	if (to + 1 < rd->end && rd->s[to + 1] == '(')
		return;
	t->fd = fd;
	rd->at = to;
}

static struct token
lex(struct reader *rd)
{
	struct token t = { .fd = -1 };
	int c;

	skip_blanks(rd);
	t.at = rd->at;
	c = rd_peek(rd, 0);
	if (c == -1) {
		t.kind = TOK_END;
	} else if (c == '\n') {
		rd->at++;
		t.kind = TOK_NEWLINE;
		heredoc_bodies(rd);
	} else {
		lex_fd(rd, &t);
		c = rd_peek(rd, 0);
		if ((c == '<' || c == '>') && rd_peek(rd, 1) == '(') {
			t.kind = TOK_WORD;
			t.word = word_read(rd);
		} else if (!lex_operator(rd, &t)) {
			t.kind = TOK_WORD;
			t.word = word_read(rd);
		}
	}
	t.end = rd->at;
	return t;
}

const struct token *
tok_peek(struct reader *rd)
{
	if (!rd->have) {
		struct token t = lex(rd);

		if (rd->fail != NULL)
			t = (struct token){ .kind = TOK_END, .at = rd->end,
			    .end = rd->end };
		rd->tok = t;
		rd->have = true;
	}
	return &rd->tok;
}

struct token
tok_take(struct reader *rd)
{
	struct token t = *tok_peek(rd);

	if (rd->fail == NULL)
		rd->have = false;
	return t;
}

bool
tok_is(struct reader *rd, const char *reserved)
{
	const struct token *t = tok_peek(rd);

	return t->kind == TOK_WORD && t->word->plain && t->word->text != NULL
	    && strcmp(t->word->text, reserved) == 0;
}

bool
tok_skip_newlines(struct reader *rd)
{
	bool any = false;

	while (tok_peek(rd)->kind == TOK_NEWLINE) {
		tok_take(rd);
		any = true;
	}
	return any;
}
