/*
 * The fuzz targets over the corpora and over small changes of them.  Always
 * the same changes: a failure can be repeated.
 */
#include <stdio.h>

#include "common/json.h"
#include "common/mem.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/unit.h"

#define LLVMFuzzerTestOneInput	fuzz_reader
int	fuzz_reader(const uint8_t *, size_t);
#include "tests/fuzz/reader.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput	fuzz_decide
#define judge	decide_judge
#define start	decide_start
int	fuzz_decide(const uint8_t *, size_t);
#include "tests/fuzz/decide.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput	fuzz_paths
int	fuzz_paths(const uint8_t *, size_t);
#include "tests/fuzz/paths.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput	fuzz_urls
int	fuzz_urls(const uint8_t *, size_t);
#include "tests/fuzz/urls.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput	fuzz_policy_file
int	fuzz_policy_file(const uint8_t *, size_t);
#include "tests/fuzz/policy_file.c"
#undef LLVMFuzzerTestOneInput

static uint32_t state;

static uint32_t
random_next(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

/* Drop, double, swap or overwrite a few bytes. */
static size_t
change(uint8_t *text, size_t len)
{
	static const char marks[] = "'\"`$(){}[]<>|&;\\*?~#= \n\t!-/.a0";

	for (uint32_t i = random_next(4) + 1; i > 0 && len > 1; i--) {
		size_t at = random_next((uint32_t)len);

		switch (random_next(3)) {
		case 0:
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
			break;
		case 1:
			memmove(text + at + 1, text + at, len - at);
			len++;
			break;
		default:
			text[at] = (uint8_t)marks[random_next(
			    sizeof(marks) - 1)];
		}
	}
	return len;
}

static void
feed(const char *name, const char *field, int changes,
    int (*target)(const uint8_t *, size_t))
{
	const char *src = getenv("SRC");
	auto_free char *line = NULL;
	char path[512];
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/policy/%s.jsonl",
	    src != NULL ? src : ".", name);
	f = fopen(path, "re");
	ck_assert_msg(f != NULL, "no %s", path);
	while (getline(&line, &room, f) > 0) {
		auto_json cJSON *o = cJSON_Parse(line);
		const char *text = json_str(o, field);
		size_t len = text == NULL ? 0 : strlen(text);

		if (text == NULL || len > 4096)
			continue;
		for (int i = 0; i <= changes; i++) {
			auto_free uint8_t *copy = xcalloc(1, len + 16);

			memcpy(copy, text, len);
			target(copy, i == 0 ? len : change(copy, len));
		}
	}
	fclose(f);
}

START_TEST(reader) { feed("commands", "command", 60, fuzz_reader); } END_TEST
START_TEST(decide) { feed("commands", "command", 40, fuzz_decide); } END_TEST
START_TEST(paths) { feed("commands", "command", 2, fuzz_paths); } END_TEST
START_TEST(urls) { feed("commands", "command", 2, fuzz_urls); } END_TEST

START_TEST(policy_files)
{
	static const char *const files[] = {
		"{\"version\":1}", "{\"version\":1,\"preset\":\"strict\"}",
		("{\"version\":1,\"rules\":[{\"id\":\"a\",\"match\":"
		"{\"program\":\"make\",\"args\":[\"*\",\"...\"]},\"verdict\":"
		"\"contain\",\"tier\":\"low\",\"examples\":{\"match\":"
		"[\"make x\"],\"not\":[\"ls\"]}}]}"),
		("{\"version\":1,\"limits\":{\"wait_s\":5},\"network\":"
		"{\"allow\":[\"*.a.example\"]},\"paths\":{\"secret\":[\"**\"]}}"),
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		for (int k = 0; k < 2000; k++) {
			size_t len = strlen(files[i]);
			auto_free uint8_t *copy = xcalloc(1, len + 16);

			memcpy(copy, files[i], len);
			fuzz_policy_file(copy, change(copy, len));
		}
}
END_TEST

UNIT_MAIN("policy: fuzz targets",
    tcase_add_test(tc, reader);
    tcase_add_test(tc, decide);
    tcase_add_test(tc, paths);
    tcase_add_test(tc, urls);
    tcase_add_test(tc, policy_files);
)
