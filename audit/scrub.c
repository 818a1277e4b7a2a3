#include "audit/scrub.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "audit/scrub_rules.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define GROWTH		8	/* of a text of nothing but secrets */
#define COLOUR_LONGEST	32

static scrub_rule *const rules[] = {
	scrub_pem, scrub_pem_base64, scrub_jwt, scrub_shape, scrub_header,
	scrub_url, scrub_user_flag, scrub_query, scrub_bot, scrub_named,
	scrub_random,
};

/* Where no rule begins: inside a word, between words; most of a text. */
static bool
is_dull(const char *text, size_t at)
{
	if (!isalnum((unsigned char)text[at]))
		return text[at] == '\0' || strchr("-:?&_", text[at]) == NULL;
	return at > 1 && isalnum((unsigned char)text[at - 1]) &&
	    text[at - 2] != '\\';
}

/* Already one of ours: scrubbing twice is scrubbing once. */
static bool
is_mark(const char *text, size_t len)
{
	static const char mark[] = "[scrubbed:";

	return len >= sizeof mark - 1 &&
	    memcmp(text, mark, sizeof mark - 1) == 0;
}

static size_t
scrub_plain(const char *text, size_t len, struct str *ret)
{
	size_t count = 0, at = 0, kept = 0;

	while (at < len) {
		struct hit h;
		size_t i = is_dull(text, at) ? ARRAY_LEN(rules) : 0;

		while (i < ARRAY_LEN(rules) && !rules[i](text, len, at, &h))
			i++;
		if (i == ARRAY_LEN(rules) ||
		    is_mark(text + at + h.keep, len - at - h.keep)) {
			at++;
			continue;
		}
		str_addn(ret, text + kept, at + h.keep - kept);
		str_addf(ret, "[scrubbed:%s]", h.kind);
		at += h.keep + h.len;
		kept = at;
		count++;
	}
	str_addn(ret, text + kept, len - kept);
	return count;
}

/* ESC [ 1 ; 3 1 m and the K that `grep` puts behind it; 0: none. */
static size_t
colour(const char *text, size_t len)
{
	size_t n = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (n < len && n < COLOUR_LONGEST && (text[n] == ';' ||
	    isdigit((unsigned char)text[n])))
		n++;
	return n < len && (text[n] == 'm' || text[n] == 'K') ? n + 1 : 0;
}

static void
without_colours(const struct str *text, struct str *ret)
{
	size_t at = 0, from = 0, n;

	str_init(ret, text->len);
	for (; at < text->len; at++) {
		n = colour(text->s + at, text->len - at);
		if (n == 0)
			continue;
		str_addn(ret, text->s + from, at - from);
		from = at + n;
		at = from - 1;
	}
	str_addn(ret, text->s + from, text->len - from);
}

/*
 * Colours stand in the midst of a word, of a name and its value: what only
 * shows without them is worth their loss.
 */
size_t
scrub(const char *text, size_t len, struct str *ret)
{
	auto_str struct str once = { 0 }, bare = { 0 }, twice = { 0 };
	size_t count, more;

	if (memchr(text, '\033', len) == NULL)
		return scrub_plain(text, len, ret);
	str_init(&once, len * GROWTH + 64);
	count = scrub_plain(text, len, &once);
	without_colours(&once, &bare);
	str_init(&twice, bare.len * GROWTH + 64);
	more = scrub_plain(bare.s, bare.len, &twice);
	str_addn(ret, more > 0 ? twice.s : once.s,
	    more > 0 ? twice.len : once.len);
	return count + more;
}

static bool
whole_secret(const cJSON *v)
{
	return v->string != NULL &&
	    scrub_name_secret((struct span){ v->string, strlen(v->string) }) &&
	    !scrub_value_harmless((struct span){ v->valuestring,
	    strlen(v->valuestring) });
}

static void
scrub_string(const cJSON *v, struct str *ret)
{
	str_init(ret, strlen(v->valuestring) * GROWTH + 64);
	if (whole_secret(v))
		str_add(ret, "[scrubbed:value]");
	else
		scrub(v->valuestring, strlen(v->valuestring), ret);
}

struct cJSON *
scrub_json(const struct cJSON *v)
{
	return json_map(v, scrub_string);
}
