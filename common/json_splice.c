#include "common/json_splice.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_scan.h"
#include "common/mem.h"

#include "common/banned.h"

static const char space[] = " \t\r\n";

static size_t
skip_string(const char *s, size_t at)
{
	for (at++; s[at] != '"'; at++)
		if (s[at] == '\\')
			at++;
	return at + 1;
}

/* Where the value that begins at `at` ends; the text is known to be JSON. */
static size_t
value_end(const char *s, size_t at)
{
	size_t depth = 0;

	if (s[at] == '"')
		return skip_string(s, at);
	if (s[at] != '{' && s[at] != '[')
		return at + strcspn(s + at, ",]} \t\r\n");
	for (;;) {
		if (s[at] == '"') {
			at = skip_string(s, at);
			continue;
		}
		if (s[at] == '{' || s[at] == '[')
			depth++;
		if ((s[at] == '}' || s[at] == ']') && --depth == 0)
			return at + 1;
		at++;
	}
}

/* From a key to its value; an element is its own value. */
static size_t
value_of(const char *s, size_t at, bool is_member)
{
	if (!is_member)
		return at;
	at = skip_string(s, at);
	at += strspn(s + at, space);
	return at + 1 + strspn(s + at + 1, space);
}

static bool
inside_object(const char *s, size_t at)
{
	/* A member's key is followed by a colon, an element never is. */
	if (s[at] != '"')
		return false;
	at = skip_string(s, at);
	return s[at + strspn(s + at, space)] == ':';
}

static char *
blanked(const struct str *text)
{
	char *copy = xstrndup(text->s, text->len);

	json_blank_comments(copy, text->len);
	return copy;
}

static void
replace(struct str *text, size_t at, size_t old_len, const char *new)
{
	struct str out;

	str_init(&out, text->max);
	str_addn(&out, text->s, at);
	str_add(&out, new);
	str_addn(&out, text->s + at + old_len, text->len - at - old_len);
	str_clear(text);
	*text = out;
}

/* The white space that stands before `at` on its line, newline included, or
 * "" when something else stands there. */
static char *
margin(const char *s, size_t at)
{
	size_t from = at;

	while (from > 0 && (s[from - 1] == ' ' || s[from - 1] == '\t'))
		from--;
	if (from == 0 || s[from - 1] != '\n')
		return xstrdup("");
	from -= from >= 2 && s[from - 2] == '\r' ? 2 : 1;
	return xstrndup(s + from, at - from);
}

/* The end of the last member or element in the container at open..close. */
static size_t
last_end(const char *s, size_t open, size_t close)
{
	size_t at = open + 1 + strspn(s + open + 1, space), end = open + 1;

	while (at < close) {
		end = value_end(s, value_of(s, at, s[open] == '{'));
		at = end + strspn(s + end, space);
		at += s[at] == ',';
		at += strspn(s + at, space);
	}
	return end;
}

int
json_splice_append(struct str *text, const char *pointer, const char *key,
    const char *value, struct err *e)
{
	auto_free char *s = blanked(text), *lead = NULL;
	size_t at, open, close, first, end;
	struct str add;

	if (json_offset(s, text->len, pointer, &at) == -1)
		return err_set(e, ERR_FORMAT, "there is no '%s'", pointer);
	open = value_of(s, at, *pointer != '\0' && inside_object(s, at));
	if (s[open] != (key == NULL ? '[' : '{'))
		return err_set(e, ERR_FORMAT, "'%s' is not %s", pointer,
		    key == NULL ? "an array" : "an object");
	close = value_end(s, open) - 1;
	first = open + 1 + strspn(s + open + 1, space);
	end = last_end(s, open, close);
	if (first < close) {
		lead = margin(s, first);
	} else {
		auto_free char *outer = margin(s, close);

		/* Empty: one step further in than its own bracket. */
		lead = *outer == '\0' ? xstrdup("") :
		    xasprintf("%s  ", outer);
	}
	str_init(&add, text->max);
	str_add(&add, first < close ? "," : "");
	str_add(&add, first < close && *lead == '\0' ? " " : lead);
	if (key != NULL) {
		json_quote(key, strlen(key), &add);
		str_add(&add, ": ");
	}
	str_add(&add, value);
	replace(text, end, 0, add.s);
	str_clear(&add);
	return text->full ? err_set(e, ERR_FORMAT, "the file is too large") : 0;
}

int
json_splice_remove(struct str *text, const char *pointer, struct err *e)
{
	auto_free char *s = blanked(text);
	size_t at, end, from;

	if (*pointer == '\0' || json_offset(s, text->len, pointer, &at) == -1)
		return err_set(e, ERR_FORMAT, "there is no '%s'", pointer);
	end = value_end(s, value_of(s, at, inside_object(s, at)));
	from = at;
	while (from > 0 && strchr(space, s[from - 1]) != NULL)
		from--;
	if (from > 0 && s[from - 1] == ',') {
		/* Not the first: its comma and margin go with it. */
		from--;
	} else {
		size_t next = end + strspn(s + end, space);

		/* First: what follows takes its margin.  Only one: nothing is
		   left but the brackets. */
		end = next + (s[next] == ',');
	}
	replace(text, from, end - from, "");
	return 0;
}
