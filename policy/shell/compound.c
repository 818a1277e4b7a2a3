/* policy/shell/compound.c - if, for, case, [[ ]], functions and their like. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

static bool
expect(struct reader *rd, const char *word)
{
	if (rd->fail == NULL && !tok_is(rd, word))
		rd_fail(rd, "it is not shell syntax");
	if (rd->fail != NULL)
		return false;
	tok_take(rd);
	return true;
}

/* A list with at least one command, appended; false after a failure. */
static bool
add_list(struct reader *rd, struct sh_node ***end)
{
	struct sh_node *list = parse_list(rd);

	if (list == NULL)
		return false;
	if (list->kids == NULL)
		return rd_fail(rd, "a command is missing") != NULL;
	**end = list;
	*end = &list->next;
	return true;
}

static bool
read_group(struct reader *rd, struct sh_node *n)
{
	struct sh_node **end = &n->kids;

	return add_list(rd, &end) && expect(rd, "}");
}

static bool
read_subshell(struct reader *rd, struct sh_node *n)
{
	struct sh_node **end = &n->kids;

	if (!add_list(rd, &end))
		return false;
	if (tok_peek(rd)->kind != TOK_CLOSE)
		return rd_fail(rd, "a ( is not closed") != NULL;
	tok_take(rd);
	return true;
}

static bool
read_if(struct reader *rd, struct sh_node *n)
{
	struct sh_node **end = &n->kids;

	do {
		if (!add_list(rd, &end) || !expect(rd, "then") ||
		    !add_list(rd, &end))
			return false;
	} while (tok_is(rd, "elif") && expect(rd, "elif"));
	if (tok_is(rd, "else") && (!expect(rd, "else") ||
	    !add_list(rd, &end)))
		return false;
	return expect(rd, "fi");
}

static bool
read_loop(struct reader *rd, struct sh_node *n)
{
	struct sh_node **end = &n->kids;

	return add_list(rd, &end) && expect(rd, "do") && add_list(rd, &end) &&
	    expect(rd, "done");
}

static bool
read_body(struct reader *rd, struct sh_node *n)
{
	struct sh_node **end = &n->kids;

	tok_skip_newlines(rd);
	if (tok_is(rd, "{"))
		return expect(rd, "{") && add_list(rd, &end) &&
		    expect(rd, "}");
	return expect(rd, "do") && add_list(rd, &end) && expect(rd, "done");
}

/* The expression of a calculation as the only word of n, bodies included. */
static bool
calc_word(struct reader *rd, struct sh_node *n, uint32_t at)
{
	struct sh_word *w = rd_get(rd, sizeof(*w));

	if (w == NULL)
		return false;
	rd->at = at;
	rd->have = false;
	w->at = rd_at(rd, at);
	w->parts = calc_read(rd);
	w->len = rd_len(rd, at, rd->at);
	n->words = w;
	return rd->fail == NULL;
}

static bool
at_calc(struct reader *rd)
{
	const struct token *t = tok_peek(rd);

	return t->kind == TOK_OPEN && t->end < rd->end &&
	    rd->s[t->end] == '(';
}

static bool
read_for(struct reader *rd, struct sh_node *n)
{
	struct sh_word **end = &n->words;
	struct token t;

	if (at_calc(rd)) {
		n->kind = SH_FOR_CALC;
		if (!calc_word(rd, n, tok_peek(rd)->at))
			return false;
		if (tok_peek(rd)->kind == TOK_SEMI)
			tok_take(rd);
		return read_body(rd, n);
	}
	t = tok_take(rd);
	if (t.kind != TOK_WORD || t.word->text == NULL || !t.word->plain ||
	    !shell_is_name(t.word->text, strlen(t.word->text)))
		return rd_fail(rd, "a for names no variable") != NULL;
	n->name = t.word->text;
	if (!tok_skip_newlines(rd) && tok_peek(rd)->kind == TOK_SEMI) {
		tok_take(rd);
		n->implicit = true;
		return read_body(rd, n);
	}
	n->implicit = !tok_is(rd, "in");
	if (n->implicit)
		return read_body(rd, n);
	tok_take(rd);
	while (tok_peek(rd)->kind == TOK_WORD) {
		*end = tok_take(rd).word;
		end = &(*end)->next;
	}
	if (tok_peek(rd)->kind != TOK_SEMI &&
	    tok_peek(rd)->kind != TOK_NEWLINE)
		return rd_fail(rd, "it is not shell syntax") != NULL;
	tok_take(rd);
	return read_body(rd, n);
}

/* One `pattern | pattern ) list ;;`; patterns go to the words. */
static bool
read_branch(struct reader *rd, struct sh_word ***words,
    struct sh_node ***kids)
{
	struct sh_node *list;

	if (tok_peek(rd)->kind == TOK_OPEN)
		tok_take(rd);
	for (;;) {
		struct token t = tok_take(rd);

		if (t.kind != TOK_WORD)
			return rd_fail(rd, "a pattern of case is missing")
			    != NULL;
		**words = t.word;
		*words = &t.word->next;
		t = tok_take(rd);
		if (t.kind == TOK_CLOSE)
			break;
		if (t.kind != TOK_PIPE)
			return rd_fail(rd, "a pattern of case is not closed")
			    != NULL;
	}
	list = parse_list(rd);
	if (list == NULL)
		return false;
	**kids = list;
	*kids = &list->next;
	return true;
}

static bool
read_case(struct reader *rd, struct sh_node *n)
{
	struct token t = tok_take(rd);
	struct sh_word **words = &n->words;
	struct sh_node **kids = &n->kids;

	if (t.kind != TOK_WORD)
		return rd_fail(rd, "a case names no word") != NULL;
	*words = t.word;
	words = &t.word->next;
	tok_skip_newlines(rd);
	if (!expect(rd, "in"))
		return false;
	tok_skip_newlines(rd);
	while (rd->fail == NULL && !tok_is(rd, "esac")) {
		if (!read_branch(rd, &words, &kids))
			return false;
		if (tok_peek(rd)->kind != TOK_SEMI_SEMI)
			break;
		tok_take(rd);
		/* ;;& is two of our tokens. */
		if (tok_peek(rd)->kind == TOK_AMP &&
		    rd->s[tok_peek(rd)->at - 1] == ';')
			tok_take(rd);
		tok_skip_newlines(rd);
	}
	return expect(rd, "esac");
}

/* Inside [[ ]] operators are words; a regular expression is read apart. */
static bool
read_test(struct reader *rd, struct sh_node *n)
{
	struct sh_word **end = &n->words;
	int open = 0;

	for (;;) {
		struct token t = tok_take(rd);

		if (t.kind == TOK_OPEN || t.kind == TOK_CLOSE) {
			open += t.kind == TOK_OPEN ? 1 : -1;
			continue;
		}
		if (t.kind == TOK_AND || t.kind == TOK_OR ||
		    t.kind == TOK_NEWLINE)
			continue;
		if (t.kind == TOK_REDIR && t.fd == -1 &&
		    (t.redir == SH_IN || t.redir == SH_OUT))
			continue;
		if (t.kind != TOK_WORD)
			return rd_fail(rd, "a [[ is not closed") != NULL;
		if (t.word->plain && t.word->text != NULL &&
		    strcmp(t.word->text, "]]") == 0)
			break;
		*end = t.word;
		end = &t.word->next;
		if (t.word->text == NULL || strcmp(t.word->text, "=~") != 0)
			continue;
		while (lex_blank(rd_peek(rd, 0)))
			rd->at++;
		*end = word_read_regex(rd);
		if (*end == NULL)
			return false;
		end = &(*end)->next;
	}
	if (open != 0 || n->words == NULL)
		return rd_fail(rd, "a [[ ]] cannot be read") != NULL;
	return true;
}

static bool
read_function(struct reader *rd, struct sh_node *n)
{
	struct token t = tok_take(rd);

	if (t.kind != TOK_WORD || t.word->text == NULL || !t.word->plain)
		return rd_fail(rd, "a function has no plain name") != NULL;
	n->name = t.word->text;
	if (tok_peek(rd)->kind == TOK_OPEN) {
		tok_take(rd);
		if (tok_take(rd).kind != TOK_CLOSE)
			return rd_fail(rd, "it is not shell syntax") != NULL;
	}
	tok_skip_newlines(rd);
	n->kids = parse_command(rd);
	if (n->kids != NULL && n->kids->kind == SH_SIMPLE)
		rd_fail(rd, "a function has no body");
	return rd->fail == NULL;
}

struct sh_node *
parse_function(struct reader *rd, const char *name)
{
	struct sh_node *n = node_new(rd, SH_FUNCTION, rd->at);

	if (tok_take(rd).kind != TOK_OPEN || tok_take(rd).kind != TOK_CLOSE)
		return rd_fail(rd, "a ( stands behind a word");
	if (n == NULL)
		return NULL;
	n->name = name;
	tok_skip_newlines(rd);
	n->kids = parse_command(rd);
	if (n->kids != NULL && n->kids->kind == SH_SIMPLE)
		rd_fail(rd, "a function has no body");
	return rd->fail != NULL ? NULL : n;
}

static const struct {
	const char	*word;
	enum sh_kind	 kind;
	bool		(*read)(struct reader *, struct sh_node *);
} compounds[] = {
	{ "(", SH_SUBSHELL, read_subshell }, { "{", SH_GROUP, read_group },
	{ "if", SH_IF, read_if }, { "while", SH_LOOP, read_loop },
	{ "until", SH_LOOP, read_loop }, { "for", SH_FOR, read_for },
	{ "select", SH_FOR, read_for }, { "case", SH_CASE, read_case },
	{ "[[", SH_TEST, read_test }, { "function", SH_FUNCTION,
	    read_function },
};

struct sh_node *
parse_compound(struct reader *rd, const char *keyword)
{
	if (strcmp(keyword, "coproc") == 0)
		return rd_fail(rd, "a coproc runs beside everything else");
	if (keyword[0] == '(' && at_calc(rd)) {
		struct sh_node *n = node_new(rd, SH_COMPUTE,
		    tok_peek(rd)->at);

		return n != NULL && calc_word(rd, n, tok_peek(rd)->at) ? n :
		    NULL;
	}
	for (size_t i = 0; i < sizeof(compounds) / sizeof(compounds[0]); i++) {
		struct sh_node *n;

		if (strcmp(compounds[i].word, keyword) != 0)
			continue;
		n = node_new(rd, compounds[i].kind, tok_peek(rd)->at);
		tok_take(rd);
		return n != NULL && compounds[i].read(rd, n) ? n : NULL;
	}
	return NULL;
}
