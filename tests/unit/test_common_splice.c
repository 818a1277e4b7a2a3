/* common/json_splice: one place changes, every other byte stays. */
#include "common/json_splice.h"

#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static struct err e;

static const struct {
	const char	*text, *pointer, *key, *value, *want;
} appends[] = {
	{ "{}", "", "a", "1", "{\"a\": 1}" },
	{ "[]", "", NULL, "1", "[1]" },
	{ "[1]", "", NULL, "2", "[1, 2]" },
	{ "{\"a\":[]}", "/a", NULL, "1", "{\"a\":[1]}" },
	{ "{\"a\":1}\n", "", "b", "{}", "{\"a\":1, \"b\": {}}\n" },
	{ "{\n  \"a\": 1\n}\n", "", "b", "2",
	    "{\n  \"a\": 1,\n  \"b\": 2\n}\n" },
	{ "{\r\n\t\"a\": 1\r\n}\r\n", "", "b", "2",
	    "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}\r\n" },
	{ "[\n 1, // one\n 2 /* two */ // 2\n]", "", NULL, "3",
	    "[\n 1, // one\n 2,\n 3 /* two */ // 2\n]" },
	{ "// ] }\n{ \"k\": [ \"]\\\"\" ] }", "/k", NULL, "1",
	    "// ] }\n{ \"k\": [ \"]\\\"\", 1 ] }" },
	{ "{\"a\":{\"b\":[{\"c\":1}]}}", "/a/b/0", "d", "2",
	    "{\"a\":{\"b\":[{\"c\":1, \"d\": 2}]}}" },
	{ "{}", "", "q\"\x01", "1", "{\"q\\\"\\u0001\": 1}" },
};

START_TEST(appending_keeps_the_rest)
{
	auto_str struct str s = { 0 };
	auto_json cJSON *v = NULL;

	str_init(&s, 4096);
	str_add(&s, appends[_i].text);
	ck_assert_int_eq(json_splice_append(&s, appends[_i].pointer,
	    appends[_i].key, appends[_i].value, &e), 0);
	ck_assert_str_eq(s.s, appends[_i].want);
	ck_assert_int_eq(json_parse_commented(s.s, s.len, JSON_DEPTH, &v, &e),
	    0);
}
END_TEST

static const struct {
	const char	*text, *pointer, *want;
} removals[] = {
	{ "[1]", "/0", "[]" },
	{ "[1,2]", "/0", "[2]" },
	{ "[1,2]", "/1", "[1]" },
	{ "[1, 2, 3]", "/1", "[1, 3]" },
	{ "{\"a\":1}", "/a", "{}" },
	{ "{\n  \"a\": {\"x\": [1]},\n  \"b\": 2\n}\n", "/b",
	    "{\n  \"a\": {\"x\": [1]}\n}\n" },
	{ "{ \"a\" : \"}\" , \"b\":2}", "/a", "{ \"b\":2}" },
	{ "{\"a\":[\"x\",\"y\"]}", "/a/0", "{\"a\":[\"y\"]}" },
	{ "// x\n{\"a\":1,\"b\":2} // y\n", "/b", "// x\n{\"a\":1} // y\n" },
};

START_TEST(removing_keeps_the_rest)
{
	auto_str struct str s = { 0 };
	auto_json cJSON *v = NULL;

	str_init(&s, 4096);
	str_add(&s, removals[_i].text);
	ck_assert_int_eq(json_splice_remove(&s, removals[_i].pointer, &e), 0);
	ck_assert_str_eq(s.s, removals[_i].want);
	ck_assert_int_eq(json_parse_commented(s.s, s.len, JSON_DEPTH, &v, &e),
	    0);
}
END_TEST

START_TEST(wrong_places_change_nothing)
{
	static const char text[] = "{\"a\":[1],\"b\":{}}";
	auto_str struct str s = { 0 };

	str_init(&s, 20);
	str_add(&s, text);
	ck_assert_int_eq(json_splice_append(&s, "/x", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_append(&s, "/a", "k", "1", &e), -1);
	ck_assert_int_eq(json_splice_append(&s, "/b", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_append(&s, "/a/0", NULL, "1", &e), -1);
	ck_assert_int_eq(json_splice_remove(&s, "/a/1", &e), -1);
	ck_assert_int_eq(json_splice_remove(&s, "", &e), -1);
	ck_assert_str_eq(s.s, text);
	ck_assert_int_eq(json_splice_append(&s, "/a", NULL, "12345678", &e),
	    -1);
}
END_TEST

UNIT_MAIN("common/json_splice",
	tcase_add_loop_test(tc, appending_keeps_the_rest, 0,
	    (int)ARRAY_LEN(appends));
	tcase_add_loop_test(tc, removing_keeps_the_rest, 0,
	    (int)ARRAY_LEN(removals));
	tcase_add_test(tc, wrong_places_change_nothing);
)
