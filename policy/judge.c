/* policy/judge.c - judging in bulk. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "common/json.h"
#include "common/mem.h"
#include "policy/judge.h"
#include "common/banned.h"

#define LINE_MAX_BYTES	((size_t)16 << 20)
#define POLICY_DEFAULT	"{\"version\":1}"

struct judge {
	char			*root, *home;
	struct policy		*policy;
	struct judgement	*j;
};

void
judge_close(struct judge *jd)
{
	if (jd == NULL)
		return;
	policy_free(jd->policy);
	judgement_free(jd->j);
	free(jd->root);
	free(jd->home);
	free(jd);
}

int
judge_open(const struct judge_args *args, struct judge **ret, struct err *e)
{
	struct judge *jd = xcalloc(1, sizeof(*jd));
	const char *text = args->text != NULL ? args->text : POLICY_DEFAULT;
	struct policy_place place = { .project = "judge",
	    .jail = args->jail };

	jd->root = realpath(args->root, NULL);
	jd->home = realpath(args->home, NULL);
	if (jd->root == NULL || jd->home == NULL) {
		err_sys(e, "cannot find '%s'",
		    jd->root == NULL ? args->root : args->home);
		judge_close(jd);
		return -1;
	}
	place.root = jd->root;
	place.home = jd->home;
	if (policy_parse(text, args->text != NULL ? args->len : strlen(text),
	    args->name != NULL ? args->name : "policy", &place, &jd->policy,
	    e) == -1) {
		judge_close(jd);
		return -1;
	}
	jd->j = judgement_new();
	*ret = jd;
	return 0;
}

/* The call a raw hook input means; the tree it lives in goes to ret_tree. */
static int
take_raw(const cJSON *line, cJSON **ret_tree, struct call *ret,
    struct err *e)
{
	const char *b64 = json_str(line, "raw_b64");
	size_t len = strlen(b64);
	auto_free char *text = xcalloc(1, len + 1);
	size_t n;

	if (sodium_base642bin((unsigned char *)text, len + 1, b64, len, NULL,
	    &n, NULL, sodium_base64_VARIANT_ORIGINAL) == -1)
		return err_set(e, ERR_FORMAT, "raw_b64 is not base64");
	if (json_parse(text, n, JSON_DEPTH, ret_tree, e) == -1)
		return -1;
	return call_from_hook(*ret_tree, ret, e);
}

static int
take_call(const cJSON *line, cJSON **ret_tree, struct call *ret,
    struct err *e)
{
	const char *command = json_str(line, "command");
	const cJSON *input = json_get(line, "input");

	ret->cwd = json_str(line, "cwd");
	if (ret->cwd == NULL || ret->cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "the cwd is no absolute path");
	if (command != NULL) {
		*ret_tree = json_object();
		json_add_str(*ret_tree, "command", command);
		ret->tool = "Bash";
		ret->input = *ret_tree;
		return 0;
	}
	ret->tool = json_str(line, "tool");
	ret->input = input;
	if (ret->tool == NULL || !cJSON_IsObject(input))
		return err_set(e, ERR_FORMAT, "it names no tool with an input");
	return 0;
}

static void
answer(const cJSON *line, const struct verdict *v, struct str *ret)
{
	auto_json cJSON *out = json_object();
	const cJSON *id = cJSON_IsObject(line) ? json_get(line, "id") : NULL;

	json_add(out, "id", id != NULL ? cJSON_Duplicate(id, true) :
	    cJSON_CreateNull());
	json_add_str(out, "decision", action_name(v->action));
	json_add_str(out, "tier", tier_name(v->tier));
	json_add_str(out, "rule", v->rule);
	json_add_str(out, "why", v->why);
	json_print(out, ret);
	str_addc(ret, '\n');
}

static void
refuse(const cJSON *line, const struct err *e, struct str *ret)
{
	struct verdict v = { .action = ACTION_DENY, .tier = TIER_HIGH,
	    .rule = "malformed" };
	size_t n = strlen(e->text);

	n = n < sizeof(v.why) ? n : sizeof(v.why) - 1;
	memcpy(v.why, e->text, n);
	answer(line, &v, ret);
}

void
judge_line(struct judge *jd, const char *text, size_t len, struct str *ret)
{
	auto_json cJSON *line = NULL, *tree = NULL;
	struct call c = { 0 };
	struct err e = { 0 };
	int r;

	if (len > LINE_MAX_BYTES) {
		err_set(&e, ERR_FORMAT, "the line is too long");
		refuse(NULL, &e, ret);
		return;
	}
	/* Two levels deeper: a line carries a tool's input. */
	if (json_parse(text, len, JSON_DEPTH + 2, &line, &e) == -1 ||
	    !cJSON_IsObject(line)) {
		/* Only to say which line it was that is refused. */
		if (line == NULL)
			line = cJSON_ParseWithLength(text, len);
		refuse(line, &e, ret);
		return;
	}
	r = json_str(line, "raw_b64") != NULL ?
	    take_raw(line, &tree, &c, &e) : take_call(line, &tree, &c, &e);
	if (r == -1) {
		refuse(line, &e, ret);
		return;
	}
	policy_decide(jd->policy, &world_real, &c, jd->j);
	answer(line, &jd->j->verdict, ret);
}
