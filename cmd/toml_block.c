#include "cmd/toml_block.h"

#include <stdbool.h>
#include <string.h>

#include "cmd/toml.h"

#include "common/banned.h"

struct seek {
	const struct toml_block *b;
	const char	*text, *at;
};

static void
find_header(void *arg, const struct toml_event *ev)
{
	struct seek *s = arg;
	size_t n = strlen(s->b->begin);

	if (s->at == NULL && ev->is_table && str_eq(ev->path, s->b->table) &&
	    ev->at >= n && memcmp(s->text + ev->at - n, s->b->begin, n) == 0 &&
	    (ev->at == n || s->text[ev->at - n - 1] == '\n'))
		s->at = s->text + ev->at - n;
}

int
toml_block_find(const struct toml_block *b, const struct str *text,
    size_t *ret_at, size_t *ret_len, struct err *e)
{
	struct seek s = { .b = b, .text = text->s };
	const char *end;

	if (toml_scan(text->s, text->len, find_header, &s, e) == -1)
		return -1;
	if (s.at == NULL)
		return 0;
	end = strstr(s.at, b->end);
	if (end == NULL)
		return err_set(e, ERR_FORMAT, "our last line is gone");
	*ret_at = (size_t)(s.at - text->s);
	*ret_len = (size_t)(end - s.at) + strlen(b->end);
	return 1;
}

int
toml_block_remove(const struct toml_block *b, struct str *text, struct err *e)
{
	struct str rest;
	size_t at = 0, len = 0;
	int there = strstr(text->s, b->begin) == NULL ? 0 :
	    toml_block_find(b, text, &at, &len, e);

	if (there <= 0)
		return there;
	str_init(&rest, text->max);
	str_addn(&rest, text->s, at);
	str_addn(&rest, text->s + at + len, text->len - at - len);
	str_clear(text);
	*text = rest;
	return 0;
}

int
toml_block_append(struct str *text, const struct str *block, struct err *e)
{
	struct str all;

	str_init(&all, text->max);
	str_addn(&all, text->s, text->len);
	if (all.len > 0 && all.s[all.len - 1] != '\n')
		str_addc(&all, '\n');
	str_addn(&all, block->s, block->len);
	if (all.full)
		err_set(e, ERR_FORMAT, "it would become too long");
	else if (toml_scan(all.s, all.len, NULL, NULL, e) == 0) {
		str_clear(text);
		*text = all;
		return 0;
	}
	str_clear(&all);
	return -1;
}
