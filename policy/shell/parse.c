/* policy/shell/parse.c - lists, pipelines, simple commands, redirections. */
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

static void
node_end(struct reader *rd, struct sh_node *n, uint32_t from)
{
	/* Up to the end of the last token taken, not of the one peeked. */
	uint32_t to = rd->have ? rd->tok.at : rd->at;

	while (to > from && (lex_blank((unsigned char)rd->s[to - 1]) ||
	    rd->s[to - 1] == '\n'))
		to--;
	n->len = rd_len(rd, from, to > from ? to : from);
}

static bool
heredoc_delimiter(struct reader *rd, struct sh_redir *r,
    const struct token *t)
{
	if (r->word->text == NULL || strchr(r->word->text, '\n') != NULL)
		return rd_fail(rd, "a here-document's end is not plain") != NULL;
	for (uint32_t i = t->at; i < t->end; i++) {
		if (rd->s[i] == '$' || rd->s[i] == '`')
			return rd_fail(rd, "a here-document's end is not plain")
			    != NULL;
		if (rd->s[i] == '\'' || rd->s[i] == '"' || rd->s[i] == '\\')
			r->literal = true;
	}
	*rd->waiting_end = r;
	rd->waiting_end = &r->waits;
	return true;
}

bool
parse_redir(struct reader *rd, struct sh_redir ***end)
{
	struct token op = tok_take(rd), t = tok_take(rd);
	struct sh_redir *r = rd_get(rd, sizeof(*r));

	if (rd->fail != NULL || r == NULL)
		return false;
	if (t.kind != TOK_WORD)
		return rd_fail(rd, "a redirection names no file") != NULL;
	r->kind = op.redir;
	r->fd = op.fd;
	r->tabs = op.tabs;
	r->word = t.word;
	r->at = rd_at(rd, op.at);
	r->len = rd_len(rd, op.at, t.end);
	if (r->kind == SH_HEREDOC && !heredoc_delimiter(rd, r, &t))
		return false;
	**end = r;
	*end = &r->next;
	return true;
}

bool
parse_redirs(struct reader *rd, struct sh_node *n)
{
	struct sh_redir **end = &n->redirs;

	while (tok_peek(rd)->kind == TOK_REDIR)
		if (!parse_redir(rd, &end))
			return false;
	return rd->fail == NULL;
}

/* name=( word ... ), at the bracket. */
static bool
parse_array(struct reader *rd, struct sh_assign *a)
{
	struct sh_word **end = &a->value;

	tok_take(rd);
	a->array = true;
	for (;;) {
		struct token t;

		tok_skip_newlines(rd);
		t = tok_take(rd);
		if (t.kind == TOK_CLOSE)
			return true;
		if (t.kind != TOK_WORD)
			return rd_fail(rd, "an array cannot be read") != NULL;
		*end = t.word;
		end = &t.word->next;
	}
}

/* The word behind NAME=. */
static struct sh_word *
assign_value(struct reader *rd, const struct sh_word *w)
{
	struct sh_word *v = rd_get(rd, sizeof(*v));
	struct sh_part *p;

	if (v == NULL)
		return NULL;
	*v = *w;
	v->next = NULL;
	if (w->text != NULL) {
		v->text = w->text + w->assigns;
	}
	p = rd_get(rd, sizeof(*p));
	if (p == NULL)
		return NULL;
	*p = *w->parts;
	p->text += w->assigns;
	v->parts = p->text[0] == '\0' ? p->next : p;
	return v;
}

static bool
parse_assign(struct reader *rd, const struct token *t,
    struct sh_assign ***end)
{
	struct sh_assign *a = rd_get(rd, sizeof(*a));
	const struct token *next;
	uint32_t n = t->word->assigns;

	if (a == NULL)
		return false;
	a->append = rd->s[t->at + n - 2] == '+';
	a->name = parts_source(rd, t->at, t->at + n - 1 - a->append);
	a->at = t->word->at;
	a->len = t->word->len;
	**end = a;
	*end = &a->next;
	next = tok_peek(rd);
	if (next->kind == TOK_OPEN && next->at == t->end && t->end - t->at == n)
		return parse_array(rd, a);
	a->value = assign_value(rd, t->word);
	return rd->fail == NULL;
}

static bool
takes_assigns(const struct sh_node *n)
{
	static const char *const names[] = {
		"declare", "typeset", "export", "local", "readonly"
	};

	if (n->words == NULL || n->words->text == NULL)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(n->words->text, names[i]) == 0)
			return true;
	return false;
}

struct simple {
	struct sh_node		*node;
	struct sh_assign	**assigns;
	struct sh_word		**words;
	struct sh_redir		**redirs;
};

/* A word of a simple command; false to stop. */
static bool
simple_word(struct reader *rd, struct simple *s)
{
	struct token t = tok_take(rd);
	const struct token *next = tok_peek(rd);

	if (rd->fail != NULL)
		return false;
	if (t.word->assigns > 0 && (s->node->words == NULL ||
	    takes_assigns(s->node)))
		if (s->node->words == NULL || next->kind == TOK_OPEN)
			return parse_assign(rd, &t, &s->assigns);
	/* {fd}>file puts a number into a variable. */
	if (next->kind == TOK_REDIR && next->at == t.end && t.end > t.at &&
	    rd->s[t.end - 1] == '}' && rd->s[t.at] == '{')
		return rd_fail(rd, "{name}> opens a descriptor by name")
		    != NULL;
	if (next->kind == TOK_OPEN)
		return rd_fail(rd, "a ( stands behind a word") != NULL;
	*s->words = t.word;
	s->words = &t.word->next;
	return true;
}

static struct sh_node *
parse_simple(struct reader *rd)
{
	struct simple s = { .node = node_new(rd, SH_SIMPLE,
	    tok_peek(rd)->at) };
	uint32_t from = tok_peek(rd)->at;
	bool more = s.node != NULL;

	if (!more)
		return NULL;
	s.assigns = &s.node->assigns;
	s.words = &s.node->words;
	s.redirs = &s.node->redirs;
	while (more) {
		const struct token *t = tok_peek(rd);

		if (t->kind == TOK_WORD)
			more = simple_word(rd, &s);
		else if (t->kind == TOK_REDIR)
			more = parse_redir(rd, &s.redirs);
		else
			more = false;
	}
	if (rd->fail != NULL)
		return NULL;
	if (s.node->assigns == NULL && s.node->words == NULL &&
	    s.node->redirs == NULL)
		return rd_fail(rd, "a command is missing");
	node_end(rd, s.node, from);
	return s.node;
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

struct sh_node *
parse_command(struct reader *rd)
{
	const struct token *t = tok_peek(rd);
	struct sh_node *n = NULL;
	uint32_t from = t->at;

	if (!rd_enter(rd))
		return NULL;
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

/* Words that can only end a list, never begin a command. */
static bool
at_list_end(struct reader *rd)
{
	static const char *const words[] = {
		"then", "else", "elif", "fi", "do", "done", "esac", "}"
	};
	const struct token *t = tok_peek(rd);

	if (t->kind == TOK_END || t->kind == TOK_CLOSE ||
	    t->kind == TOK_SEMI_SEMI)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tok_is(rd, words[i]))
			return true;
	return false;
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

	rd->foreign = foreign || waiting != NULL;
	rd->waiting = NULL;
	rd->waiting_end = &rd->waiting;
	rd->have = false;
	list = parse_list(rd);
	if (rd->fail == NULL && tok_peek(rd)->kind != TOK_CLOSE)
		rd_fail(rd, "a ( is not closed");
	if (rd->fail == NULL && rd->waiting != NULL)
		rd_fail(rd, "a here-document does not end");
	if (rd->fail != NULL)
		return NULL;
	rd->foreign = foreign;
	rd->waiting = waiting;
	rd->waiting_end = waiting == NULL ? &rd->waiting : end;
	rd->tok = next;
	rd->have = have;
	return list;
}
