/* cmd/toml: what is found is there, and what is odd is refused. */
#include "cmd/toml.h"

#include <string.h>

#include "common/mem.h"
#include "tests/unit/unit.h"

static void
list(void *arg, const struct toml_event *ev)
{
	struct str *ret = arg;

	str_addf(ret, "%s%s%s ", ev->is_list ? "*" : ev->is_table ? "+" : "",
	    ev->path, ev->is_table ? "" : "=");
}

static const struct {
	const char *text, *want;
} good[] = {
	{ "", "" }, { "\n\n", "" }, { "# only\n", "" }, { "a=1", "/a= " },
	{ "a = 1 # x\n", "/a= " }, { "a.b . c = 'x'\n", "/a/b/c= " },
	{ "\"a/b\" = 1\n'c~d' = 2\n", "/a~1b= /c~0d= " },
	{ "[t]\nx=1\n[t.u] # c\ny=2\n", "+/t /t/x= +/t/u /t/u/y= " },
	{ "[[l]]\nx=1\n[[ l ]]\n[[l.m]]\n", "*/l /l/x= */l */l/m " },
	{ "[a.\"b.c\".'d e']\n", "+/a/b.c/d e " },
	{ "a = \"x # y\" # z\n", "/a= " }, { "a = \"\\\"]\"\n", "/a= " },
	{ "a = \"\"\"\n[no]\nx = 1\n\"\"\"\nb = 2\n", "/a= /b= " },
	{ "a = '''\n[no]\n'''\n", "/a= " },
	{ "a = \"\"\"x\"\"\"\"\"\n", "/a= " },
	{ "a = [ 1,\n 2, # c\n [\"]\"],\n]\n", "/a= " },
	{ "a = { b = 1, c.d = [ { e = '}' } ] }\n", "/a= " },
	{ "a = {}\nb = []\n", "/a= /b= " },
	{ "a = 1979-05-27T07:32:00Z\nb = 1e3\nc = -inf\n", "/a= /b= /c= " },
	{ "a = 1\r\n[t]\r\n\r\nb = 2\r\n", "/a= +/t /t/b= " },
	{ "a = 1979-05-27 07:32:00.5-07:00 # c\nb = 07:32:00\n", "/a= /b= " },
	{ "a = +1_000.5e-1_0\nb = 0xdead_BEEF\nc = [nan,+inf]\n",
	  "/a= /b= /c= " },
	{ "a = \"\"\"x \\ \n  y\"\"\"\n", "/a= " },
	/* What may still be added to, and what has its own names. */
	{ "[a.b]\n[a]\nc.d = 1\nc.e = 2\n", "+/a/b +/a /a/c/d= /a/c/e= " },
	{ "a.b = 1\n[a.c]\n", "/a/b= +/a/c " },
	{ "[[l]]\nx = 1\n[l.t]\n[[l]]\nx = 1\n[l.t]\n",
	  "*/l /l/x= +/l/t */l /l/x= +/l/t " },
	{ "a = {b = 1}\nc = {b = 1}\n", "/a= /c= " },
};

START_TEST(finds_every_place)
{
	auto_str struct str got = { 0 };
	struct err e = { 0 };

	str_init(&got, 4096);
	ck_assert_msg(toml_scan(good[_i].text, strlen(good[_i].text), list,
	    &got, &e) == 0, "%s", e.text);
	ck_assert_str_eq(got.s, good[_i].want);
}
END_TEST

static const char *const bad[] = {
	"a", "a =", "= 1", "a = 1 2", "a = 1 b = 2\n", "[t", "[]", "[t]]",
	"[[t]", "a = \"x", "a = 'x\ny'", "a = \"\"\"x", "a = [1", "a = [1 2]",
	"a = {b = 1", "a = {b}", "a = {b = 1,}", "a b = 1", "a..b = 1",
	("\xef\xbb\xbf" "a = 1"), "a = \xff", "[t] x = 1", "a = ?", "é = 1",
	"\"\\q\" = 1", "a = \"\\q\"", "a = \"\\u12\"", "a = yes", "a = 01",
	"a = 1__0", "a = 1.", "a = 1979-13-01", "a = 25:00:00", "a = \x7f",
	"# \x01", "a = 1\rb = 2", "a = \"\"\"x\"\"\"\"\"\"",
	/* Names that are taken. */
	"a = 1\na = 2", "a = 1\n\"a\" = 2", "[t]\n[t]", "[t]\n[[t]]",
	"[[t]]\n[t]", "a = 1\n[a]", "a = 1\na.b = 2", "a.b = 1\n[a]",
	"[a]\nb.c = 1\n[a.b]", "[a.b]\n[a]\nb.c = 1", "a = {}\n[a.b]",
	"a = {}\na.b = 1", "a = {b = 1, b = 2}", "a = {b = 1, b.c = 2}",
	"a = [{b = 1, b = 2}]", "l = []\n[[l]]", "[a]\nx=1\n[b]\n[a]",
};

START_TEST(refuses_what_it_does_not_know)
{
	struct err e = { 0 };

	ck_assert_msg(toml_scan(bad[_i], strlen(bad[_i]), NULL, NULL, &e) ==
	    -1, "%s", bad[_i]);
	ck_assert_int_eq(e.code, ERR_FORMAT);
}
END_TEST

START_TEST(names_the_line)
{
	static const char text[] = "a = 1\n\n[t]\nx = \"y\n";
	struct err e = { 0 };

	ck_assert_int_eq(toml_scan(text, strlen(text), NULL, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "line 4"));
}
END_TEST

START_TEST(every_cut_ends)
{
	static const char text[] = "[a.\"b\"]\nx = [ { y = '''z''' }, \"\\\"\" "
	    "] # c\n[[l]]\nk = \"\"\"v\"\"\"\n";

	for (size_t n = 0; n <= strlen(text); n++) {
		auto_free char *copy = xstrndup(text, n);

		toml_scan(copy, n, NULL, NULL, NULL);
	}
}
END_TEST

START_TEST(gets_a_value)
{
	static const char text[] = "[p.\"/x\"]\ntrust = \"yes\"\n[q]\na=[1, 2]\n";
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	ck_assert(toml_get(text, strlen(text), "/p/~1x/trust", &s));
	ck_assert_str_eq(s.s, "\"yes\"");
	str_reset(&s);
	ck_assert(toml_get(text, strlen(text), "/q/a", &s));
	ck_assert_str_eq(s.s, "[1, 2]");
	ck_assert(!toml_get(text, strlen(text), "/q/b", &s));
	ck_assert(!toml_get(text, strlen(text), "/q", &s));
}
END_TEST

UNIT_MAIN("cmd/toml",
	tcase_add_loop_test(tc, finds_every_place, 0, (int)ARRAY_LEN(good));
	tcase_add_loop_test(tc, refuses_what_it_does_not_know, 0,
	    (int)ARRAY_LEN(bad));
	tcase_add_test(tc, names_the_line);
	tcase_add_test(tc, every_cut_ends);
	tcase_add_test(tc, gets_a_value);
)
