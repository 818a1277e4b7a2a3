/* Patterns of paths. */
#include "common/mem.h"
#include "common/str.h"
#include "jail/glob.h"
#include "tests/unit/unit.h"

static const struct { const char *pattern, *path; bool want; } globs[] = {
	{ "/a/*.c", "/a/x.c", true }, { "/a/*.c", "/a/b/x.c", false },
	{ "/a/*.c", "/a/.c", true }, { "/a/**/x", "/a/x", true },
	{ "/a/**/x", "/a/b/c/x", true }, { "/a/**/x", "/a/b/c/y", false },
	{ "/a/**/b/**/c", "/a/q/b/r/s/c", true },
	{ "/a/**/b/**/c", "/a/q/r/s/c", false },
	{ "/a/**", "/a", true }, { "/a/**", "/a/b/c", true },
	{ "/a/**", "/ab", false }, { "/**/.env", "/x/y/.env", true },
	{ "/a/?", "/a/b", true }, { "/a/?", "/a/bc", false },
	{ "/a/[ab]*", "/a/bz", true }, { "/a/[!ab]*", "/a/bz", false },
	{ "/a/x**y", "/a/xzzy", true }, { "/a/*/", "/a/b", true },
	{ "/a/**/**/b", "/a/b", true }, { "/a/b", "/a/bc", false },
	{ "/a/bc*", "/a/b", false }, { "/a\\b/*", "/a\\b/x", true },
	{ "/a\\*", "/a*", false }, { "//a/[bc]", "/a/c", true },
};

START_TEST(patterns_match_whole_paths)
{
	ck_assert_int_eq(glob_match(globs[_i].pattern, globs[_i].path),
	    globs[_i].want);
}
END_TEST

START_TEST(patterns_have_a_base)
{
	auto_free char *a = glob_base("/a/b/*.c"), *b = glob_base("/**/x");
	auto_free char *c = glob_base("/a/b?/c");
	auto_free char *quoted = glob_quote("/a[1]/b*?\\");
	auto_free char *whole = xasprintf("%s/**/x", quoted);
	auto_free char *d = glob_base(whole);

	ck_assert_str_eq(a, "/a/b");
	ck_assert_str_eq(b, "/");
	ck_assert_str_eq(c, "/a");
	ck_assert_str_eq(d, "/a[1]/b*?\\");
	ck_assert(glob_match(whole, "/a[1]/b*?\\/c/x"));
	ck_assert(!glob_match(whole, "/a1/b*?\\/c/x"));
}
END_TEST

UNIT_MAIN("jail/glob",
	tcase_add_loop_test(tc, patterns_match_whole_paths, 0,
	    (int)ARRAY_LEN(globs));
	tcase_add_test(tc, patterns_have_a_base);
)
