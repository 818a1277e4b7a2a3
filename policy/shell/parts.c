/* policy/shell/parts.c - gathering the pieces of one word. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

void
parts_begin(struct parts *p)
{
	*p = (struct parts){ 0 };
	p->end = &p->first;
}

void
parts_char(struct reader *rd, struct parts *p, char c)
{
	if (rd->fail == NULL)	/* never more than the source has bytes */
		rd->scratch[p->n++] = c;
}

static struct sh_part *
append(struct reader *rd, struct parts *p, enum sh_part_kind kind)
{
	struct sh_part *new = rd_get(rd, sizeof(*new));

	if (new == NULL)
		return NULL;
	new->kind = kind;
	new->text = "";
	*p->end = new;
	p->end = &new->next;
	return new;
}

static void
flush(struct reader *rd, struct parts *p)
{
	struct sh_part *new;
	char *text;

	if (p->n == 0 || rd->fail != NULL)
		return;
	new = append(rd, p, SH_TEXT);
	text = rd_get(rd, (size_t)p->n + 1);
	if (new == NULL || text == NULL)
		return;
	memcpy(text, rd->scratch, p->n);
	new->text = text;
	p->n = 0;
}

struct sh_part *
parts_add(struct reader *rd, struct parts *p, enum sh_part_kind kind,
    bool quoted)
{
	struct sh_part *new;

	flush(rd, p);
	new = append(rd, p, kind);
	if (new != NULL)
		new->quoted = quoted;
	return new;
}

void
parts_end(struct reader *rd, struct parts *p)
{
	flush(rd, p);
	if (p->first == NULL && p->some)
		append(rd, p, SH_TEXT);
}

const char *
parts_source(struct reader *rd, uint32_t from, uint32_t to)
{
	char *text = rd_get(rd, (size_t)(to - from) + 1);

	if (text != NULL)
		memcpy(text, rd->s + from, to - from);
	return text != NULL ? text : "";
}
