#include "common/json_splice.h"

#include <string.h>

#include "common/json.h"
#include "tests/unit/unit.h"

static char *
append(const char *text, const char *pointer, const char *key,
    const char *value)
{
	struct str s;
	struct err e = { 0 };

	str_init(&s, 1 << 20);
	str_add(&s, text);
	if (json_splice_append(&s, pointer, key, value, &e) == -1)
		ck_abort_msg("%s", e.text);

	cJSON *v = NULL;

	if (json_parse_commented(s.s, s.len, 32, &v, &e) == -1)
		ck_abort_msg("%s in %s", e.text, s.s);
	json_free(v);
	return str_take(&s);
}

static char *
removed(const char *text, const char *pointer)
{
	struct str s;
	struct err e = { 0 };

	str_init(&s, 1 << 20);
	str_add(&s, text);
	if (json_splice_remove(&s, pointer, &e) == -1)
		ck_abort_msg("%s", e.text);
	return str_take(&s);
}

#define SAME(got, want) do {						\
	char *got_ = (got);						\
	ck_assert_str_eq(got_, want);					\
	free(got_);							\
} while (0)

START_TEST(appends_in_the_containers_own_layout)
{
	SAME(append("{}", "", "a", "1"), "{\"a\": 1}");
	SAME(append("{\n}\n", "", "a", "1"), "{\n  \"a\": 1\n}\n");
	SAME(append("{\"x\": [1]}", "/x", NULL, "2"), "{\"x\": [1, 2]}");
	SAME(append("{\n\t\"x\": [\n\t\t1\n\t]\n}", "/x", NULL, "2"),
	    "{\n\t\"x\": [\n\t\t1,\n\t\t2\n\t]\n}");
	SAME(append("{\r\n  \"x\": 1\r\n}", "", "y", "2"),
	    "{\r\n  \"x\": 1,\r\n  \"y\": 2\r\n}");
	SAME(append("{\"h\": {\"P\": []}}", "/h/P", NULL, "{}"),
	    "{\"h\": {\"P\": [{}]}}");
}
END_TEST

START_TEST(is_not_confused_by_brackets_in_strings_and_comments)
{
	SAME(append("{\"a\": \"]}\", \"x\": [\"\\\"]\"]}", "/x", NULL, "1"),
	    "{\"a\": \"]}\", \"x\": [\"\\\"]\", 1]}");
	SAME(append("{\"x\": [1 /* ] */ ] // }\n}", "/x", NULL, "2"),
	    "{\"x\": [1, 2 /* ] */ ] // }\n}");
}
END_TEST

START_TEST(removes_with_the_comma)
{
	SAME(removed("[1, 2, 3]", "/0"), "[ 2, 3]");
	SAME(removed("[1, 2, 3]", "/1"), "[1, 3]");
	SAME(removed("[1, 2, 3]", "/2"), "[1, 2]");
	SAME(removed("{\"a\": [ 1 ]}", "/a/0"), "{\"a\": []}");
	SAME(removed("{\n  \"a\": 1,\n  \"b\": 2\n}", "/a"),
	    "{\n  \"b\": 2\n}");
	SAME(removed("{\n  \"a\": 1,\n  \"b\": 2\n}", "/b"),
	    "{\n  \"a\": 1\n}");
}
END_TEST

START_TEST(remove_undoes_append)
{
	const char *texts[] = { "{\"x\": [1]}", "{\n \"x\": [\n  1,\n  2\n ]\n}" };

	for (size_t i = 0; i < 2; i++) {
		char *more = append(texts[i], "/x", NULL, "{\"k\": [1, 2]}");
		const char *pointer = i == 0 ? "/x/1" : "/x/2";

		SAME(removed(more, pointer), texts[i]);
		free(more);
	}
}
END_TEST

START_TEST(refuses_what_is_not_there)
{
	struct str s;
	struct err e = { 0 };

	str_init(&s, 100);
	str_add(&s, "{\"x\": 1}");
	ck_assert_int_eq(json_splice_append(&s, "/y", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_append(&s, "/x", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_append(&s, "", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_remove(&s, "", &e), -1);
	ck_assert_str_eq(s.s, "{\"x\": 1}");
	str_clear(&s);
}
END_TEST

UNIT_MAIN("common/json_splice",
	tcase_add_test(tc, appends_in_the_containers_own_layout);
	tcase_add_test(tc, is_not_confused_by_brackets_in_strings_and_comments);
	tcase_add_test(tc, removes_with_the_comma);
	tcase_add_test(tc, remove_undoes_append);
	tcase_add_test(tc, refuses_what_is_not_there);
)
