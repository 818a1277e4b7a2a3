#include "cmd/toml.h"

#include <string.h>

#include "cmd/toml_names.h"
#include "cmd/toml_scalar.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define PATH_MAX_	8192
#define NESTING		32

struct scan {
	const char	*s;
	size_t		 len, at;
	struct str	 table, path;
	struct toml_names names;
	struct toml_scalar scalar;
	const char	*wrong;
};

static bool
fail(struct scan *c, const char *why)
{
	if (c->wrong == NULL)
		c->wrong = why;
	return false;
}

static char
peek(const struct scan *c)
{
	return c->at < c->len ? c->s[c->at] : '\0';
}

static bool
looking_at(const struct scan *c, const char *word)
{
	size_t n = strlen(word);

	return c->len - c->at >= n && memcmp(c->s + c->at, word, n) == 0;
}

static void
skip_blanks(struct scan *c)
{
	while (peek(c) == ' ' || peek(c) == '\t')
		c->at++;
}

static void
skip_comment(struct scan *c)
{
	if (peek(c) == '#')
		while (c->at < c->len && c->s[c->at] != '\n')
			c->at++;
}

static bool
end_line(struct scan *c)
{
	skip_blanks(c);
	skip_comment(c);
	if (looking_at(c, "\r\n"))
		c->at++;
	if (c->at < c->len && peek(c) != '\n')
		return fail(c, "something behind the value");
	c->at += c->at < c->len;
	return true;
}

static void
skip_lines(struct scan *c)
{
	for (;;) {
		skip_blanks(c);
		skip_comment(c);
		if (peek(c) != '\n' && !looking_at(c, "\r\n"))
			return;
		c->at++;
	}
}

void
toml_path_add(struct str *path, const char *segment, size_t len)
{
	str_addc(path, '/');
	for (size_t i = 0; i < len; i++)
		if (segment[i] == '~')
			str_add(path, "~0");
		else if (segment[i] == '/')
			str_add(path, "~1");
		else
			str_addc(path, segment[i]);
}

/* Behind the backslash; `lines`: it may stand at a line's end. */
static bool
skip_escape(struct scan *c, bool lines)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	char kind = c->s[++c->at];
	size_t want = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;

	if (lines && c->s[c->at + strspn(c->s + c->at, " \t\r")] == '\n')
		return true;
	if (kind == '\0' || strchr("btnfr\"\\uU", kind) == NULL ||
	    (want > 0 && strspn(c->s + c->at + 1, hex) < want))
		return fail(c, "an escape");
	return true;
}

/* A string of one line; the text between the quotes as it stands. */
static bool
skip_string(struct scan *c, size_t *ret_from, size_t *ret_len)
{
	char quote = peek(c);

	*ret_from = ++c->at;
	for (; c->at < c->len && c->s[c->at] != quote; c->at++) {
		if (c->s[c->at] == '\n')
			return fail(c, "a string without an end");
		if (c->s[c->at] == '\\' && quote == '"' &&
		    !skip_escape(c, false))
			return false;
	}
	if (c->at >= c->len)
		return fail(c, "a string without an end");
	*ret_len = c->at - *ret_from;
	c->at++;
	return true;
}

static bool
skip_long_string(struct scan *c)
{
	char quote = peek(c);
	const char *mark = quote == '"' ? "\"\"\"" : "'''";

	for (c->at += 3; c->at < c->len && !looking_at(c, mark); c->at++)
		if (c->s[c->at] == '\\' && quote == '"' &&
		    !skip_escape(c, true))
			return false;
	if (c->at >= c->len)
		return fail(c, "a string without an end");
	c->at += 3;
	/* Up to two quotes may stand before the closing three. */
	for (int i = 0; i < 2 && peek(c) == quote; i++)
		c->at++;
	return true;
}

/* A quoted key is taken when JSON reads it the same way, or literally. */
static bool
quoted_segment(struct scan *c, struct str *path)
{
	auto_json cJSON *v = NULL;
	bool basic = peek(c) == '"';
	size_t from, n;

	if (!skip_string(c, &from, &n))
		return false;
	if (!basic) {
		toml_path_add(path, c->s + from, n);
		return true;
	}
	if (json_parse(c->s + from - 1, n + 2, 1, &v, NULL) == -1)
		return fail(c, "a quoted key");
	toml_path_add(path, v->valuestring, strlen(v->valuestring));
	return true;
}

static bool
read_key(struct scan *c, struct str *path)
{
	static const char bare[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	for (;;) {
		skip_blanks(c);
		if (peek(c) == '"' || peek(c) == '\'') {
			if (!quoted_segment(c, path))
				return false;
		} else {
			size_t n = strspn(c->s + c->at, bare);

			if (n == 0)
				return fail(c, "a key");
			toml_path_add(path, c->s + c->at, n);
			c->at += n;
		}
		skip_blanks(c);
		if (peek(c) != '.')
			return true;
		c->at++;
	}
}

static bool	skip_value(struct scan *, unsigned depth);

static bool
skip_inline_table(struct scan *c, unsigned depth)
{
	auto_str struct str key = { 0 };
	__attribute__((cleanup(toml_names_clear)))
	struct toml_names names;

	str_init(&key, PATH_MAX_);
	toml_names_init(&names);
	c->at++;
	skip_blanks(c);
	if (peek(c) == '}') {
		c->at++;
		return true;
	}
	for (;;) {
		str_reset(&key);
		if (!read_key(c, &key) || peek(c) != '=')
			return fail(c, "an inline table");
		if (!toml_names_value(&names, key.s, 0))
			return fail(c, "a name that is taken");
		c->at++;
		skip_blanks(c);
		if (!skip_value(c, depth + 1))
			return false;
		skip_blanks(c);
		if (peek(c) != ',')
			break;
		c->at++;
	}
	if (peek(c) != '}')
		return fail(c, "an inline table without an end");
	c->at++;
	return true;
}

static bool
skip_list(struct scan *c, unsigned depth)
{
	c->at++;
	for (;;) {
		skip_lines(c);
		if (peek(c) == ']')
			break;
		if (!skip_value(c, depth + 1))
			return false;
		skip_lines(c);
		if (peek(c) != ',')
			break;
		c->at++;
	}
	if (peek(c) != ']')
		return fail(c, "a list without an end");
	c->at++;
	return true;
}

static bool
skip_value(struct scan *c, unsigned depth)
{
	size_t from, n;

	if (depth > NESTING)
		return fail(c, "too deep");
	if (looking_at(c, "\"\"\"") || looking_at(c, "'''"))
		return skip_long_string(c);
	if (peek(c) == '"' || peek(c) == '\'')
		return skip_string(c, &from, &n);
	if (peek(c) == '[')
		return skip_list(c, depth);
	if (peek(c) == '{')
		return skip_inline_table(c, depth);
	n = toml_scalar_len(&c->scalar, c->s + c->at);
	c->at += n;
	return n > 0 || fail(c, "a value");
}

static bool
read_header(struct scan *c, struct toml_event *ev)
{
	ev->is_table = true;
	ev->is_list = looking_at(c, "[[");
	c->at += ev->is_list ? 2 : 1;
	str_reset(&c->table);
	if (!read_key(c, &c->table) ||
	    !looking_at(c, ev->is_list ? "]]" : "]"))
		return fail(c, "a table's header");
	if (!toml_names_table(&c->names, c->table.s, ev->is_list))
		return fail(c, "a table that is there already");
	c->at += ev->is_list ? 2 : 1;
	ev->path = c->table.s;
	return true;
}

static bool
read_pair(struct scan *c, struct toml_event *ev)
{
	str_reset(&c->path);
	str_add(&c->path, c->table.s);
	if (!read_key(c, &c->path) || peek(c) != '=')
		return fail(c, "a key without a value");
	if (!toml_names_value(&c->names, c->path.s, c->table.len))
		return fail(c, "a name that is taken");
	c->at++;
	skip_blanks(c);
	ev->value = c->at;
	if (!skip_value(c, 0))
		return false;
	ev->value_len = c->at - ev->value;
	ev->path = c->path.s;
	return true;
}

static unsigned
line_of(const struct scan *c)
{
	unsigned n = 1;

	for (size_t i = 0; i < c->at && i < c->len; i++)
		n += c->s[i] == '\n';
	return n;
}

/* Nowhere in TOML does a control byte stand for itself. */
static bool
check_bytes(struct scan *c)
{
	if (!utf8_ok(c->s, c->len))
		return fail(c, "text that is not UTF-8");
	for (; c->at < c->len; c->at++) {
		unsigned char b = (unsigned char)c->s[c->at];

		if (b >= ' ' ? b == 0x7f : b != '\t' && b != '\n' &&
		    !looking_at(c, "\r\n"))
			return fail(c, "a control byte");
	}
	c->at = 0;
	return true;
}

int
toml_scan(const char *text, size_t len, toml_fn *fn, void *arg, struct err *e)
{
	struct scan c = { .s = text, .len = len };

	str_init(&c.table, PATH_MAX_);
	str_init(&c.path, PATH_MAX_);
	toml_names_init(&c.names);
	toml_scalar_init(&c.scalar);
	if (check_bytes(&c))
		skip_lines(&c);
	for (; c.wrong == NULL && c.at < len; skip_lines(&c)) {
		struct toml_event ev = { .at = c.at };
		bool fine = peek(&c) == '[' ? read_header(&c, &ev) :
		    read_pair(&c, &ev);

		if (!fine || !end_line(&c))
			break;
		ev.end = c.at;
		if (fn != NULL)
			fn(arg, &ev);
	}
	if (c.table.full || c.path.full)
		c.wrong = "a very long key";
	if (c.wrong != NULL)
		err_set(e, ERR_FORMAT, "line %u: cannot read %s", line_of(&c),
		    c.wrong);
	str_clear(&c.table);
	str_clear(&c.path);
	toml_names_clear(&c.names);
	toml_scalar_clear(&c.scalar);
	return c.wrong != NULL ? -1 : 0;
}

struct wanted {
	const char	*path, *text;
	struct str	*ret;
	bool		 found;
};

static void
take(void *arg, const struct toml_event *ev)
{
	struct wanted *w = arg;

	if (ev->is_table || w->found || strcmp(ev->path, w->path) != 0)
		return;
	w->found = true;
	str_addn(w->ret, w->text + ev->value, ev->value_len);
}

bool
toml_get(const char *text, size_t len, const char *path, struct str *ret)
{
	struct wanted w = { .path = path, .text = text, .ret = ret };

	return toml_scan(text, len, take, &w, NULL) == 0 && w.found;
}
