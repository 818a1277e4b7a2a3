/* Where git configurations lead: hooks and more configuration elsewhere. */
#include <string.h>

#include "common/str.h"
#include "jail/gitread.h"
#include "jail/scan.h"
#include "jail/sweep.h"
#include "tests/unit/jail_bed.h"

static const struct { const char *text, *want; } texts[] = {
	{ "", "" }, { "[core]\n\tbare = false\n", "" },
	{ "[core]\n\thooksPath = .githooks\n", "/w/.githooks " },
	{ "[core]\n\thookspath=/opt/h", "/opt/h " },
	{ "[CORE]\nHOOKSPATH = ~/h ; why\n", "/home/u/h " },
	{ "[core]\n\thooksPath = ~root/h\n", "/root/h " },
	{ "[core]\n\thooksPath = ~nobody-has-it/h\n", "" },
	{ "[core]\n\thooksPath = \":(optional)h\"\n", "/w/h " },
	{ "[include]\n\tpath = ~root/i\n", "/root/i " },
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
	struct gitread r = { .home = "/home/u" };
	struct str s;

	gitread_text(&r, texts[_i].text, "/w/.git");
	str_init(&s, 4096);
	for (size_t i = 0; i < r.includes.n; i++)
		str_addf(&s, "%s ", r.includes.v[i]);
	for (size_t i = 0; i < r.hooks.n; i++) {
		auto_free char *path = path_normal(r.hooks.v[i], "/w", r.home);

		str_addf(&s, "%s ", path);
	}
	ck_assert_str_eq(s.s, texts[_i].want);
	str_clear(&s);
	gitread_clear(&r);
}
END_TEST

START_TEST(what_is_included_includes_as_well_and_in_circles)
{
	struct bed b;
	struct gitread r = { 0 };

	bed_open(&b);
	r.home = b.home;
	put(b.cwd, "a", "\xef\xbb\xbf[include]\n path = sub/b\n");
	put(b.cwd, "sub/b", "[include]\n path = ../a\n path = c\n"
	    " path = none\n");
	put(b.cwd, "sub/c", "[core]\n hooksPath = /h\n");

	auto_free char *a = xasprintf("%s/a", b.cwd);
	auto_free char *c = xasprintf("%s/sub/c", b.cwd);
	auto_free char *none = xasprintf("%s/sub/none", b.cwd);

	gitread_file(&r, a);
	ck_assert(list_has(&r.includes, a) && list_has(&r.includes, c));
	ck_assert(list_has(&r.includes, none) && list_has(&r.hooks, "/h"));
	ck_assert_uint_eq(r.includes.n + r.hooks.n, 5);
	gitread_clear(&r);
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
	    "[include]\n path = ../inc\n path = ../later\n"
	    " path = ../link/inc2\n");
	put(b.cwd, "real/inc2", "");
	put(b.cwd, "inc", "");
	put(b.cwd, ".gh/pre-commit", "x");
	put(b.cwd, "wt/.git", "gitdir: ../.git/worktrees/wt\n");
	put(b.cwd, ".git/worktrees/wt/commondir", "../..\n");
	put(b.cwd, "late/.git", "gitdir: ../.git/worktrees/late\n");
	put(b.cwd, "late/.gh/pre-commit", "x");
	put(b.cwd, "wt/.gh/pre-commit", "x");
	put(b.home, ".gitconfig", "[core]\n hooksPath = .mine\n");
	put(b.cwd, "wt/.mine/x", "x");
	spec_init(&spec);
	list_add(&spec.list[SPEC_ALLOW_WRITE], xstrdup(b.cwd));

	const struct scan_place place = { .cwd = b.cwd, .home = b.home,
	    .closed = &none };
	auto_free char *late = xasprintf("%s/later", b.cwd);
	auto_free char *new_hooks = xasprintf("%s/new/.gh", b.cwd);
	auto_free char *repo_hooks = xasprintf("%s/repo/.mine", b.cwd);
	auto_free char *late_hooks = xasprintf("%s/late/.gh", b.cwd);
	auto_free char *way = xasprintf("%s/link", b.cwd);
	auto_free char *behind = xasprintf("%s/link/inc2", b.cwd);

	ck_assert_int_eq(symlink("real", way), 0);
	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, ".gh"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "inc"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "wt/.gh"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "wt/.mine"), MARK_NAME);
	ck_assert_uint_eq(mark_of(&scene, b.cwd, "real/inc2"), MARK_NAME);
	put(b.cwd, "later", "[core]\n fsmonitor = evil\n");
	ck_assert_int_eq(unlink(way), 0);
	put(b.cwd, "link/inc2", "[core]\n fsmonitor = evil\n");
	put(b.cwd, ".mine/pre-commit", "evil");
	put(b.cwd, "new/.git", "gitdir: ../.git/worktrees/new\n");
	put(b.cwd, ".git/worktrees/new/commondir", "../..\n");
	put(b.cwd, "new/.gh/pre-commit", "evil");
	put(b.cwd, "repo/.git/x", "x");
	put(b.cwd, "repo/.mine/pre-commit", "evil");
	put(b.cwd, ".git/worktrees/late/commondir", "../..\n");
	put(b.cwd, "late/.gh/pre-commit", "evil");
	ck_assert_msg(sweep(&spec, &scene, &notes, &e) == 0, "%s", e.text);
	ck_assert_int_eq(access(late, F_OK), -1);
	ck_assert_int_eq(access(behind, F_OK), -1);
	ck_assert_int_eq(access(new_hooks, F_OK), -1);
	ck_assert_int_eq(access(repo_hooks, F_OK), -1);
	ck_assert_int_eq(access(late_hooks, F_OK), -1);
	ck_assert_uint_eq(notes.n, 6);
	list_clear(&notes);
	scene_clear(&scene);
	spec_clear(&spec);
	bed_close(&b);
}
END_TEST

/* A repository that lies elsewhere, and what is marked below the project. */
static void
ck_held(struct bed *b, char *const *environ_, const char *const *held)
{
	static const struct list none;
	struct spec spec;
	struct scene scene = { 0 };
	struct err e = { 0 };
	const struct scan_place place = { .cwd = b->cwd, .home = b->home,
	    .closed = &none, .environ = environ_ };

	spec_init(&spec);
	list_add(&spec.list[SPEC_ALLOW_WRITE], xstrdup(b->cwd));
	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
	for (; *held != NULL; held++)
		ck_assert_msg(mark_of(&scene, b->cwd, *held) == MARK_NAME,
		    "%s", *held);
	scene_clear(&scene);
	spec_clear(&spec);
}

START_TEST(a_repository_behind_a_git_file_counts)
{
	static const char *const held[] = { ".gh", ".gw", "inc", "s/.sh",
	    "l/.lh", "tree/.th", NULL };
	struct bed b;

	bed_open(&b);

	auto_free char *git = xasprintf("gitdir: %s/main/.git/worktrees/w\n",
	    b.dir);
	auto_free char *inc = xasprintf("[core]\n hooksPath = .gh\n"
	    "[include]\n path = %s/inc\n", b.cwd);
	auto_free char *tree = xasprintf("[core]\n worktree = %s/tree\n"
	    " hooksPath = .th\n", b.cwd);
	auto_free char *way = xasprintf("%s/l/.git", b.cwd);

	put(b.dir, "main/.git/config", inc);
	put(b.dir, "main/.git/worktrees/w/commondir", "../..\n");
	put(b.dir, "main/.git/worktrees/w/config.worktree",
	    "[core]\n hooksPath = .gw\n");
	put(b.dir, "super/modules/s/config", "[core]\n hooksPath = .sh\n");
	put(b.dir, "linked/config", "[core]\n hooksPath = .lh\n");
	put(b.cwd, ".git", git);
	put(b.cwd, "s/.git", "gitdir: ../../super/modules/s\r\n\n");
	put(b.cwd, "bare/objects/x", "");
	put(b.cwd, "bare/refs/x", "");
	put(b.cwd, "bare/config", tree);
	for (size_t i = 0; held[i] != NULL; i++) {
		auto_free char *hook = xasprintf("%s%s", held[i],
		    str_eq(held[i], "inc") ? "" : "/pre-commit");

		put(b.cwd, hook, "x");
	}
	ck_assert_int_eq(symlink("../../linked", way), 0);
	ck_held(&b, NULL, held);
	bed_close(&b);
}
END_TEST

START_TEST(a_repository_above_and_settings_elsewhere_count)
{
	static const char *const held[] = { ".up", ".xdg", ".global", NULL };
	struct bed b;

	bed_open(&b);

	auto_free char *xdg = xasprintf("XDG_CONFIG_HOME=%s/xdg", b.dir);
	auto_free char *global = xasprintf("GIT_CONFIG_GLOBAL=%s/g", b.dir);
	char *const variables[] = { xdg, global, NULL };

	put(b.dir, ".git/config", "[core]\n hooksPath = p/.up\n");
	put(b.dir, "xdg/git/config", "[core]\n hooksPath = p/.xdg\n");
	put(b.dir, "g", "[core]\n hooksPath = p/.global\n");
	for (size_t i = 0; held[i] != NULL; i++) {
		auto_free char *hook = xasprintf("%s/pre-commit", held[i]);

		put(b.cwd, hook, "x");
	}
	ck_held(&b, variables, held);
	bed_close(&b);
}
END_TEST

UNIT_MAIN("jail/gitleads",
	tcase_add_loop_test(tc, hooks_and_includes_are_found, 0,
	    (int)ARRAY_LEN(texts));
	tcase_add_test(tc, what_is_included_includes_as_well_and_in_circles);
	tcase_add_test(tc, where_it_leads_is_held);
	tcase_add_test(tc, a_repository_behind_a_git_file_counts);
	tcase_add_test(tc, a_repository_above_and_settings_elsewhere_count);
)
