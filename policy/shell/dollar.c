/* policy/shell/dollar.c - $x ${x} $(x) $((x)) and `x`. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

static bool
name_char(int c)
{
	char ch = (char)c;

	return c > 0 && c < 0x80 && (shell_is_name(&ch, 1) ||
	    (c >= '0' && c <= '9'));
}

/* The end of the name that starts at `from`: an identifier, digits or one of
 * the special parameters. */
static uint32_t
name_end(const struct reader *rd, uint32_t from, bool braced)
{
	uint32_t to = from;

	if (to < rd->end && rd->s[to] >= '0' && rd->s[to] <= '9') {
		do
			to++;
		while (braced && to < rd->end && rd->s[to] >= '0' &&
		    rd->s[to] <= '9');
		return to;
	}
	if (to < rd->end && strchr("@*#?-$!", rd->s[to]) != NULL)
		return to + 1;
	while (to < rd->end && name_char((unsigned char)rd->s[to]))
		to++;
	return to;
}

static void
param_add(struct reader *rd, struct parts *p, bool quoted, uint32_t from,
    uint32_t to)
{
	struct sh_part *new = parts_add(rd, p, SH_PARAM, quoted);

	if (new != NULL)
		new->text = parts_source(rd, from, to);
}

/*
 * The text of ${...} or $((...)): substitutions in it are read, the rest is
 * only skipped, with quotes and nesting, up to an unquoted `close`.
 */
struct inside {
	struct parts	 parts;
	char		 close;
	bool		 quoted;
};

static void
inside_quote(struct reader *rd, struct inside *in, int c)
{
	if (in->quoted && c == '\'') {
		/* Whether it quotes depends on the operator and the mode. */
		rd_fail(rd, "a ' inside \"${...}\" is read in two ways");
		return;
	}
	rd->at++;
	if (c == '\'')
		quote_single(rd, &in->parts);
	else
		quote_double(rd, &in->parts);
}

/* One step; false at the closing character or after a failure. */
static bool
inside_step(struct reader *rd, struct inside *in)
{
	int c = rd_peek(rd, 0);

	if (c == -1) {
		rd_fail(rd, "a ${ or $(( is not closed");
		return false;
	}
	if (c == in->close)
		return false;
	if (c == '\\') {
		rd->at += rd_peek(rd, 1) == -1 ? 1 : 2;
	} else if (c == '$' && rd_peek(rd, 1) == '\'' && !in->quoted) {
		rd->at += 2;
		quote_ansi(rd, &in->parts);
	} else if (c == '$') {
		dollar_read(rd, &in->parts, in->quoted);
	} else if (c == '`') {
		backquote_read(rd, &in->parts, in->quoted);
	} else if (c == '\'' || c == '"') {
		inside_quote(rd, in, c);
	} else if ((c == '<' || c == '>') && rd_peek(rd, 1) == '(') {
		rd_fail(rd, "a process substitution inside ${...}");
	} else {
		rd->at++;
	}
	return rd->fail == NULL;
}

/* At "${". */
static void
brace_read(struct reader *rd, struct parts *p, bool quoted)
{
	struct inside in = { .close = '}', .quoted = quoted };
	uint32_t from = rd->at + 2, to;
	struct sh_part *new;

	if (rd_peek(rd, 2) == ' ' || rd_peek(rd, 2) == '|' ||
	    rd_peek(rd, 2) == '\n' || rd_peek(rd, 2) == '\t') {
		rd_fail(rd, "${ command; } is read in two ways");
		return;
	}
	to = name_end(rd, from, true);
	if (to > from && to < rd->end && rd->s[to] == '}') {
		param_add(rd, p, quoted, from, to);
		rd->at = to + 1;
		return;
	}
	if (to > from && rd->s[to - 1] == '$' && to < rd->end &&
	    strchr(":-+=?#%/^,@", rd->s[to]) == NULL) {
		rd_fail(rd, "${$ and no operator: where it ends is unclear");
		return;
	}
	new = parts_add(rd, p, SH_EXPAND, quoted);
	if (new == NULL || !rd_enter(rd))
		return;
	new->name = parts_source(rd, from, to);
	rd->at = to;
	parts_begin(&in.parts);
	while (inside_step(rd, &in))
		;
	rd_leave(rd);
	if (rd->fail != NULL)
		return;
	in.parts.n = 0;		/* only the substitutions are of interest */
	new->inner = in.parts.first;
	new->text = parts_source(rd, from, rd->at);
	rd->at++;
}

/* In (( )) only parentheses count; both must close together. */
static bool
calc_step(struct reader *rd, struct inside *in, unsigned *open)
{
	int c = rd_peek(rd, 0);

	if (c == '(')
		++*open;
	if (c == ')' && *open == 0) {
		if (rd_peek(rd, 1) == ')')
			return false;
		rd_fail(rd, "(( is read in two ways");
		return false;
	}
	if (c == ')')
		--*open;
	if (c != '(' && c != ')')
		return inside_step(rd, in);
	rd->at++;
	return true;
}

struct sh_part *
calc_read(struct reader *rd)
{
	struct sh_part *new = rd_get(rd, sizeof(*new));
	struct inside in = { .close = '\0', .quoted = true };
	uint32_t from = rd->at + 2;
	unsigned open = 0;

	if (new == NULL || !rd_enter(rd))
		return NULL;
	new->kind = SH_CALC;
	rd->at = from;
	parts_begin(&in.parts);
	while (calc_step(rd, &in, &open))
		;
	rd_leave(rd);
	if (rd->fail != NULL)
		return NULL;
	new->inner = in.parts.first;
	new->text = parts_source(rd, from, rd->at);
	rd->at += 2;
	return new;
}

static void
subst_read(struct reader *rd, struct parts *p, bool quoted)
{
	struct sh_part *new = parts_add(rd, p, SH_SUBST, quoted);

	rd->at += 2;
	if (new != NULL)
		new->body = parse_nested(rd);
}

void
dollar_read(struct reader *rd, struct parts *p, bool quoted)
{
	int c = rd_peek(rd, 1);
	uint32_t to;

	if (c == '\\' && rd_peek(rd, 2) == '\n')
		rd_fail(rd, "a $ and what follows on two lines");
	else if (c == '(' && rd_peek(rd, 2) == '(') {
		struct sh_part *new = parts_add(rd, p, SH_CALC, quoted), *got;

		rd->at++;
		got = calc_read(rd);
		if (new != NULL && got != NULL) {
			new->inner = got->inner;
			new->text = got->text;
		}
	} else if (c == '(') {
		subst_read(rd, p, quoted);
	} else if (c == '{') {
		brace_read(rd, p, quoted);
	} else if (c == '[') {
		rd_fail(rd, "$[ is an old spelling of $((");
	} else {
		to = c == -1 ? rd->at + 1 : name_end(rd, rd->at + 1, false);
		if (to == rd->at + 1)
			parts_char(rd, p, '$');	/* a lone dollar */
		else
			param_add(rd, p, quoted, rd->at + 1, to);
		if (rd->fail == NULL)
			rd->at = to;
		if (rd_peek(rd, 0) == '\\' && rd_peek(rd, 1) == '\n')
			rd_fail(rd, "a name over two lines");
	}
}

/* Where the backquoted text that starts at `at` ends; 0: nowhere. */
static uint32_t
backquote_end(const struct reader *rd, uint32_t at)
{
	for (; at < rd->end && rd->s[at] != '`'; at++)
		if (rd->s[at] == '\\')
			at++;
	return at < rd->end ? at : 0;
}

/* Its text, without the backslashes that only protected it from this level. */
static char *
backquote_text(struct reader *rd, uint32_t to, bool quoted, uint32_t *ret_n)
{
	char *text = rd_get(rd, (size_t)(to - rd->at) + 1);
	uint32_t n = 0;

	for (uint32_t i = rd->at; text != NULL && i < to; i++) {
		if (rd->s[i] == '\\') {
			char c = rd->s[i + 1];

			if (c != '`' && c != '\\' && c != '$' &&
			    !(quoted && c == '"'))
				text[n++] = '\\';
			i++;
		}
		text[n++] = rd->s[i];
	}
	*ret_n = n;
	return text;
}

void
backquote_read(struct reader *rd, struct parts *p, bool quoted)
{
	struct sh_part *new = parts_add(rd, p, SH_SUBST, quoted);
	uint32_t from = rd->at++, to = backquote_end(rd, rd->at);
	struct reader sub = *rd;

	if (to == 0)
		rd_fail(rd, "a ` is not closed");
	if (rd->fail != NULL || new == NULL)
		return;
	sub.s = backquote_text(rd, to, quoted, &sub.end);
	rd->at = to + 1;
	if (sub.s == NULL || !rd_enter(rd))
		return;
	sub.at = 0;
	sub.have = false;
	sub.depth = rd->depth;
	sub.shift = rd_at(rd, from);
	sub.fixed_len = rd_len(rd, from, rd->at);
	sub.fixed = true;
	sub.waiting = NULL;
	sub.waiting_end = &sub.waiting;
	sub.foreign = false;
	new->body = parse_list(&sub);
	if (sub.fail == NULL && tok_peek(&sub)->kind != TOK_END)
		rd_fail(&sub, "it is not shell syntax");
	if (sub.fail == NULL && sub.waiting != NULL)
		rd_fail(&sub, "a here-document does not end");
	rd_leave(rd);
	if (sub.fail != NULL)
		rd_fail(rd, sub.fail);
}
