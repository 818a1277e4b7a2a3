/* policy/shell/word.c - one word: quoting, expansions, what is still active. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

struct word_state {
	struct parts	parts;
	uint32_t	from;
	bool		plain;		/* nothing quoted or expanded so far */
	uint32_t	assigns;	/* length of NAME= or NAME+= */
	bool		joined;		/* it goes over two lines */
	bool		brace_open;
	uint32_t	brace_at;	/* of the first '{' */
	bool		brace_list;	/* and a ',' or '..' behind it */
	bool		brace;
};

/* A ~ here is expanded only if a name and then / : or the end follow. */
static void
tilde_read(struct reader *rd, struct word_state *w)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
	    "QRSTUVWXYZ0123456789_.+-";
	uint32_t to = rd->at + 1;
	struct sh_part *new;
	int c;

	while (to < rd->end && strchr(set, rd->s[to]) != NULL)
		to++;
	c = to < rd->end ? (unsigned char)rd->s[to] : -1;
	if (!lex_break(c) && c != '/' && c != ':') {
		parts_char(rd, &w->parts, '~');
		rd->at++;
		if (strchr("'\"$`", c) == NULL)
			rd_fail(rd, "a ~ in front of something odd");
		return;
	}
	new = parts_add(rd, &w->parts, SH_TILDE, false);
	if (new != NULL)
		new->text = parts_source(rd, rd->at + 1, to);
	rd->at = to;
	w->plain = false;
}

/* "*", "?" or a "[" that has its "]" inside the word. */
static void
glob_read(struct reader *rd, struct word_state *w, int c)
{
	static const char simple[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"
	    "NOPQRSTUVWXYZ0123456789_:-!^";
	uint32_t to = rd->at + 1;
	struct sh_part *new;

	w->plain = w->plain && c == '[';
	if (c == '[') {
		while (to < rd->end && strchr(simple, rd->s[to]) != NULL)
			to++;
		if (rd->at == w->from && to < rd->end && rd->s[to] == '[' &&
		    to == rd->at + 1)
			to++;		/* the word [[ */
		if (to == rd->end || lex_break((unsigned char)rd->s[to])) {
			for (; rd->at < to; rd->at++)	/* never closed */
				parts_char(rd, &w->parts, rd->s[rd->at]);
			return;
		}
		to -= rd->s[to - 1] == '[' && to > rd->at + 1;
		w->plain = false;
	}
	new = parts_add(rd, &w->parts, SH_GLOB, false);
	if (new == NULL)
		return;
	if (c != '[' || (rd->s[to] == ']' && to > rd->at + 1)) {
		new->text = c == '*' ? "*" : c == '?' ? "?" : "[";
		rd->at = c == '[' ? to + 1 : rd->at + 1;
		return;
	}
	new->text = "+";	/* [[:class:]], quotes inside: anything */
	rd->at++;
}

static void
brace_note(struct reader *rd, struct word_state *w, int c)
{
	if (c == '{' && !w->brace_open) {
		w->brace_open = true;
		w->brace_at = rd->at;
		/* Everything from here on may be said several times. */
		parts_add(rd, &w->parts, SH_BRACE, false);
	} else if (w->brace_open && (c == ',' || (c == '.' &&
	    rd_peek(rd, 1) == '.'))) {
		w->brace_list = true;
	} else if (c == '}' && w->brace_list) {
		w->brace = true;
	}
	parts_char(rd, &w->parts, (char)c);
	rd->at++;
}

static void
quote_read(struct reader *rd, struct word_state *w, int c)
{
	w->plain = false;
	if (c == '\\') {
		if (rd_peek(rd, 1) == -1) {
			rd_fail(rd, "it ends in a backslash");
			return;
		}
		parts_char(rd, &w->parts, rd->s[rd->at + 1]);
		w->parts.some = true;
		rd->at += 2;
		return;
	}
	rd->at += c == '$' ? 2 : 1;
	c = c == '$' ? rd->s[rd->at - 1] == '"' ? '"' : '$' : c;
	if (c == '"')
		quote_double(rd, &w->parts);
	else if (c == '$')
		quote_ansi(rd, &w->parts);
	else
		quote_single(rd, &w->parts);
}

static void
proc_read(struct reader *rd, struct word_state *w)
{
	struct sh_part *new = parts_add(rd, &w->parts, SH_PROC, false);

	w->plain = false;
	rd->at += 2;
	if (new != NULL)
		new->body = parse_nested(rd);
}

/* Is this ~ at a place where it can be expanded? */
static bool
tilde_counts(const struct reader *rd, const struct word_state *w)
{
	if (rd->at == w->from)
		return true;
	return w->assigns > 0 && (rd->s[rd->at - 1] == '=' ||
	    rd->s[rd->at - 1] == ':') && (rd->at < 2 ||
	    rd->s[rd->at - 2] != '\\');
}

static void
plain_char(struct reader *rd, struct word_state *w, int c)
{
	uint32_t n = rd->at - w->from;

	if (c == '~' && w->joined && (rd->s[rd->at - 1] == '=' ||
	    rd->s[rd->at - 1] == ':'))
		rd_fail(rd, "a ~ in a word over two lines");
	if (c == '=' && w->plain && w->assigns == 0) {
		bool add = n > 1 && rd->s[rd->at - 1] == '+';

		if (shell_is_name(rd->s + w->from, add ? n - 1 : n))
			w->assigns = n + 1;
	}
	parts_char(rd, &w->parts, (char)c);
	rd->at++;
}

static bool
letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * A line may go on behind a word or between two letters; inside everything
 * else what it does is subtle.
 */
static void
join_line(struct reader *rd, struct word_state *w)
{
	int before = rd->at == w->from ? ' ' : rd->s[rd->at - 1];
	int after = rd_peek(rd, 2);

	if (!lex_blank(before) && !lex_break(after) &&
	    !(letter(before) && letter(after)))
		rd_fail(rd, "a word over two lines");
	else
		rd->at += 2;
	w->plain = w->plain && lex_break(after);
	w->joined = w->joined || !lex_break(after);
}

/* One step; false where the word ends. */
static bool
word_step(struct reader *rd, struct word_state *w)
{
	int c = rd_peek(rd, 0), c1 = rd_peek(rd, 1);

	if ((c == '<' || c == '>') && c1 == '(')
		proc_read(rd, w);
	else if (lex_break(c))
		return false;
	else if (c == '\\' && c1 == '\n')
		join_line(rd, w);
	else if (c == '\\' || c == '\'' || c == '"' ||
	    (c == '$' && (c1 == '\'' || c1 == '"')))
		quote_read(rd, w, c);
	else if (c == '$' || c == '`') {
		w->plain = false;
		(c == '$' ? dollar_read : backquote_read)(rd, &w->parts,
		    false);
	} else if (c == '*' || c == '?' || c == '[')
		glob_read(rd, w, c);
	else if (c == '{' || c == '}' || c == ',' || c == '.')
		brace_note(rd, w, c);
	else if (c == '~' && tilde_counts(rd, w))
		tilde_read(rd, w);
	else
		plain_char(rd, w, c);
	return rd->fail == NULL;
}

/* The constant's text, when all of the word is text. */
static const char *
join(struct reader *rd, const struct sh_part *parts)
{
	const struct sh_part *p;
	size_t n = 0;
	char *text;

	for (p = parts; p != NULL; p = p->next) {
		if (p->kind != SH_TEXT)
			return NULL;
		n += strlen(p->text);
	}
	if (parts != NULL && parts->next == NULL)
		return parts->text;
	text = rd_get(rd, n + 1);
	n = 0;
	for (p = parts; p != NULL && text != NULL; p = p->next) {
		memcpy(text + n, p->text, strlen(p->text));
		n += strlen(p->text);
	}
	return text;
}

#define BRACE_LONG	512

/* The rest as written: what is quoted in it counts otherwise. */
static void
keep_brace(struct reader *rd, const struct word_state *w)
{
	struct sh_part *p = w->parts.first;

	while (p != NULL && p->kind != SH_BRACE)
		p = p->next;
	if (p != NULL && rd->at - w->brace_at <= BRACE_LONG)
		p->text = parts_source(rd, w->brace_at, rd->at);
}

static void
drop_braces(struct sh_part **at)
{
	while (*at != NULL)
		if ((*at)->kind == SH_BRACE)
			*at = (*at)->next;
		else
			at = &(*at)->next;
}

static struct sh_word *
finish(struct reader *rd, struct word_state *w)
{
	struct sh_word *word = rd_get(rd, sizeof(*word));

	parts_end(rd, &w->parts);
	if (word == NULL || rd->fail != NULL)
		return NULL;
	if (w->brace)
		keep_brace(rd, w);
	else
		drop_braces(&w->parts.first);
	word->at = rd_at(rd, w->from);
	word->len = rd_len(rd, w->from, rd->at);
	word->parts = w->parts.first;
	word->plain = w->plain;
	word->assigns = w->assigns;
	word->text = join(rd, word->parts);
	return word;
}

struct sh_word *
word_read(struct reader *rd)
{
	struct word_state w = { .from = rd->at, .plain = true };

	parts_begin(&w.parts);
	while (word_step(rd, &w))
		;
	if (rd->fail != NULL)
		return NULL;
	return finish(rd, &w);
}

/* Behind =~ parentheses and bars belong to the word. */
struct sh_word *
word_read_regex(struct reader *rd)
{
	struct word_state w = { .from = rd->at };
	unsigned open = 0;

	parts_begin(&w.parts);
	for (;;) {
		int c = rd_peek(rd, 0);

		if (c == '(' || (c == ')' && open > 0) || c == '|' ||
		    (c == ' ' && open > 0)) {
			open += c == '(' ? 1 : 0;
			open -= c == ')' ? 1 : 0;
			parts_char(rd, &w.parts, (char)c);
			rd->at++;
		} else if (!word_step(rd, &w)) {
			break;
		}
	}
	if (open > 0 || rd->at == w.from)
		rd_fail(rd, "a pattern in [[ ]] cannot be read");
	return rd->fail != NULL ? NULL : finish(rd, &w);
}
