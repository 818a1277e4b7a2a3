/*
 * The fuzz targets over the corpora and over small changes of them.  Always
 * the same changes: a failure can be repeated.
 */
#include <stdio.h>

#include "common/json.h"
#include "common/mem.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/mutate.h"
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

static const char marks[] = "'\"`$(){}[]<>|&;\\*?~#= \n\t!-/.a0";

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
			auto_free uint8_t *copy = xcalloc(1, len + MUTATE_ROOM);

			memcpy(copy, text, len);
			target(copy, i == 0 ? len : mutate(copy, len, marks,
			    sizeof marks - 1));
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
			auto_free uint8_t *copy = xcalloc(1, len + MUTATE_ROOM);

			memcpy(copy, files[i], len);
			fuzz_policy_file(copy, mutate(copy, len, marks,
			    sizeof marks - 1));
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
