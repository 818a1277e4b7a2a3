#include "cmd/settings.h"

#include <string.h>

#include "common/json.h"
#include "tests/unit/unit.h"

static const struct registration_place place = {
	.libexec = "/opt/lib", .root = "/p", .state = "/s/x",
};

static int
add(const char *text, struct str *ret, struct err *e)
{
	str_init(ret, SETTINGS_MAX);
	str_add(ret, text);
	return settings_add(&agents[0], NULL, &place, ret, e);
}

START_TEST(fresh_file_holds_every_registration_once)
{
	struct str s;
	struct err e = { 0 };

	ck_assert_msg(add("", &s, &e) == 0, "%s", e.text);
	ck_assert_int_eq(registration_check(s.s, s.len, &place, true, &e), 0);

	struct str again;

	ck_assert_int_eq(add(s.s, &again, &e), 0);
	ck_assert_str_eq(again.s, s.s);
	str_clear(&s);
	str_clear(&again);
}
END_TEST

START_TEST(foreign_bytes_survive_both_ways)
{
	static const char *const texts[] = {
		"{}", "{\n}\n", "{\"model\":\"opus\",   \"x\":1}\n",
		"{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls)\"]\n\t}\n}",
		"{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":"
		"[{\"type\":\"command\",\"command\":\"mine\"}]}]}}",
		"{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct str s;
		struct err e = { 0 };

		ck_assert_msg(add(texts[i], &s, &e) == 0, "%zu: %s", i,
		    e.text);
		ck_assert_int_eq(settings_remove(&agents[0], &s, &e), 0);

		cJSON *was = NULL, *is = NULL;

		ck_assert_int_eq(json_parse(texts[i], strlen(texts[i]), 32,
		    &was, &e), 0);
		ck_assert_int_eq(json_parse(s.s, s.len, 32, &is, &e), 0);
		ck_assert_msg(cJSON_Compare(was, is, true), "%s", s.s);
		json_free(was);
		json_free(is);
		str_clear(&s);
	}
}
END_TEST

START_TEST(an_older_installation_is_replaced)
{
	static const struct registration_place old = {
		.libexec = "/old", .root = "/p", .state = "/s/x",
	};
	struct str s;
	struct err e = { 0 };

	str_init(&s, SETTINGS_MAX);
	ck_assert_int_eq(settings_add(&agents[0], NULL, &old, &s, &e), 0);
	ck_assert_int_eq(settings_add(&agents[0], NULL, &place, &s, &e), 0);
	ck_assert_ptr_null(strstr(s.s, "/old/"));
	str_clear(&s);
}
END_TEST

START_TEST(refuses_what_the_client_would_drop)
{
	static const char *const texts[] = {
		"{", "[]", "{\"hooks\":[]}", "{\"hooks\":{\"X\":{}}}",
		"{\"hooks\":{\"X\":[{\"hooks\":[{\"type\":\"magic\"}]}]}}",
		"{\"hooks\":{\"X\":[{\"hooks\":[{\"type\":\"command\","
		"\"command\":\"x\",\"timeout\":0}]}]}}",
		"{\"permissions\":{\"allow\":\"x\"}}", "{\"env\":[]}",
		"{ /* hi */ }", "{\"disableAllHooks\":true}",
		"{\"env\":{\"LD_PRELOAD\":\"/x.so\"}}",
		"{\"env\":{\"GIT_CONFIG_COUNT\":\"1\"}}",
		"{\"env\":{\"PATH\":\"/tmp\"}}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct str s;
		struct err e = { 0 };

		ck_assert_msg(add(texts[i], &s, &e) == -1, "%s", texts[i]);
		ck_assert_str_eq(s.s, texts[i]);
		str_clear(&s);
	}
}
END_TEST

/* The committed file may say true; only this one's false outranks it. */
START_TEST(the_switch_is_set_and_needed)
{
	struct str s;
	struct err e = { 0 };
	const char *gone = "\"disableAllHooks\": false,";
	char *at;

	ck_assert_int_eq(add("", &s, &e), 0);
	at = strstr(s.s, gone);
	ck_assert_ptr_nonnull(at);
	memset(at, ' ', strlen(gone));
	ck_assert_int_eq(registration_check(s.s, s.len, &place, true, &e), -1);
	ck_assert_int_eq(e.code, ERR_SETUP);
	ck_assert_int_eq(registration_check(s.s, s.len, &place, false, &e), 0);
	ck_assert_int_eq(settings_add(&agents[0], NULL, &place, &s, &e), 0);
	ck_assert_int_eq(registration_check(s.s, s.len, &place, true, &e), 0);
	str_clear(&s);
}
END_TEST

UNIT_MAIN("cmd/settings",
	tcase_add_test(tc, the_switch_is_set_and_needed);
	tcase_add_test(tc, fresh_file_holds_every_registration_once);
	tcase_add_test(tc, foreign_bytes_survive_both_ways);
	tcase_add_test(tc, an_older_installation_is_replaced);
	tcase_add_test(tc, refuses_what_the_client_would_drop);
)
