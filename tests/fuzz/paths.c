/*
 * Paths: joined ones are absolute and normal, and no spelling of the gate's
 * own directory may be written by a tool.
 */
#include "common/digest.h"
#include "common/json.h"
#include "policy/paths.h"
#include "policy/value.h"
#include "tests/fuzz/fuzz.h"

static void
joined(struct arena *a, const char *text)
{
	const char *path = paths_join(a, "/p/src", text);

	if (path == NULL)
		return;
	MUST(path[0] == '/');
	MUST(strstr(path, "//") == NULL && strstr(path, "/./") == NULL);
	MUST(!value_constant(path) || strstr(path, "/../") == NULL);
}

static void
written(const char *text)
{
	static const struct policy_place place = { .project = "t",
	    .root = "/p", .home = "/home/u", .state = "/s", .libexec = "/l" };
	static struct policy *strict;
	static struct judgement *of;
	cJSON *input = json_object();
	struct call call = { .tool = "Write", .input = input, .cwd = "/p" };
	struct err e;

	if (strict == NULL) {
		MUST(digest_setup(&e) == 0);
		MUST(policy_builtin(&place, &strict, &e) == 0);
		of = judgement_new();
	}
	json_add_str(input, "file_path", text);
	policy_decide(strict, &world_plain, &call, of);
	if (of->verdict.action >= ACTION_CONTAIN)
		for (size_t i = 0; i < of->n_effects; i++)
			MUST(strstr(of->effects[i].target, "/.sandbox/") ==
			    NULL);
	json_free(input);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena a;
	char *text = fuzz_text(data, size);

	if (a.base == NULL)
		arena_init(&a, (size_t)16 << 20);
	arena_reset(&a);
	joined(&a, text);
	written(text);
	free(text);
	return 0;
}
