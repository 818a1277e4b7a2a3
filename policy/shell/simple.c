/* policy/shell/simple.c - words, assignments and redirections of a command. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

static bool
heredoc_delimiter(struct reader *rd, struct sh_redir *r,
    const struct token *t)
{
	if (r->word->text == NULL || strchr(r->word->text, '\n') != NULL)
		return rd_fail(rd, "a here-document's end is not plain") !=
		    NULL;
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

/* {fd}>file puts a number into a variable: is `t` such a {fd}? */
static bool
names_descriptor(const struct reader *rd, const struct token *t)
{
	return t->end < rd->end && t->end > t->at &&
	    (rd->s[t->end] == '<' || rd->s[t->end] == '>') &&
	    rd->s[t->end - 1] == '}' && rd->s[t->at] == '{';
}

static bool
parse_redir(struct reader *rd, struct sh_redir ***end)
{
	struct token op = tok_take(rd), t = tok_take(rd);
	struct sh_redir *r = rd_get(rd, sizeof(*r));

	if (rd->fail != NULL || r == NULL)
		return false;
	if (t.kind != TOK_WORD || names_descriptor(rd, &t))
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

/* name[ without its ]: bash looks for that behind blanks, too. */
static bool
opens_subscript(const struct reader *rd, const struct token *t)
{
	const char *text = rd->s + t->at;
	size_t n = 0, len = t->end - t->at, open = 0;

	while (n < len && text[n] != '[')
		n++;
	if (n == len || !shell_is_name(text, n))
		return false;
	for (; n < len; n++) {
		open += text[n] == '[';
		open -= text[n] == ']' && open > 0;
	}
	return open > 0;
}

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
	if (s->node->words == NULL && opens_subscript(rd, &t))
		return rd_fail(rd, "a subscript that does not end in its word")
		    != NULL;
	/* Joined, it may be a reserved word. */
	if (s->node->words == NULL && memmem(rd->s + t.at, t.end - t.at,
	    "\\\n", 2) != NULL)
		return rd_fail(rd, "a command's name over two lines") != NULL;
	if (names_descriptor(rd, &t))
		return rd_fail(rd, "{name}> opens a descriptor by name")
		    != NULL;
	if (next->kind == TOK_OPEN)
		return rd_fail(rd, "a ( stands behind a word") != NULL;
	*s->words = t.word;
	s->words = &t.word->next;
	return true;
}

struct sh_node *
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
