/* common/json: what gets in, what does not, and where it went wrong. */
#include "common/json.h"

#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static struct err e;

static const char *const good[] = {
	"{}", "[]", "null", "true", "false", "0", "-0", "1", "-1.5", "1e5",
	"1E+5", "0.1e-2", "\"\"", "\"a\"", " \t\r\n[ ] \n", "[1,2]", "[[]]",
	"{\"a\":{\"b\":[null]}}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	"\"\\u0041\"", "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00\"",
	"\"\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80\"", "\"\x7f\"", "\"\\u0001\"",
	"{\"a\":1,\"A\":2}", "{\"\":1}", "[{\"a\":1},{\"a\":1}]",
	"{\"a\":{\"a\":1}}", "\"\xf4\x8f\xbf\xbf\"", "[1 , 2]",
	"{ \"a\" : 1 }", "\"//\"", "\"\\uFFFF\"",
};

START_TEST(good_texts_are_read)
{
	auto_json cJSON *v = NULL;
	int r = json_parse(good[_i], strlen(good[_i]), JSON_DEPTH, &v, &e);

	ck_assert_msg(r == 0, "%s: %s", good[_i], e.text);
}
END_TEST

#define T(s) { s, sizeof(s) - 1 }
static const struct {
	const char	*s;
	size_t		 n;
} bad[] = {
	/* nothing, or more than one value */
	T(""), T(" "), T("{}{}"), T("1 2"), T("[] x"), T("{}\0"), T("nullx"),
	T("true,"), T("]"), T("}"),
	/* structure */
	T("{"), T("["), T("[1"), T("[1,"), T("[1,]"), T("[,1]"), T("[1 2]"),
	T("[1}"), T("{]"), T("{\"a\"}"), T("{\"a\":}"), T("{\"a\":1,}"),
	T("{,}"), T("{\"a\" 1}"), T("{\"a\"::1}"), T("{a:1}"), T("{1:1}"),
	T("{'a':1}"), T("{\"a\":1 \"b\":2}"), T("{\"a\":1;\"b\":2}"),
	T("[\"a\":1]"), T("{\"a\":1]"), T("[[]"), T("{null:1}"),
	/* words */
	T("True"), T("NULL"), T("nul"), T("tru"), T("undefined"), T("NaN"),
	T("Infinity"), T("-Infinity"), T("nan"), T("truefalse"),
	/* numbers */
	T("01"), T("-"), T("+1"), T("1."), T(".1"), T("1.e1"), T("1e"),
	T("1e+"), T("--1"), T("0x1"), T("1_0"), T("00"), T("-01"), T("1e1.5"),
	T("1a"), T("- 1"), T("\xef\xbc\x91"), T("0b1"),
	/* strings */
	T("\""), T("\"a"), T("'a'"), T("\"\\\""), T("\"\\x41\""), T("\"\\"),
	T("\"\\u\""), T("\"\\u004\""), T("\"\\u004g\""), T("\"\\u 041\""),
	T("\"\\u+041\""), T("\"\\U0041\""), T("\"\\a\""), T("\"\\v\""),
	T("\"\\0\""), T("\"\\'\""), T("\"a\nb\""), T("\"a\tb\""),
	T("\"\x01\""), T("\"\x1f\""), T("\"a\0b\""), T("\"\\u00"),
	T("\"\\u\x10\x11\x12\x13\""), T("\"\\\n\""),
	/* NUL, lone surrogates */
	T("\"\\u0000\""), T("{\"\\u0000\":1}"), T("\"a\\u0000b\""),
	T("\"\\ud800\""), T("\"\\udc00\""), T("\"\\udc00\\ud800\""),
	T("\"\\ud800x\""), T("\"\\ud800\\n\""), T("\"\\ud800\\ud800\""),
	T("\"\\ud800\\u0041\""), T("\"\\ud83d\\ude0\""), T("\"\\ud83d\\u"),
	T("\"\\ud83d"), T("\"\\uDBFF\\uE000\""), T("\"\\ud83d\\xde00\""),
	/* not UTF-8 */
	T("\"\x80\""), T("\"\xff\""), T("\"\xc3\""), T("\"\xc3\x28\""),
	T("\"\xc0\xaf\""), T("\"\xc1\xbf\""), T("\"\xe0\x80\xaf\""),
	T("\"\xe0\x9f\xbf\""), T("\"\xed\xa0\x80\""), T("\"\xed\xbf\xbf\""),
	T("\"\xf0\x80\x80\xaf\""), T("\"\xf0\x8f\xbf\xbf\""),
	T("\"\xf4\x90\x80\x80\""), T("\"\xf5\x80\x80\x80\""),
	T("\"\xf8\x88\x80\x80\x80\""), T("\"\xe6\x97\""), T("\"\xfe\""),
	T("{\"\xff\":1}"), T("\"\xf0\x9f\x98"),
	/* in front, behind, between */
	T("\xef\xbb\xbf{}"), T("\xfe\xff{}"), T("\xff\xfe{}"), T("\0{}"),
	T("\v[]"), T("\f[]"), T("\xc2\xa0[]"), T("[]\x1a"), T("[1\0]"),
	T("//x\n1"), T("/*x*/1"), T("[1/*x*/]"), T("#x\n1"), T(")]}'\n{}"),
	/* twice, also when written differently */
	T("{\"a\":1,\"a\":1}"), T("{\"a\":1,\"\\u0061\":2}"),
	T("{\"\":1,\"\":2}"), T("[[{\"x\":{\"a\":1,\"b\":2,\"a\":3}}]]"),
	T("{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}"),
	T("{\"/\":1,\"\\/\":2}"), T("{\"o\":{\"k\":1,\"k\":{}}}"),
	T("{\"a\":[{\"b\":1,\"b\":1}],\"c\":1}"),
};

START_TEST(bad_texts_are_refused)
{
	cJSON *v = NULL;
	int r = json_parse(bad[_i].s, bad[_i].n, JSON_DEPTH, &v, &e);

	ck_assert_msg(r == -1, "%d: %s", _i, bad[_i].s);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert(utf8_ok(e.text, strlen(e.text)));
	ck_assert_ptr_null(v);
}
END_TEST

/* Every prefix of a text is not that text: nothing may be read past its end. */
START_TEST(prefixes_are_refused)
{
	static const char text[] = "{\"a\\u00fc\":[1.5e+3,true,null,"
	    "\"\\ud83d\\ude00\",\"\xf0\x9f\x98\x80\",{\"b\":{}}]}";

	for (size_t n = 0; n < sizeof text - 1; n++) {
		auto_free char *copy = xcalloc(n == 0 ? 1 : n, 1);
		cJSON *v = NULL;

		memcpy(copy, text, n);
		ck_assert_int_eq(json_parse(copy, n, JSON_DEPTH, &v, &e), -1);
	}
}
END_TEST

static void
nest(char *buf, size_t depth)
{
	memset(buf, '[', depth);
	memset(buf + depth, ']', depth);
	buf[2 * depth] = '\0';
}

START_TEST(depth_is_bounded)
{
	auto_free char *deep = xcalloc(200001, 1);
	cJSON *v = NULL;

	nest(deep, JSON_DEPTH);
	ck_assert_int_eq(json_parse(deep, strlen(deep), JSON_DEPTH, &v, &e),
	    0);
	json_free(v);
	v = NULL;
	nest(deep, JSON_DEPTH + 1);
	ck_assert_int_eq(json_parse(deep, strlen(deep), JSON_DEPTH, &v, &e),
	    -1);
	nest(deep, 100000);
	ck_assert_int_eq(json_parse(deep, 200000, 1000000, &v, &e), -1);
	ck_assert_int_eq(json_parse("[]", 2, 0, &v, &e), -1);
	ck_assert_int_eq(json_parse("1", 1, 0, &v, &e), 0);
	json_free(v);
}
END_TEST

static const struct {
	const char	*text, *error;
} places[] = {
	{ "{\n \"a\": tru\n}", "line 2, column 7: not a value" },
	{ "[1,\n2,\n  x]", "line 3, column 3: not a value" },
	{ "[1]\n\n]", "line 3, column 1: something behind the value" },
	{ "{\"a\":1,\n// no\n\"b\":2}", "line 2, column 1: a key must be a"
	    " string" },
	{ "{\"a\":1,\"a\":2}", "the key 'a' stands twice" },
};

START_TEST(errors_name_the_place)
{
	cJSON *v = NULL;

	ck_assert_int_eq(json_parse(places[_i].text, strlen(places[_i].text),
	    JSON_DEPTH, &v, &e), -1);
	ck_assert_str_eq(e.text, places[_i].error);
}
END_TEST

static const char *const commented_good[] = {
	"// top\n{\"a\":1}", "{\"a\":1} // end", "{/* x */\"a\":/**/1}",
	"/* a\n b */ {\"a\":1}", "{\"a\":1}/***/", "{\"a\":1// \"\n}",
	"{\"a\":1 /* // */}", "{\"a\":1 /* \" */}", "{\"a\":1}//",
};

START_TEST(comments_are_skipped)
{
	const char *text = commented_good[_i];
	auto_json cJSON *v = NULL;
	cJSON *none = NULL;

	ck_assert_int_eq(json_parse_commented(text, strlen(text), JSON_DEPTH,
	    &v, &e), 0);
	ck_assert_int_eq(json_int(v, "a", 0), 1);
	ck_assert_int_eq(json_parse(text, strlen(text), JSON_DEPTH, &none,
	    &e), -1);
}
END_TEST

static const char *const commented_bad[] = {
	"/* {\"a\":1}", "{\"a\":1} /*", "{\"a\":1} /*/", "{\"a\":1,//x\n}",
	"[1,/**/]", "/", "/ /x\n1", "{\"a\":1} # x", "/* /* */ */ 1",
	"tr/**/ue", "1/**/2", "\"a\"/**/\"b\"", "// only",
};

START_TEST(comments_hide_nothing_else)
{
	const char *text = commented_bad[_i];
	cJSON *v = NULL;

	ck_assert_msg(json_parse_commented(text, strlen(text), JSON_DEPTH,
	    &v, &e) == -1, "%s", text);
}
END_TEST

START_TEST(strings_hold_no_comments)
{
	static const char text[] = "{\"a\":\"// \\\" /* x */\",\"b\":\"*/\"}";
	auto_json cJSON *v = NULL;

	ck_assert_int_eq(json_parse_commented(text, sizeof text - 1,
	    JSON_DEPTH, &v, &e), 0);
	ck_assert_str_eq(json_str(v, "a"), "// \" /* x */");
	ck_assert_str_eq(json_str(v, "b"), "*/");
}
END_TEST

START_TEST(comments_keep_line_and_column)
{
	static const char text[] = "/* one\n two */ // three\n{ /* \n */ x }";
	cJSON *v = NULL;

	ck_assert_int_eq(json_parse_commented(text, sizeof text - 1,
	    JSON_DEPTH, &v, &e), -1);
	ck_assert_str_eq(e.text,
	    "line 4, column 5: a key must be a string");
}
END_TEST

static const char map[] =
    "// rules\n"
    "{ \"a\": 1,\n"
    "  \"rules\": [ { \"x\": 1 },\n"
    "    /* here */ { \"match\": { \"y/z\": [10, 20], \"m~n\": 3 } },\n"
    "    [[], [7]] ],\n"
    "  \"last\": {}, \"\": 5 }\n";

static const struct {
	const char	*pointer;
	unsigned	 line, col;
} spots[] = {
	{ "", 2, 1 }, { "/a", 2, 3 }, { "/rules", 3, 3 },
	{ "/rules/0", 3, 14 }, { "/rules/0/x", 3, 16 },
	{ "/rules/1", 4, 16 }, { "/rules/1/match", 4, 18 },
	{ "/rules/1/match/y~1z", 4, 29 }, { "/rules/1/match/y~1z/1", 4, 41 },
	{ "/rules/1/match/m~0n", 4, 46 }, { "/rules/2/0", 5, 6 },
	{ "/rules/2/1", 5, 10 }, { "/rules/2/1/0", 5, 11 },
	{ "/last", 6, 3 }, { "/", 6, 15 },
	{ "/none", 0, 0 }, { "/rules/3", 0, 0 }, { "/rules/0/y", 0, 0 },
	{ "/a/0", 0, 0 }, { "/rules/x", 0, 0 }, { "/rules/00", 0, 0 },
	{ "/rules/-", 0, 0 }, { "/rul", 0, 0 }, { "/rulesx", 0, 0 },
	{ "/last/x", 0, 0 }, { "/rules/2/0/0", 0, 0 }, { "a", 0, 0 },
};

START_TEST(places_are_found)
{
	unsigned line = 0, col = 0;
	int r = json_locate(map, sizeof map - 1, spots[_i].pointer, &line,
	    &col);

	ck_assert_int_eq(r, spots[_i].line == 0 ? -1 : 0);
	ck_assert_msg(line == spots[_i].line && col == spots[_i].col,
	    "%s: %u:%u", spots[_i].pointer, line, col);
}
END_TEST

static const struct json_field table[] = {
	{ "s", JSON_STRING, true, 3 },
	{ "i", JSON_INT, false, 0 },
	{ "b", JSON_BOOL, false, 0 },
	{ "o", JSON_OBJECT, false, 0 },
	{ "l", JSON_ARRAY, false, 2 },
	{ "sn", JSON_STRING_OR_NULL, false, 3 },
	{ "on", JSON_OBJECT_OR_NULL, false, 0 },
	{ "any", JSON_ANY, false, 0 },
};

static const struct {
	const char	*text, *error;	/* NULL: fine */
} checks[] = {
	{ "{\"s\":\"abc\"}", NULL },
	{ "{\"s\":\"\",\"i\":0,\"b\":false,\"o\":{},\"l\":[1,2],\"sn\":null,"
	    "\"on\":{},\"any\":[]}", NULL },
	{ "{\"s\":\"\",\"i\":4503599627370496,\"sn\":\"x\",\"on\":null,"
	    "\"any\":null}", NULL },
	{ "[]", "an object is expected" },
	{ "\"s\"", "an object is expected" },
	{ "null", "an object is expected" },
	{ "{}", "'s' is missing" },
	{ "{\"S\":\"x\"}", "'s' is missing" },
	{ "{\"s\":null}", "'s' must be a string" },
	{ "{\"s\":1}", "'s' must be a string" },
	{ "{\"s\":\"abcd\"}", "'s' is longer than 3 bytes" },
	{ "{\"s\":\"\xc3\xbc\xc3\xbc\"}", "'s' is longer than 3 bytes" },
	{ "{\"s\":\"\",\"i\":-1}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":1.5}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":1e300}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":1e999}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":\"1\"}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":9007199254740994}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":9223372036854775808}",
	    "'i' must be a whole number" },
	{ "{\"s\":\"\",\"i\":null}", "'i' must be a whole number" },
	{ "{\"s\":\"\",\"b\":1}", "'b' must be true or false" },
	{ "{\"s\":\"\",\"b\":\"true\"}", "'b' must be true or false" },
	{ "{\"s\":\"\",\"o\":[]}", "'o' must be an object" },
	{ "{\"s\":\"\",\"o\":null}", "'o' must be an object" },
	{ "{\"s\":\"\",\"l\":{}}", "'l' must be an array" },
	{ "{\"s\":\"\",\"l\":[1,2,3]}", "'l' has more than 2 elements" },
	{ "{\"s\":\"\",\"sn\":1}", "'sn' must be a string or null" },
	{ "{\"s\":\"\",\"sn\":\"abcd\"}", "'sn' is longer than 3 bytes" },
	{ "{\"s\":\"\",\"on\":[]}", "'on' must be an object or null" },
	{ "{\"s\":\"\",\"x\":1}", "unknown key 'x'" },
	{ "{\"s\":\"\",\"\":1}", "unknown key ''" },
	{ "{\"s\":\"\",\"I\":1}", "unknown key 'I'" },
};

START_TEST(tables_check_objects)
{
	auto_json cJSON *v = NULL;
	int r;

	ck_assert_int_eq(json_parse(checks[_i].text, strlen(checks[_i].text),
	    JSON_DEPTH, &v, &e), 0);
	r = json_check(v, table, ARRAY_LEN(table), true, &e);
	ck_assert_msg(r == (checks[_i].error == NULL ? 0 : -1), "%s",
	    checks[_i].text);
	if (r == -1) {
		ck_assert_str_eq(e.text, checks[_i].error);
		ck_assert_int_eq(e.code, ERR_FORMAT);
	}
}
END_TEST

START_TEST(open_tables_let_more_in)
{
	static const char text[] = "{\"s\":\"\",\"x\":1}";
	auto_json cJSON *v = NULL;

	ck_assert_int_eq(json_parse(text, sizeof text - 1, JSON_DEPTH, &v,
	    &e), 0);
	ck_assert_int_eq(json_check(v, table, ARRAY_LEN(table), false, &e),
	    0);
}
END_TEST

START_TEST(accessors_fall_back)
{
	static const char text[] =
	    "{\"s\":\"x\",\"i\":5,\"b\":true,\"f\":1.5,\"n\":null}";
	auto_json cJSON *v = NULL;

	ck_assert_int_eq(json_parse(text, sizeof text - 1, JSON_DEPTH, &v,
	    &e), 0);
	ck_assert_str_eq(json_str(v, "s"), "x");
	ck_assert_ptr_null(json_str(v, "S"));
	ck_assert_ptr_null(json_str(v, "i"));
	ck_assert_ptr_null(json_str(v, "n"));
	ck_assert_int_eq(json_int(v, "i", 9), 5);
	ck_assert_int_eq(json_int(v, "f", 9), 9);
	ck_assert_int_eq(json_int(v, "none", 9), 9);
	ck_assert(json_bool(v, "b", false) && json_bool(v, "none", true));
	ck_assert(!json_bool(v, "s", false));
	ck_assert_ptr_null(json_get(v, "none"));
}
END_TEST

#define LOOP(name, table) \
	tcase_add_loop_test(tc, name, 0, (int)ARRAY_LEN(table))

UNIT_MAIN("common/json",
	LOOP(good_texts_are_read, good);
	LOOP(bad_texts_are_refused, bad);
	tcase_add_test(tc, prefixes_are_refused);
	tcase_add_test(tc, depth_is_bounded);
	LOOP(errors_name_the_place, places);
	LOOP(comments_are_skipped, commented_good);
	LOOP(comments_hide_nothing_else, commented_bad);
	tcase_add_test(tc, strings_hold_no_comments);
	tcase_add_test(tc, comments_keep_line_and_column);
	LOOP(places_are_found, spots);
	LOOP(tables_check_objects, checks);
	tcase_add_test(tc, open_tables_let_more_in);
	tcase_add_test(tc, accessors_fall_back);
)
