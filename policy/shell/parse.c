/* policy/shell/parse.c - lists, pipelines, groups of commands. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

struct sh_node *
node_new(struct reader *rd, enum sh_kind kind, uint32_t at)
{
	struct sh_node *n = rd_get(rd, sizeof(*n));

	if (n != NULL) {
		n->kind = kind;
		n->at = rd_at(rd, at);
	}
	return n;
}

void
node_end(struct reader *rd, struct sh_node *n, uint32_t from)
{
	/* Up to the end of the last token taken, not of the one peeked. */
	uint32_t to = rd->have ? rd->tok.at : rd->at;

	while (to > from && (lex_blank((unsigned char)rd->s[to - 1]) ||
	    rd->s[to - 1] == '\n'))
		to--;
	n->at = rd_at(rd, from);
	n->len = rd_len(rd, from, to > from ? to : from);
}

/* `name ()`: decided by the token behind the word. */
static bool
at_function(struct reader *rd, const struct token *t)
{
	uint32_t i = t->end;

	if (t->word->text == NULL || !t->word->plain)
		return false;
	while (i < rd->end && lex_blank((unsigned char)rd->s[i]))
		i++;
	return i < rd->end && rd->s[i] == '(' && t->word->assigns == 0;
}

/* Words that can only end a list, never begin a command. */
static bool
at_closing_word(struct reader *rd)
{
	static const char *const words[] = {
		"then", "else", "elif", "fi", "do", "done", "esac", "}"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tok_is(rd, words[i]))
			return true;
	return false;
}

static bool
at_list_end(struct reader *rd)
{
	const struct token *t = tok_peek(rd);

	return t->kind == TOK_END || t->kind == TOK_CLOSE ||
	    t->kind == TOK_SEMI_SEMI || at_closing_word(rd);
}

struct sh_node *
parse_command(struct reader *rd)
{
	const struct token *t = tok_peek(rd);
	struct sh_node *n = NULL;
	uint32_t from = t->at;

	if (!rd_enter(rd))
		return NULL;
	if (at_closing_word(rd) || tok_is(rd, "]]"))
		return rd_fail(rd, "a word that ends what nobody began");
	if (t->kind == TOK_OPEN)
		n = parse_compound(rd, "(");
	else if (t->kind == TOK_WORD && t->word->plain && t->word->text != NULL)
		n = parse_compound(rd, t->word->text);
	if (n == NULL && rd->fail == NULL) {
		t = tok_peek(rd);
		if (t->kind == TOK_WORD && at_function(rd, t)) {
			struct token name = tok_take(rd);

			n = parse_function(rd, name.word->text);
		} else {
			n = parse_simple(rd);
		}
	} else if (n != NULL && !parse_redirs(rd, n)) {
		n = NULL;
	}
	if (n != NULL)
		node_end(rd, n, from);
	rd_leave(rd);
	return n;
}

/* `time [-p]` and any number of `!` in front of a pipeline. */
static void
skip_prefix(struct reader *rd)
{
	for (;;) {
		if (tok_is(rd, "!")) {
			tok_take(rd);
		} else if (tok_is(rd, "time")) {
			uint32_t i = tok_peek(rd)->end;

			while (i < rd->end &&
			    lex_blank((unsigned char)rd->s[i]))
				i++;
			if (i < rd->end && rd->s[i] == '-')
				return;	/* the program of that name */
			tok_take(rd);
		} else {
			return;
		}
	}
}

static struct sh_node *
parse_pipeline(struct reader *rd)
{
	uint32_t from = tok_peek(rd)->at;
	struct sh_node *first, *pipe, **end;

	skip_prefix(rd);
	first = parse_command(rd);
	if (first == NULL || (tok_peek(rd)->kind != TOK_PIPE &&
	    tok_peek(rd)->kind != TOK_PIPE_AMP))
		return first;
	pipe = node_new(rd, SH_PIPE, from);
	if (pipe == NULL)
		return NULL;
	pipe->kids = first;
	end = &first->next;
	while (tok_peek(rd)->kind == TOK_PIPE ||
	    tok_peek(rd)->kind == TOK_PIPE_AMP) {
		tok_take(rd);
		tok_skip_newlines(rd);
		if (tok_is(rd, "!") || tok_is(rd, "time"))
			return rd_fail(rd, "a ! or time inside a pipeline");
		*end = parse_command(rd);
		if (*end == NULL)
			return NULL;
		end = &(*end)->next;
	}
	node_end(rd, pipe, from);
	return pipe;
}

static struct sh_node *
parse_and_or(struct reader *rd)
{
	uint32_t from = tok_peek(rd)->at;
	struct sh_node *first = parse_pipeline(rd), *both, **end;

	if (first == NULL || (tok_peek(rd)->kind != TOK_AND &&
	    tok_peek(rd)->kind != TOK_OR))
		return first;
	both = node_new(rd, SH_AND_OR, from);
	if (both == NULL)
		return NULL;
	both->kids = first;
	end = &first->next;
	while (tok_peek(rd)->kind == TOK_AND || tok_peek(rd)->kind == TOK_OR) {
		char op = tok_take(rd).kind == TOK_AND ? '&' : '|';

		tok_skip_newlines(rd);
		*end = parse_pipeline(rd);
		if (*end == NULL)
			return NULL;
		(*end)->op = op;
		end = &(*end)->next;
	}
	node_end(rd, both, from);
	return both;
}

struct sh_node *
parse_list(struct reader *rd)
{
	struct sh_node *list = node_new(rd, SH_LIST, tok_peek(rd)->at);
	uint32_t from = tok_peek(rd)->at;
	struct sh_node **end;

	if (list == NULL || !rd_enter(rd))
		return NULL;
	end = &list->kids;
	for (;;) {
		enum token_kind k;

		tok_skip_newlines(rd);
		if (at_list_end(rd))
			break;
		*end = parse_and_or(rd);
		if (*end == NULL)
			break;
		k = tok_peek(rd)->kind;
		if (k != TOK_SEMI && k != TOK_AMP && k != TOK_NEWLINE)
			break;
		(*end)->async = k == TOK_AMP;
		end = &(*end)->next;
		tok_take(rd);
	}
	rd_leave(rd);
	if (rd->fail != NULL)
		return NULL;
	node_end(rd, list, from);
	return list;
}

struct sh_node *
parse_nested(struct reader *rd)
{
	struct sh_redir *waiting = rd->waiting, **end = rd->waiting_end;
	struct token next = rd->tok;
	bool foreign = rd->foreign, have = rd->have;
	struct sh_node *list;

	if (!rd_enter(rd))
		return NULL;
	rd->foreign = foreign || waiting != NULL;
	rd->waiting = NULL;
	rd->waiting_end = &rd->waiting;
	rd->have = false;
	list = parse_list(rd);
	if (rd->fail == NULL && tok_peek(rd)->kind != TOK_CLOSE)
		rd_fail(rd, "a ( is not closed");
	if (rd->fail == NULL && rd->waiting != NULL)
		rd_fail(rd, "a here-document does not end");
	rd_leave(rd);
	if (rd->fail != NULL)
		return NULL;
	rd->foreign = foreign;
	rd->waiting = waiting;
	rd->waiting_end = waiting == NULL ? &rd->waiting : end;
	rd->tok = next;
	rd->have = have;
	return list;
}
