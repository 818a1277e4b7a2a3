#include "common/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

struct scan {
	const char	*text;
	size_t		 len, at;
	const char	*wrong;
	unsigned	 depth, max;
	unsigned char	 open[JSON_SCAN_DEPTH];	/* '{' or '[' per level */
	json_scan_fn	*fn;
	void		*arg;
	bool		 ended;		/* the listener had enough */
};

static bool
fail(struct scan *s, const char *wrong)
{
	s->wrong = wrong;
	return false;
}

static int
peek(const struct scan *s)
{
	return s->at < s->len ? (unsigned char)s->text[s->at] : -1;
}

static void
skip_space(struct scan *s)
{
	while (s->at < s->len && memchr(" \t\r\n", s->text[s->at], 4) != NULL)
		s->at++;
}

static bool
tell(struct scan *s, bool is_key, size_t at)
{
	struct json_scan_event ev = {
		.is_key = is_key, .depth = s->depth, .at = at,
		.len = s->at - at,
	};

	if (s->fn != NULL && !s->fn(s->arg, &ev))
		s->ended = true;
	return !s->ended;
}

static int
hex4(const struct scan *s, size_t at)
{
	int v = 0;

	if (s->len - at < 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *p = memchr(digits, s->text[i] | 0x20, 16);

		if (p == NULL || (s->text[i] & 0xe0) == 0)
			return -1;
		v = v << 4 | (int)(p - digits);
	}
	return v;
}

/* At the backslash. */
static bool
scan_escape(struct scan *s)
{
	int c, hi, lo;

	s->at++;
	c = peek(s);
	if (c == -1)
		return fail(s, "a string does not end");
	if (memchr("\"\\/bfnrt", c, 8) != NULL) {
		s->at++;
		return true;
	}
	if (c != 'u')
		return fail(s, "an unknown escape");
	hi = hex4(s, s->at + 1);
	if (hi == -1)
		return fail(s, "\\u without four hexadecimal digits");
	if (hi == 0)
		return fail(s, "a NUL in a string");
	if (hi >= 0xdc00 && hi <= 0xdfff)
		return fail(s, "half a surrogate pair");
	s->at += 5;
	if (hi < 0xd800 || hi > 0xdbff)
		return true;
	if (s->len - s->at < 6 || memcmp(s->text + s->at, "\\u", 2) != 0)
		return fail(s, "half a surrogate pair");
	lo = hex4(s, s->at + 2);
	if (lo < 0xdc00 || lo > 0xdfff)
		return fail(s, "half a surrogate pair");
	s->at += 6;
	return true;
}

/* At the opening quote. */
static bool
scan_string(struct scan *s)
{
	s->at++;
	for (;;) {
		int c = peek(s);
		uint32_t cp;

		if (c == -1)
			return fail(s, "a string does not end");
		if (c == '"') {
			s->at++;
			return true;
		}
		if (c < 0x20)
			return fail(s, "a raw control byte in a string");
		if (c == '\\') {
			if (!scan_escape(s))
				return false;
			continue;
		}
		size_t n = utf8_next(s->text + s->at, s->len - s->at, &cp);

		if (n == 0)
			return fail(s, "bytes that are not UTF-8");
		s->at += n;
	}
}

static size_t
digits(struct scan *s)
{
	size_t n = 0;

	while (peek(s) >= '0' && peek(s) <= '9') {
		s->at++;
		n++;
	}
	return n;
}

static bool
scan_number(struct scan *s)
{
	if (peek(s) == '-')
		s->at++;
	if (peek(s) == '0')
		s->at++;
	else if (digits(s) == 0)
		return fail(s, "not a value");
	if (peek(s) == '.') {
		s->at++;
		if (digits(s) == 0)
			return fail(s, "a number without digits behind '.'");
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->at++;
		if (peek(s) == '+' || peek(s) == '-')
			s->at++;
		if (digits(s) == 0)
			return fail(s, "an exponent without digits");
	}
	return true;
}

static bool
scan_scalar(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	if (peek(s) == '"')
		return scan_string(s);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if (s->len - s->at >= n &&
		    memcmp(s->text + s->at, words[i], n) == 0) {
			s->at += n;
			return true;
		}
	}
	return scan_number(s);
}

/* Inside an object, where a key must stand; ends behind the colon. */
static bool
scan_key(struct scan *s)
{
	size_t at = s->at;

	if (peek(s) != '"')
		return fail(s, "a key must be a string");
	if (!scan_string(s) || !tell(s, true, at))
		return false;
	skip_space(s);
	if (peek(s) != ':')
		return fail(s, "':' is missing behind a key");
	s->at++;
	skip_space(s);
	return true;
}

static char
closer(const struct scan *s)
{
	return s->open[s->depth - 1] == '{' ? '}' : ']';
}

/*
 * A value has just ended: close what closes here, and stand before the next
 * value.  *ret_done: the root value is over.
 */
static bool
scan_after(struct scan *s, bool *ret_done)
{
	for (;;) {
		skip_space(s);
		if (s->depth == 0) {
			*ret_done = true;
			return s->at == s->len ||
			    fail(s, "something behind the value");
		}
		if (peek(s) == closer(s)) {
			s->at++;
			s->depth--;
			continue;
		}
		if (peek(s) != ',')
			return fail(s, closer(s) == '}' ?
			    "',' or '}' is missing" : "',' or ']' is missing");
		s->at++;
		skip_space(s);
		return closer(s) == ']' || scan_key(s);
	}
}

/* At a bracket.  *ret_empty: it closed at once. */
static bool
scan_open(struct scan *s, bool *ret_empty)
{
	if (s->depth >= s->max)
		return fail(s, "nested too deeply");
	s->open[s->depth++] = (unsigned char)peek(s);
	s->at++;
	skip_space(s);
	*ret_empty = peek(s) == closer(s);
	if (*ret_empty) {
		s->at++;
		s->depth--;
		return true;
	}
	return closer(s) == ']' || scan_key(s);
}

static bool
scan_all(struct scan *s)
{
	bool done = false;

	skip_space(s);
	while (!done) {
		bool complete = true;

		if (!tell(s, false, s->at))
			return false;
		if (peek(s) == '{' || peek(s) == '[') {
			if (!scan_open(s, &complete))
				return false;
		} else if (!scan_scalar(s)) {
			return false;
		}
		if (complete && !scan_after(s, &done))
			return false;
	}
	return true;
}

const char *
json_scan(const char *text, size_t len, unsigned depth, json_scan_fn *fn,
    void *arg, size_t *ret_at)
{
	struct scan s = {
		.text = text, .len = len, .fn = fn, .arg = arg,
		.max = depth < JSON_SCAN_DEPTH ? depth : JSON_SCAN_DEPTH,
	};

	if (scan_all(&s) || s.ended)
		return NULL;
	*ret_at = s.at;
	return s.wrong;
}
