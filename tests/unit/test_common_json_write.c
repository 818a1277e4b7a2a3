/* common/json: what is written, exactly; and UTF-8. */
#include "common/json.h"

#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static struct err e;

START_TEST(printing_is_exact)
{
	auto_json cJSON *v = json_object();
	cJSON *list = json_array(), *inner = json_object();
	auto_str struct str s = { 0 };

	str_init(&s, 4096);
	json_add_str(v, "text", "a\"\\\n\t\x01\x1b\x7f/\xc3\xbc");
	json_add_str(v, "none", NULL);
	json_add_strn(v, "bytes", "a\0b\xff!", 4);
	json_add_int(v, "n", 1700000000999);
	json_add_bool(v, "yes", true);
	json_push_str(list, "x\xc3");
	json_push(list, inner);
	json_add(v, "list", list);
	json_print(v, &s);
	ck_assert_str_eq(s.s, "{\"text\":\"a\\\"\\\\\\n\\t\\u0001\\u001b"
	    "\\u007f/\xc3\xbc\",\"none\":null,"
	    "\"bytes\":\"a\xef\xbf\xbd" "b\xef\xbf\xbd\","
	    "\"n\":1700000000999,\"yes\":true,"
	    "\"list\":[\"x\xef\xbf\xbd\",{}]}");
	str_reset(&s);
	json_quote("a\"\x7f\xff", 4, &s);
	ck_assert_str_eq(s.s, "\"a\\\"\\u007f\xef\xbf\xbd\"");
}
END_TEST

static const int64_t numbers[] = {
	0, 1, -1, 2147483647, 2147483648, -2147483649, 999999999999999,
	1000000000000000, 1234567890123456, 4503599627370497,
	9007199254740991, 9007199254740989,
};

/* Whole numbers come back as they were, written without an exponent. */
START_TEST(numbers_survive)
{
	auto_json cJSON *v = json_object();
	auto_str struct str s = { 0 };
	char want[64];

	str_init(&s, 100);
	json_add_int(v, "n", numbers[_i]);
	json_print(v, &s);
	snprintf(want, sizeof want, "{\"n\":%lld}", (long long)numbers[_i]);
	ck_assert_str_eq(s.s, want);
	if (numbers[_i] < 0)
		return;
	auto_json cJSON *back = NULL;
	ck_assert_int_eq(json_parse(s.s, s.len, JSON_DEPTH, &back, &e), 0);
	ck_assert_int_eq(json_int(back, "n", -5), numbers[_i]);
}
END_TEST

START_TEST(utf8_is_cleaned)
{
	auto_str struct str s = { 0 };
	uint32_t cp = 7;

	str_init(&s, 100);
	utf8_clean("a\0\xff\xc3\xbc\xed\xa0\x80", 8, &s);
	ck_assert_str_eq(s.s, "a\xef\xbf\xbd\xef\xbf\xbd\xc3\xbc"
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert(utf8_ok("", 0) && utf8_ok("\0", 1));
	ck_assert(!utf8_ok("a\xc3", 2));
	ck_assert_uint_eq(utf8_next("", 0, &cp), 0);
	ck_assert_uint_eq(utf8_next("\xff", 1, &cp), 0);
	ck_assert_uint_eq(cp, 7);
	ck_assert_uint_eq(utf8_next("\xf0\x9f\x98\x80x", 5, &cp), 4);
	ck_assert_uint_eq(cp, 0x1f600);
	ck_assert_uint_eq(utf8_next("\xf0\x9f\x98\x80", 3, &cp), 0);
}
END_TEST

START_TEST(json_for_a_terminal_says_the_same_and_hides_nothing)
{
	static const char text[] = "{\"a\xe2\x80\xae\":\"\xc3\xbc\xf3\xa0\x80\x81\"}";
	auto_str struct str s = { 0 };
	auto_json cJSON *was = NULL, *is = NULL;

	str_init(&s, 200);
	json_visible(text, sizeof text - 1, &s);
	ck_assert_str_eq(s.s, "{\"a\\u202e\":\"\xc3\xbc\\udb40\\udc01\"}");
	ck_assert_int_eq(json_parse(text, sizeof text - 1, 8, &was, &e), 0);
	ck_assert_int_eq(json_parse(s.s, s.len, 8, &is, &e), 0);
	ck_assert(cJSON_Compare(was, is, true));
	str_reset(&s);
	json_visible("\xff", 1, &s);
	ck_assert_str_eq(s.s, "\\ufffd");
}
END_TEST

/* A secret in a name's value goes by the name; the rest is turned round. */
static void
turned(const cJSON *v, struct str *ret)
{
	size_t n = strlen(v->valuestring);

	str_init(ret, 64);
	if (v->string != NULL && strcmp(v->string, "key") == 0)
		str_add(ret, "***");
	else
		while (n > 0)
			str_addc(ret, v->valuestring[--n]);
}

START_TEST(a_map_keeps_all_but_the_texts)
{
	static const char text[] = "{\"a\":[\"xyz\",1,true,null,{\"key\":"
	    "\"s\",\"b\":\"\"}],\"c\":\"\xc3\xbc\"}";
	auto_json cJSON *was = NULL, *is = NULL;
	auto_str struct str s = { 0 };

	ck_assert_int_eq(json_parse(text, sizeof text - 1, 8, &was, &e), 0);
	is = json_map(was, turned);
	str_init(&s, 400);
	json_print(is, &s);
	/* Bytes that are no UTF-8 any more are replaced, as everywhere. */
	ck_assert_str_eq(s.s, "{\"a\":[\"zyx\",1,true,null,{\"key\":\"***\","
	    "\"b\":\"\"}],\"c\":\"\xef\xbf\xbd\xef\xbf\xbd\"}");
}
END_TEST

UNIT_MAIN("common/json_write",
	tcase_add_test(tc, a_map_keeps_all_but_the_texts);
	tcase_add_test(tc, json_for_a_terminal_says_the_same_and_hides_nothing);
	tcase_add_test(tc, printing_is_exact);
	tcase_add_loop_test(tc, numbers_survive, 0, (int)ARRAY_LEN(numbers));
	tcase_add_test(tc, utf8_is_cleaned);
)
