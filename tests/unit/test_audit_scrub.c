#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/scrub.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/scrub_corpus.h"

/*
 * scrub_more.jsonl has more of both kinds, made by a program: bodies are
 * random, contexts are what one finds in files, logs and command lines.  None
 * was ever valid; each is cut in two, so that scanners of repositories do not
 * take it for a leak.
 */
#define MORE		"tests/unit/scrub_more.jsonl"
#define MORE_MAX	(1 << 20)

/* Counted, not wished for: lower the numbers when a rule gets better. */
#define MISSED_AT_MOST	3
#define FALSE_AT_MOST	2

static char *
scrubbed(const char *text, size_t *ret_count)
{
	struct str s;

	str_init(&s, 1 << 20);
	*ret_count = scrub(text, strlen(text), &s);
	return str_take(&s);
}

/* Is the secret gone? */
static bool
goes(const char *text, const char *secret)
{
	size_t count;
	auto_free char *out = scrubbed(text, &count);

	ck_assert_ptr_nonnull(strstr(text, secret));
	if (strstr(out, secret) == NULL) {
		ck_assert_uint_gt(count, 0);
		return true;
	}
	printf("# missed: %s\n", text);
	return false;
}

static char *
joined(const cJSON *line, const char *name)
{
	const cJSON *part, *list = json_get(line, name);
	struct str s;

	if (list == NULL)
		return NULL;
	str_init(&s, MORE_MAX);
	cJSON_ArrayForEach(part, list)
		str_add(&s, part->valuestring);
	return str_take(&s);
}

/* Lines with a `secret`, or those without; what fn said no to. */
static size_t
each_more(bool with, bool (*fn)(const char *text, const char *secret),
    size_t *ret_n)
{
	const char *src = getenv("SRC");
	auto_free char *path = xasprintf("%s/" MORE, src == NULL ? "." : src);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_str struct str text = { 0 };
	char *rest, *one;
	size_t no = 0;

	str_init(&text, MORE_MAX);
	ck_assert_msg(io_read_all(fd, MORE_MAX, &text, NULL) == 0, "%s", path);
	rest = text.s;
	for (*ret_n = 0; (one = strsep(&rest, "\n")) != NULL && *one != '\0'; ) {
		auto_json cJSON *line = NULL;

		ck_assert_int_eq(json_parse(one, strlen(one), JSON_DEPTH,
		    &line, NULL), 0);

		auto_free char *all = joined(line, "text");
		auto_free char *secret = joined(line, "secret");

		if ((secret != NULL) != with)
			continue;
		no += !fn(all, secret);
		++*ret_n;
	}
	return no;
}

START_TEST(secrets_go)
{
	size_t n, missed = each_more(true, goes, &n);

	for (size_t i = 0; i < ARRAY_LEN(corpus_secrets); i++)
		missed += !goes(corpus_secrets[i].text,
		    corpus_secrets[i].secret);
	n += ARRAY_LEN(corpus_secrets);
	printf("# secrets: %zu, missed %zu, recall %.1f %%\n", n, missed,
	    100.0 * (double)(n - missed) / (double)n);
	fflush(stdout);
	ck_assert_uint_ge(n, 200);
	ck_assert_uint_le(missed, MISSED_AT_MOST);
}
END_TEST

static bool
stays(const char *text, const char *secret)
{
	size_t count;
	auto_free char *out = scrubbed(text, &count);

	(void)secret;
	if (strcmp(out, text) == 0)
		return true;
	printf("# false hit: %s -> %s\n", text, out);
	return false;
}

START_TEST(other_text_stays)
{
	size_t n, hits = each_more(false, stays, &n);

	for (size_t i = 0; i < ARRAY_LEN(corpus_harmless); i++)
		hits += !stays(corpus_harmless[i], NULL);
	n += ARRAY_LEN(corpus_harmless);
	printf("# look-alikes: %zu, false hits %zu (%.1f %%)\n", n, hits,
	    100.0 * (double)hits / (double)n);
	fflush(stdout);
	ck_assert_uint_ge(n, 200);
	ck_assert_uint_le(hits, FALSE_AT_MOST);
}
END_TEST

START_TEST(the_rest_of_the_text_is_kept)
{
	size_t count;
	auto_free char *out = scrubbed("a DB_PASSWORD='x1y2z3' b\n"
	    "https://u:pw99@h/p \"token\": \"" A20 "\", c", &count);

	ck_assert_str_eq(out, "a DB_PASSWORD='[scrubbed:value]' b\n"
	    "https://u:[scrubbed:url]@h/p \"token\": \"[scrubbed:value]\", c");
	ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(scrubbing_twice_is_scrubbing_once)
{
	for (size_t i = 0; i < ARRAY_LEN(corpus_secrets); i++) {
		size_t count;
		auto_free char *once = scrubbed(corpus_secrets[i].text,
		    &count);
		auto_free char *twice = scrubbed(once, &count);

		ck_assert_str_eq(once, twice);
		ck_assert_uint_eq(count, 0);
	}
}
END_TEST

/* Cut anywhere, with any bytes in it: no crash, no growth without a mark. */
START_TEST(any_bytes_will_do)
{
	struct str s;
	char odd[64];

	str_init(&s, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(corpus_secrets); i++) {
		size_t len = strlen(corpus_secrets[i].text);

		for (size_t n = 0; n <= len; n++) {
			auto_free char *cut = xstrndup(corpus_secrets[i].text,
			    n);

			str_reset(&s);
			if (scrub(cut, n, &s) == 0)
				ck_assert_uint_eq(s.len, n);
		}
	}
	memset(odd, 0, sizeof odd);
	memcpy(odd, "token\0=\0\xff\"", 10);
	str_reset(&s);
	scrub(odd, sizeof odd, &s);
	ck_assert_uint_eq(s.len, sizeof odd);
	str_clear(&s);
}
END_TEST

START_TEST(json_keeps_its_shape)
{
	static const char in[] = "{\"command\":\"PASSWORD=hunter2 ls\","
	    "\"env\":{\"api_key\":\"plainword\",\"n\":3,\"b\":true,"
	    "\"z\":null},\"list\":[\"ok\",\"Bearer " A20 "\"],"
	    "\"password\":\"$X\"}";
	static const char want[] = "{\"command\":\"PASSWORD=[scrubbed:value] "
	    "ls\",\"env\":{\"api_key\":\"[scrubbed:value]\",\"n\":3,\"b\":"
	    "true,\"z\":null},\"list\":[\"ok\",\"Bearer [scrubbed:header]\"],"
	    "\"password\":\"$X\"}";
	auto_json cJSON *v = NULL, *out = NULL;
	struct str s;

	ck_assert_int_eq(json_parse(in, strlen(in), JSON_DEPTH, &v, NULL), 0);
	out = scrub_json(v);
	str_init(&s, 4096);
	json_print(out, &s);
	ck_assert_str_eq(s.s, want);
	str_clear(&s);
}
END_TEST

UNIT_MAIN("audit/scrub",
	tcase_add_test(tc, secrets_go);
	tcase_add_test(tc, other_text_stays);
	tcase_add_test(tc, the_rest_of_the_text_is_kept);
	tcase_add_test(tc, scrubbing_twice_is_scrubbing_once);
	tcase_add_test(tc, any_bytes_will_do);
	tcase_add_test(tc, json_keeps_its_shape);
)
