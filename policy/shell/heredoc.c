/* policy/shell/heredoc.c - the lines behind a <<WORD. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

/* The end of the line at `from`: its newline, or the end of the text. */
static uint32_t
line_end(const struct reader *rd, uint32_t from)
{
	const char *nl = memchr(rd->s + from, '\n', rd->end - from);

	return nl == NULL ? rd->end : (uint32_t)(nl - rd->s);
}

/* Does an odd number of backslashes join this line with the next? */
static bool
joined(const struct reader *rd, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	while (to > from && rd->s[to - 1] == '\\') {
		to--;
		n++;
	}
	return n % 2 == 1;
}

static bool
is_delimiter(const struct reader *rd, const struct sh_redir *r, uint32_t from,
    uint32_t to)
{
	size_t n = strlen(r->word->text);

	while (r->tabs && from < to && rd->s[from] == '\t')
		from++;
	return to - from == n && memcmp(rd->s + from, r->word->text, n) == 0;
}

/* As between double quotes, but " is a character like any other. */
static struct sh_part *
body_parts(struct reader *rd, uint32_t from, uint32_t to)
{
	struct reader sub = *rd;
	struct parts p;

	parts_begin(&p);
	sub.at = from;
	sub.end = to;
	sub.foreign = false;
	sub.have = false;
	sub.waiting = NULL;
	sub.waiting_end = &sub.waiting;
	while (sub.fail == NULL && sub.at < sub.end) {
		int c = rd_peek(&sub, 0), c1 = rd_peek(&sub, 1);

		if (c == '\\' && (c1 == '\n' || c1 == '$' || c1 == '`' ||
		    c1 == '\\')) {
			if (c1 != '\n')
				parts_char(&sub, &p, (char)c1);
			sub.at += 2;
		} else if (c == '$') {
			dollar_read(&sub, &p, true);
		} else if (c == '`') {
			backquote_read(&sub, &p, true);
		} else {
			parts_char(&sub, &p, (char)c);
			sub.at++;
		}
	}
	parts_end(&sub, &p);
	if (sub.fail != NULL)
		rd_fail(rd, sub.fail);
	return p.first;
}

static struct sh_part *
body_literal(struct reader *rd, uint32_t from, uint32_t to)
{
	struct sh_part *p = rd_get(rd, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->kind = SH_TEXT;
	p->quoted = true;
	p->text = parts_source(rd, from, to);
	return p;
}

static void
read_body(struct reader *rd, struct sh_redir *r)
{
	uint32_t from = rd->at, at = from;

	for (bool fresh = true; ; ) {
		uint32_t to = line_end(rd, at);

		if (fresh && is_delimiter(rd, r, at, to)) {
			r->body = r->literal ? body_literal(rd, from, at) :
			    body_parts(rd, from, at);
			rd->at = rd->fail != NULL ? rd->end :
			    to < rd->end ? to + 1 : to;
			return;
		}
		if (to == rd->end) {
			rd_fail(rd, "a here-document does not end");
			return;
		}
		fresh = r->literal || !joined(rd, at, to);
		at = to + 1;
	}
}

void
heredoc_bodies(struct reader *rd)
{
	if (rd->foreign)
		rd_fail(rd, "a here-document waits behind an open bracket");
	for (struct sh_redir *r = rd->waiting; r != NULL && rd->fail == NULL;
	    r = r->waits)
		read_body(rd, r);
	rd->waiting = NULL;
	rd->waiting_end = &rd->waiting;
}
