#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "audit/scrub.h"
#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/scrub_corpus.h"
#include "tests/unit/scrub_more.h"

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

START_TEST(secrets_go)
{
	size_t missed = 0;
	size_t n = ARRAY_LEN(corpus_secrets) + ARRAY_LEN(more_secrets);

	for (size_t i = 0; i < ARRAY_LEN(corpus_secrets); i++)
		missed += !goes(corpus_secrets[i].text,
		    corpus_secrets[i].secret);
	for (size_t i = 0; i < ARRAY_LEN(more_secrets); i++)
		missed += !goes(more_secrets[i].text, more_secrets[i].secret);
	printf("# secrets: %zu, missed %zu, recall %.1f %%\n", n, missed,
	    100.0 * (double)(n - missed) / (double)n);
	fflush(stdout);
	ck_assert_uint_ge(n, 200);
	ck_assert_uint_le(missed, MISSED_AT_MOST);
}
END_TEST

static bool
stays(const char *text)
{
	size_t count;
	auto_free char *out = scrubbed(text, &count);

	if (strcmp(out, text) == 0)
		return true;
	printf("# false hit: %s -> %s\n", text, out);
	return false;
}

START_TEST(other_text_stays)
{
	size_t hits = 0;
	size_t n = ARRAY_LEN(corpus_harmless) + ARRAY_LEN(more_harmless);

	for (size_t i = 0; i < ARRAY_LEN(corpus_harmless); i++)
		hits += !stays(corpus_harmless[i]);
	for (size_t i = 0; i < ARRAY_LEN(more_harmless); i++)
		hits += !stays(more_harmless[i]);
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
