/* Where git configurations lead: hooks and more configuration elsewhere. */
#include <string.h>

#include "common/str.h"
#include "jail/gitleads.h"
#include "jail/scan.h"
#include "jail/sweep.h"
#include "tests/unit/jail_bed.h"

static const struct { const char *text, *want; } texts[] = {
	{ "", "" }, { "[core]\n\tbare = false\n", "" },
	{ "[core]\n\thooksPath = .githooks\n", "/w/.githooks " },
	{ "[core]\n\thookspath=/opt/h", "/opt/h " },
	{ "[CORE]\nHOOKSPATH = ~/h ; why\n", "/home/u/h " },
	{ "[core] hooksPath = a b  # x\n", "/w/a b " },
	{ "[core]\n\thooksPath = \"a # b\"\n", "/w/a # b " },
	{ "[core]\n\thooksPath = a\\\n/b\n", "/w/a/b " },
	{ "[core]\r\n\thooksPath = a\\\r\n/b\r\n", "/w/a/b " },
	{ "[core]\n\thooksPath = \"a\\\"b\\\\c\"d\n", "/w/a\"b\\cd " },
	{ "[core]\n\thooksPath\n", "" }, { "[core]\n\thooksPath =\n", "" },
	{ "[core]\n\thooksPath = a\n\thooksPath = b\n", "/w/a /w/b " },
	{ "[corex]\n\thooksPath = a\n", "" },
	{ "[include]\n\tpath = ../inc\n", "/w/inc " },
	{ "[include \"x]\"]\n\tpath = inc\n", "/w/.git/inc " },
	{ "[includeIf \"gitdir:~/\"]\n\tpath = /i\n", "/i " },
	{ "[includeIf \"hasconfig:remote.*.url:x\"] path = \"i\\tj\"\n",
	  "/w/.git/i\tj " },
	{ "[user]\n\tpath = x\n", "" },
	{ "# [include]\n; path = x\n[include]\n#path = y\n", "" },
	{ "[alias]\n\tx = \"a\n[include]\n\tpath = z\n", "/w/.git/z " },
	{ "[include]\n\tpath = a\\", "/w/.git/a " },
	{ "[include]\n\tpath = \"a\\", "/w/.git/a " }, { "[", "" },
	{ "[include", "" }, { "[include \"\\", "" },
};

START_TEST(hooks_and_includes_are_found)
{
	struct gitleads g = { .home = "/home/u" };
	struct list got = { 0 };
	struct str s;

	gitleads_trees(&g, "/w/.git", 1);
	gitleads_text(&g, texts[_i].text, "/w/.git");
	gitleads_paths(&g, &got);
	str_init(&s, 4096);
	for (size_t i = 0; i < got.n; i++)
		str_addf(&s, "%s ", got.v[i]);
	ck_assert_str_eq(s.s, texts[_i].want);
	str_clear(&s);
	list_clear(&got);
	gitleads_clear(&g);
}
END_TEST

START_TEST(what_is_included_includes_as_well_and_in_circles)
{
	struct bed b;
	struct gitleads g = { 0 };
	struct list got = { 0 };

	bed_open(&b);
	g.home = b.home;
	put(b.cwd, "a", "\xef\xbb\xbf[include]\n path = sub/b\n");
	put(b.cwd, "sub/b", "[include]\n path = ../a\n path = c\n"
	    " path = none\n");
	put(b.cwd, "sub/c", "[core]\n hooksPath = /h\n");

	auto_free char *a = xasprintf("%s/a", b.cwd);
	auto_free char *c = xasprintf("%s/sub/c", b.cwd);
	auto_free char *none = xasprintf("%s/sub/none", b.cwd);

	gitleads_file(&g, a);
	gitleads_trees(&g, a, 1);
	gitleads_paths(&g, &got);
	ck_assert(list_has(&got, a) && list_has(&got, c));
	ck_assert(list_has(&got, none) && list_has(&got, "/h"));
	ck_assert_uint_eq(got.n, 5);
	list_clear(&got);
	gitleads_clear(&g);
	bed_close(&b);
}
END_TEST

static unsigned
mark_of(const struct scene *s, const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	for (size_t i = 0; i < s->marks.n; i++)
		if (strcmp(s->marks.v[i].path, path) == 0)
			return s->marks.v[i].why;
	return 0;
}

/* Work trees elsewhere have the same hooks; what is made is set aside. */
START_TEST(where_it_leads_is_held)
{
	static const struct list none;
	struct bed b;
	struct spec spec;
	struct scene scene = { 0 };
	struct list notes = { 0 };
	struct err e = { 0 };

	bed_open(&b);
	put(b.cwd, ".git/objects/x", "x");
	put(b.cwd, ".git/refs/x", "x");
	put(b.cwd, ".git/config", "[core]\n hooksPath = .gh\n"
	    "[include]\n path = ../inc\n path = ../late\n"
	    " path = ../link/inc2\n");
	put(b.cwd, "real/inc2", "");
	put(b.cwd, "inc", "");
	put(b.cwd, ".gh/pre-commit", "x");
	put(b.cwd, "wt/.git", "gitdir: ../.git/worktrees/wt\n");
	put(b.cwd, "wt/.gh/pre-commit", "x");
	put(b.home, ".gitconfig", "[core]\n hooksPath = .mine\n");
	put(b.cwd, "wt/.mine/x", "x");
	spec_init(&spec);
	list_add(&spec.list[SPEC_ALLOW_WRITE], xstrdup(b.cwd));

	const struct scan_place place = { .cwd = b.cwd, .home = b.home,
	    .closed = &none };
	auto_free char *late = xasprintf("%s/late", b.cwd);
	auto_free char *way = xasprintf("%s/link", b.cwd);
	auto_free char *behind = xasprintf("%s/link/inc2", b.cwd);

	ck_assert_int_eq(symlink("real", way), 0);
	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, ".gh"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "inc"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "wt/.gh"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "wt/.mine"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "real/inc2"), MARK_NAME);
	put(b.cwd, "late", "[core]\n fsmonitor = evil\n");
	ck_assert_int_eq(unlink(way), 0);
	put(b.cwd, "link/inc2", "[core]\n fsmonitor = evil\n");
	put(b.cwd, ".mine/pre-commit", "evil");
	ck_assert_msg(sweep(&spec, &scene, &notes, &e) == 0, "%s", e.text);
	ck_assert_int_eq(access(late, F_OK), -1);
	ck_assert_int_eq(access(behind, F_OK), -1);
	ck_assert_uint_eq(notes.n, 3);
	list_clear(&notes);
	scene_clear(&scene);
	spec_clear(&spec);
	bed_close(&b);
}
END_TEST

UNIT_MAIN("jail/gitleads",
	tcase_add_loop_test(tc, hooks_and_includes_are_found, 0,
	    (int)ARRAY_LEN(texts));
	tcase_add_test(tc, what_is_included_includes_as_well_and_in_circles);
	tcase_add_test(tc, where_it_leads_is_held);
)
