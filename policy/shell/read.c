/* policy/shell/read.c - the cursor, and the door of the library. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

void *
rd_fail(struct reader *rd, const char *why)
{
	if (rd->fail == NULL) {
		rd->fail = why;
		rd->fail_at = rd_at(rd, rd->at);
	}
	rd->at = rd->end;
	rd->have = true;
	rd->tok = (struct token){ .kind = TOK_END, .at = rd->end,
	    .end = rd->end };
	return NULL;
}

void *
rd_get(struct reader *rd, size_t size)
{
	void *p;

	/* Time is bounded by what there is, not by how long it is. */
	if (rd->pieces++ == SHELL_PIECES)
		return rd_fail(rd, "it holds more than can be judged at once");
	p = arena_get(rd->arena, size);
	return p != NULL ? p : rd_fail(rd, "it is too large");
}

bool
rd_enter(struct reader *rd)
{
	if (rd->fail != NULL)
		return false;
	if (rd->depth == SHELL_DEPTH) {
		rd_fail(rd, "it is nested too deeply");
		return false;
	}
	rd->depth++;
	return true;
}

void
rd_leave(struct reader *rd)
{
	rd->depth--;
}

int
rd_peek(const struct reader *rd, uint32_t ahead)
{
	/* After a failure there is nothing more, wherever the cursor is. */
	return rd->fail == NULL && ahead < rd->end - rd->at ?
	    (unsigned char)rd->s[rd->at + ahead] : -1;
}

uint32_t
rd_at(const struct reader *rd, uint32_t at)
{
	return rd->fixed ? rd->shift : rd->shift + at;
}

uint32_t
rd_len(const struct reader *rd, uint32_t from, uint32_t to)
{
	return rd->fixed ? rd->fixed_len : to - from;
}

bool
shell_is_name(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool letter = (p[i] >= 'a' && p[i] <= 'z') ||
		    (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_';

		if (!letter && (i == 0 || p[i] < '0' || p[i] > '9'))
			return false;
	}
	return len > 0;
}

/* Bytes no honest command line holds, and that our values give a meaning. */
static const char *
text_refused(const char *text, size_t len)
{
	if (len > SHELL_MAX)
		return "it is too long";
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
			return "it holds control characters";
	}
	return NULL;
}

void
shell_read(struct arena *a, const char *text, size_t len, struct sh_tree *ret)
{
	struct reader rd = { .arena = a, .s = text, .end = (uint32_t)len };

	*ret = (struct sh_tree){ .fail = text_refused(text, len) };
	if (ret->fail != NULL)
		return;
	rd.waiting_end = &rd.waiting;
	rd.scratch = rd_get(&rd, len + 1);
	ret->root = parse_list(&rd);
	if (rd.fail == NULL && tok_peek(&rd)->kind != TOK_END)
		rd_fail(&rd, "it is not shell syntax");
	if (rd.fail == NULL && rd.waiting != NULL)
		rd_fail(&rd, "a here-document does not end");
	ret->fail = rd.fail;
	ret->fail_at = rd.fail_at;
	if (ret->fail != NULL)
		ret->root = NULL;
}
