#include "audit/scrub.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "audit/scrub_rules.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

static scrub_rule *const rules[] = {
	scrub_pem, scrub_jwt, scrub_shape, scrub_header, scrub_url,
	scrub_user_flag, scrub_query, scrub_bot, scrub_named, scrub_random,
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

size_t
scrub(const char *text, size_t len, struct str *ret)
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
	str_init(ret, strlen(v->valuestring) * 8 + 64);
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
