/* common/json_number: what a double would lose stays as it was written. */
#include "common/json.h"

#include <string.h>

#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static struct err e;

/* What was written, and what is printed of it. */
static const struct {
	const char *text, *want;
} numbers[] = {
	{ "0", "0" }, { "-0", "-0" }, { "1.0", "1" }, { "1E2", "100" },
	{ "123456789012345", "123456789012345" },
	{ "0.1", "0.1" }, { "0.00000000000000000000125", NULL },
	{ "1234567890123456", "1234567890123456" },
	{ "9007199254740991", "9007199254740991" },
	{ "9007199254740993", "9007199254740993" },
	{ "12345678901234567891", "12345678901234567891" },
	{ "-12345678901234567892", "-12345678901234567892" },
	{ "0.30000000000000004", "0.30000000000000004" },
	{ "1e999", "1e999" }, { "-2e999", "-2e999" }, { "1e-400", "1e-400" },
	{ "[1,\"2 3\\\"4\",12345678901234567891,{\"5\":6}]",
	  "[1,\"2 3\\\"4\",12345678901234567891,{\"5\":6}]" },
	{ "{\"a1\":[],\"b\":1e999,\"c\":[7,9007199254740993]}",
	  "{\"a1\":[],\"b\":1e999,\"c\":[7,9007199254740993]}" },
};

START_TEST(numbers_stay_what_they_are)
{
	const char *text = numbers[_i].text;
	auto_json cJSON *v = NULL, *again = NULL, *copy = NULL;
	auto_str struct str out = { 0 };

	str_init(&out, 4096);
	ck_assert_int_eq(json_parse(text, strlen(text), 8, &v, &e), 0);
	json_print(v, &out);
	if (numbers[_i].want != NULL)
		ck_assert_str_eq(out.s, numbers[_i].want);
	/* And what is printed is read as the same. */
	ck_assert_int_eq(json_parse(out.s, out.len, 8, &again, &e), 0);
	ck_assert(cJSON_Compare(v, again, true));
	copy = cJSON_Duplicate(v, true);
	ck_assert(cJSON_Compare(v, copy, true));
}
END_TEST

START_TEST(kept_numbers_are_numbers)
{
	static const char text[] = "{\"a\":9007199254740991,\"b\":1.5,"
	    "\"c\":12345678901234567891,\"d\":\"1\"}";
	auto_json cJSON *v = NULL;
	double d = 0;

	ck_assert_int_eq(json_parse(text, sizeof text - 1, 8, &v, NULL), 0);
	ck_assert_int_eq(json_int(v, "a", 7), 9007199254740991);
	ck_assert_int_eq(json_int(v, "c", 7), 7);
	ck_assert(json_number(json_get(v, "a"), &d) && d > 9e15);
	ck_assert(json_number(json_get(v, "b"), &d) && d > 1.4 && d < 1.6);
	ck_assert(json_number(json_get(v, "c"), &d) && d > 1e19);
	ck_assert(!json_number(json_get(v, "d"), &d));
	ck_assert(!json_number(NULL, &d));
}
END_TEST

UNIT_MAIN("common/json_number",
	tcase_add_loop_test(tc, numbers_stay_what_they_are, 0,
	    (int)ARRAY_LEN(numbers));
	tcase_add_test(tc, kept_numbers_are_numbers);
)
