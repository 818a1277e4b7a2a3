/*
 * A whole judgement of any line: it ends, says why, and never gets milder by
 * something grave behind it.
 */
#include "common/digest.h"
#include "common/json.h"
#include "policy/policy.h"
#include "tests/fuzz/fuzz.h"

static struct policy *policy;
static struct judgement *j;

static void
start(void)
{
	static const struct policy_place place = { .project = "t",
	    .root = "/p", .home = "/home/u",
	    .state = "/home/u/.local/state/sandbox/k", .libexec = "/opt/s" };
	static const char text[] = "{\"version\":1,\"network\":{\"allow\":"
	    "[\"localhost\"]}}";
	struct err e;

	if (policy != NULL)
		return;
	MUST(digest_setup(&e) == 0);
	MUST(policy_parse(text, strlen(text), "p", &place, &policy, &e) == 0);
	j = judgement_new();
}

static enum action
judge(const char *command)
{
	cJSON *input = json_object();
	const struct call call = { .tool = "Bash", .input = input,
	    .cwd = "/p" };
	const struct verdict *v = &j->verdict;

	size_t len;

	json_add_str(input, "command", command);
	len = strlen(json_str(input, "command"));	/* UTF-8 by now */
	policy_decide(policy, &world_plain, &call, j);
	json_free(input);
	MUST(v->action <= ACTION_ALLOW && v->tier <= TIER_LOW);
	MUST(memchr(v->why, '\0', sizeof(v->why)) != NULL && v->why[0] != '\0');
	MUST(v->action > ACTION_ESCALATE || v->next[0] != '\0');
	for (size_t i = 0; i < j->n_effects; i++)
		MUST(j->effects[i].span_at <= len &&
		    j->effects[i].span_len <= len);
	return v->action;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	size_t len = strlen(text);
	char *more = calloc(1, len + 32);
	enum action one;

	start();
	one = judge(text);
	MUST(more != NULL);
	memcpy(more, text, len);
	memcpy(more + len, "\nreboot", 8);
	/* A comment or text may swallow it; then it is as before. */
	MUST(judge(more) <= one || one < ACTION_CONTAIN);
	free(more);
	free(text);
	return 0;
}
