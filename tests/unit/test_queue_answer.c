/* The answer's format. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

static const char id[] = "0123456789abcdef-000000000001-1";

static void
some_answer(struct answer *a, enum outcome o)
{
	answer_init(a);
	memcpy(a->id, id, sizeof id);
	memset(a->project, 'a', 32);
	a->outcome = o;
	a->approval = xstrdup("sandbox-approval-v1\nx\n");
	a->approval_sig = xstrdup("abcd");
	if (o == OUTCOME_UNKNOWN || o == OUTCOME_NOT_STARTED)
		return;
	a->result = xstrdup("sandbox-result-v1\nx\n");
	a->result_sig = xstrdup("ef01");
	a->output = xstrdup("line\n\x1b[31m\"quoted\"\t\xc3\xa9\n");
	a->truncated = true;
	a->out_path = xasprintf(".sandbox/out/%s.txt", id);
	a->text = xstrdup("use staging");
	a->edited = xstrdup("deploy --to staging");
}

static const char *
or_empty(const char *s)
{
	return s == NULL ? "" : s;
}

START_TEST(decode_undoes_encode)
{
	struct answer a, b;
	struct str s;
	struct err e;

	some_answer(&a, (enum outcome)_i);
	ck_assert_int_eq(answer_encode(&a, &s, &e), 0);
	ck_assert_int_eq(answer_decode(id, s.s, s.len, &b, &e), 0);
	ck_assert_int_eq(a.outcome, b.outcome);
	ck_assert_str_eq(a.id, b.id);
	ck_assert_str_eq(a.project, b.project);
	ck_assert_str_eq(or_empty(a.approval), b.approval);
	ck_assert_str_eq(or_empty(a.approval_sig), b.approval_sig);
	ck_assert_str_eq(or_empty(a.result), b.result);
	ck_assert_str_eq(or_empty(a.result_sig), b.result_sig);
	ck_assert_str_eq(or_empty(a.output), b.output);
	ck_assert_str_eq(or_empty(a.out_path), b.out_path);
	ck_assert_str_eq(or_empty(a.text), b.text);
	ck_assert_str_eq(or_empty(a.edited), b.edited);
	ck_assert(a.truncated == b.truncated);
	for (size_t cut = 0; cut + 1 < s.len; cut++) {
		struct answer c;

		ck_assert_int_eq(answer_decode(id, s.s, cut, &c, &e), -1);
		ck_assert_int_eq(e.code, ERR_FORMAT);
	}
	answer_clear(&a);
	answer_clear(&b);
	str_clear(&s);
}
END_TEST

START_TEST(every_field_is_needed_once_and_typed)
{
	struct answer a;
	struct str s;
	struct err e;
	cJSON *j, *c;
	int n = 0;

	some_answer(&a, OUTCOME_DONE);
	ck_assert_int_eq(answer_encode(&a, &s, &e), 0);
	answer_clear(&a);
	j = cJSON_Parse(s.s);
	cJSON_ArrayForEach(c, j) {
		cJSON *copy = cJSON_Duplicate(j, true);
		auto_free char *without = NULL;
		auto_free char *typed = NULL;
		auto_free char *twice = NULL;

		cJSON_DeleteItemFromObjectCaseSensitive(copy, c->string);
		without = cJSON_PrintUnformatted(copy);
		cJSON_AddItemToObject(copy, c->string, cJSON_CreateNull());
		typed = cJSON_PrintUnformatted(copy);
		twice = xasprintf("{\"%s\":null,%s", c->string, s.s + 1);
		ck_assert_int_eq(answer_decode(id, without, strlen(without),
		    &a, &e), -1);
		ck_assert_int_eq(answer_decode(id, typed, strlen(typed), &a,
		    &e), -1);
		ck_assert_int_eq(answer_decode(id, twice, strlen(twice), &a,
		    &e), -1);
		cJSON_Delete(copy);
		n++;
	}
	ck_assert_int_eq(n, 13);
	cJSON_Delete(j);
	str_clear(&s);
}
END_TEST

static const struct odd {
	const char *name, *value;
} odds[] = {
	{ "v", "2" }, { "id", "\"0123456789abcdef-000000000001-2\"" },
	{ "project", "\"x\"" }, { "outcome", "\"approved\"" },
	{ "outcome", "\"\"" }, { "out_path", "\"/etc/passwd\"" },
	{ "out_path", "\".sandbox/out/../policy.json\"" },
	/* The two that no key signs carry no words. */
	{ "outcome", "\"unknown\"" }, { "outcome", "\"not_started\"" },
};

START_TEST(odd_values_are_refused)
{
	auto_json cJSON *j = NULL;
	auto_free char *text = NULL;
	struct answer a;
	struct str s;
	struct err e;

	some_answer(&a, OUTCOME_DONE);
	ck_assert_int_eq(answer_encode(&a, &s, &e), 0);
	answer_clear(&a);
	j = cJSON_Parse(s.s);
	cJSON_ReplaceItemInObjectCaseSensitive(j, odds[_i].name,
	    cJSON_CreateRaw(odds[_i].value));
	text = cJSON_PrintUnformatted(j);
	ck_assert_int_eq(answer_decode(id, text, strlen(text), &a, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	str_clear(&s);
}
END_TEST

START_TEST(too_much_is_refused_when_written)
{
	struct answer a;
	struct str s;
	struct err e;

	some_answer(&a, OUTCOME_DENIED);
	free(a.output);
	a.output = xcalloc(ANSWER_MAX + 1, 1);
	memset(a.output, 'x', ANSWER_MAX);
	ck_assert_int_eq(answer_encode(&a, &s, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	answer_clear(&a);
	some_answer(&a, OUTCOME_UNKNOWN);
	a.text = xstrdup("trust me");
	ck_assert_int_eq(answer_encode(&a, &s, &e), -1);
	answer_clear(&a);
}
END_TEST

START_TEST(outcomes_have_names)
{
	ck_assert_str_eq(outcome_name(OUTCOME_UNKNOWN), "unknown");
	ck_assert_str_eq(outcome_name(OUTCOME_NOT_STARTED), "not_started");
	ck_assert_str_eq(outcome_name(OUTCOME_DENIED), "denied");
	ck_assert_str_eq(outcome_name(OUTCOME_DONE), "done");
	ck_assert_str_eq(outcome_name(OUTCOME_ALLOW_ONCE), "allow_once");
}
END_TEST

UNIT_MAIN("queue/answer",
	tcase_add_loop_test(tc, decode_undoes_encode, 0, 5);
	tcase_add_test(tc, every_field_is_needed_once_and_typed);
	tcase_add_loop_test(tc, odd_values_are_refused, 0,
	    (int)ARRAY_LEN(odds));
	tcase_add_test(tc, too_much_is_refused_when_written);
	tcase_add_test(tc, outcomes_have_names);)
