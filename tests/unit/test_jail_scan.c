/* Looking at a tree before a run, and at what became of it afterwards. */
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/jail_scene.h"

START_TEST(names_patterns_and_git_are_marked)
{
	put(bed.cwd, "1/2/3/.bashrc", "x");
	put(bed.cwd, "r/.git/objects/x", "x");
	put(bed.cwd, "r/.git/refs/x", "x");
	put(bed.cwd, "r/.git/config", "x");
	put(bed.cwd, "r/.git/hooks/pre-commit", "x");
	put(bed.cwd, "bare/objects/.bashrc", "x");
	put(bed.cwd, "bare/refs/x", "x");
	put(bed.cwd, "bare/config", "x");
	put(bed.cwd, "wt/.git", "gitdir: /x\n");
	put(bed.cwd, "plain/config", "x");
	put(bed.cwd, "a.env", "x");
	put(bed.cwd, "a.pem", "x");
	deny(SPEC_DENY_READ, "**/*.env");
	deny(SPEC_DENY_WRITE, "*.pem");
	look();
	ck_mark("", 0);
	ck_assert_uint_eq(mark_of(bed.cwd), MARK_WRITE | MARK_CWD);
	ck_mark("1/2/3/.bashrc", MARK_NAME);
	ck_mark("r/.git/config", MARK_NAME);
	ck_mark("r/.git/hooks", MARK_NAME);
	ck_mark("r/.git/hooks/pre-commit", 0);
	ck_mark("bare/config", MARK_NAME);
	ck_mark("bare/objects/.bashrc", MARK_NAME);
	ck_mark("wt/.git", MARK_NAME);
	ck_mark("plain/config", 0);
	ck_mark("a.env", MARK_DENY_READ);
	ck_mark("a.pem", MARK_DENY_WRITE);
}
END_TEST

/* What somebody works in is no package, wherever it lies. */
START_TEST(a_project_among_packages_is_a_project)
{
	put(bed.cwd, "node_modules/p/.vscode/x", "x");
	put(bed.cwd, "node_modules/p/.sandbox/x", "x");
	put(bed.cwd, "node_modules/p/node_modules/q/.vscode/x", "x");
	list_clear(&spec.list[SPEC_ALLOW_WRITE]);
	deny(SPEC_ALLOW_WRITE, "node_modules/p");
	look();
	ck_mark("node_modules/p/.vscode", MARK_NAME);
	ck_mark("node_modules/p/.sandbox", MARK_NAME | MARK_CLOSED);
	ck_mark("node_modules/p/node_modules/q/.vscode", 0);
	put(bed.cwd, "node_modules/p/.bashrc", "evil");
	put(bed.cwd, "node_modules/p/node_modules/q/.bashrc", "theirs");
	clean();
	ck_assert(!there("node_modules/p/.bashrc"));
	ck_assert(there("node_modules/p/node_modules/q/.bashrc"));
}
END_TEST

START_TEST(allow_git_config_leaves_it_and_guards_the_hooks)
{
	put(bed.cwd, ".git/config", "x");
	put(bed.cwd, ".git/config.worktree", "x");
	put(bed.cwd, ".git/hooks/x.sample", "x");
	spec.git_config = true;
	look();
	ck_mark(".git/config", 0);
	ck_mark(".git/config.worktree", MARK_NAME);
	ck_mark(".git/hooks", MARK_NAME);
}
END_TEST

START_TEST(second_names_of_secrets_are_marked)
{
	auto_free char *key = xasprintf("%s/.ssh/id", bed.home);
	auto_free char *own = at("hl"), *rc = at(".bashrc"), *rc2 = at("rc2");

	put(bed.home, ".ssh/id", "key");
	put(bed.cwd, ".bashrc", "x");
	ck_assert_int_eq(link(key, own), 0);
	ck_assert_int_eq(link(rc, rc2), 0);
	list_add(&spec.list[SPEC_DENY_READ], xasprintf("%s/.ssh", bed.home));
	look();
	ck_mark("hl", MARK_DENY_READ);
	ck_mark("rc2", MARK_DENY_WRITE);
}
END_TEST

START_TEST(a_place_that_leads_through_a_link_is_not_writable)
{
	auto_free char *to = xasprintf("%s/out", bed.dir);

	if (geteuid() == 0) {	/* root's own links count: give it away */
		link_to(to, "build");
		auto_free char *path = at("build");

		ck_assert_int_eq(lchown(path, 65534, 65534), 0);
	} else {
		link_to(to, "build");
	}
	put(bed.dir, "out", NULL);
	deny(SPEC_ALLOW_WRITE, "build");
	deny(SPEC_ALLOW_WRITE, "missing");
	look();
	ck_assert_uint_eq(scene.roots.n, 1);
	ck_assert_uint_eq(mark_of(to), 0);
	ck_assert_uint_eq(scene.notes.n, 2);
	ck_assert(strstr(scene.notes.v[0], "leads through a link") != NULL);
	ck_assert(strstr(scene.notes.v[1], "does not exist") != NULL);
}
END_TEST

START_TEST(a_second_name_that_may_be_read_opens_nothing)
{
	auto_free char *secret = at(".env"), *sample = at(".env.sample");
	auto_free char *a = at("a/.env"), *b = at("b");

	put(bed.cwd, ".env", "secret");
	put(bed.cwd, "a/.env", "open");
	ck_assert_int_eq(link(secret, sample) | link(a, b), 0);
	deny(SPEC_DENY_READ, "**/.env");
	deny(SPEC_ALLOW_READ, "**/.env.sample");
	deny(SPEC_ALLOW_READ, "a/.env");
	look();
	ck_mark(".env", MARK_DENY_READ);
	ck_mark(".env.sample", MARK_DENY_READ);
	ck_mark("a/.env", MARK_DENY_READ | MARK_READ);
	ck_mark("b", 0);
}
END_TEST

/* Somebody's link must not open what it leads to. */
START_TEST(a_link_is_no_allowance_to_read)
{
	auto_free char *ssh = xasprintf("%s/.ssh", bed.home);
	auto_free char *env = at(".env");
	static const char *const links[] = { "docs", ".env.sample" };

	put(bed.home, ".ssh/id", "key");
	put(bed.cwd, ".env", "secret");
	put(bed.cwd, "a/.env.sample", "x");
	link_to(ssh, "docs");
	link_to(".env", ".env.sample");
	for (size_t i = 0; geteuid() == 0 && i < ARRAY_LEN(links); i++) {
		auto_free char *path = at(links[i]);

		ck_assert_int_eq(lchown(path, 65534, 65534), 0);
	}
	list_add(&spec.list[SPEC_DENY_READ], xstrdup(ssh));
	deny(SPEC_DENY_READ, "**/.env");
	deny(SPEC_ALLOW_READ, "docs");
	deny(SPEC_ALLOW_READ, "**/.env.sample");
	look();
	ck_assert_uint_eq(mark_of(ssh), MARK_DENY_READ);
	ck_assert_uint_eq(mark_of(env), MARK_DENY_READ);
	ck_mark("a/.env.sample", MARK_READ);
	ck_assert_uint_eq(scene.notes.n, 1);
	ck_assert(strstr(scene.notes.v[0], "is not opened") != NULL);
}
END_TEST

START_TEST(what_is_new_under_a_protected_name_is_set_aside)
{
	put(bed.cwd, "old/.bashrc", "mine");
	deny(SPEC_DENY_WRITE, "a/b/s");
	deny(SPEC_DENY_WRITE, "**/*.env");
	look();
	put(bed.cwd, ".zshrc", "x");
	put(bed.cwd, "d/.claude/commands/x.md", "x");
	put(bed.cwd, "a/b/s", "x");
	put(bed.cwd, "d/x.env", "x");
	put(bed.cwd, "node_modules/p/.vscode/x", "x");
	put(bed.cwd, "fine", "x");
	link_to("fine", ".envrc");
	clean();
	ck_assert(there("old/.bashrc") && there("fine"));
	ck_assert(there("node_modules/p/.vscode"));
	ck_assert(!there(".zshrc") && there(".zshrc.set-aside"));
	ck_assert(!there("d/.claude") && there("d/.claude.set-aside"));
	ck_assert(!there("a/b/s") && there("a/b/s.set-aside"));
	ck_assert(!there("d/x.env") && there("d/x.env.set-aside"));
	ck_assert(!there(".envrc") && there(".envrc.set-aside"));
	ck_assert_uint_eq(notes.n, 5);
}
END_TEST

START_TEST(a_denied_path_behind_a_link_is_found)
{
	deny(SPEC_DENY_WRITE, "a/s");
	look();
	put(bed.cwd, "else/s", "x");
	link_to("else", "a");
	clean();
	ck_assert(!there("else/s") && there("else/s.set-aside"));
}
END_TEST

START_TEST(new_repositories_keep_bookkeeping_only)
{
	auto_free char *path = at("r/.git/config");
	char text[200] = "";

	look();
	put(bed.cwd, "r/.git/objects/x", "x");
	put(bed.cwd, "r/.git/refs/x", "x");
	put(bed.cwd, "r/.git/config", "[core]\n\tbare = false\n"
	    "\tfsmonitor = evil\n");
	put(bed.cwd, "r/.git/hooks/pre-commit", "x");
	put(bed.cwd, "r/.git/hooks/pre-push.sample", "x");
	put(bed.cwd, "b/objects/x", "x");
	put(bed.cwd, "b/refs/x", "x");
	put(bed.cwd, "b/hooks/update", "x");
	put(bed.cwd, "b/commondir", "/etc");
	put(bed.cwd, "wt/.git", "gitdir: /etc\n");
	put(bed.cwd, "ok/.git", "gitdir: ../r/.git\n");
	put(bed.cwd, "src/hooks/useThing", "x");
	link_to("/etc", "b/l");
	clean();

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
	close(fd);
	ck_assert_str_eq(text, "[core]\n\tbare = false\n");
	ck_assert(there("r/.git/config.set-aside"));
	ck_assert(!there("r/.git/hooks/pre-commit"));
	ck_assert(there("r/.git/hooks/pre-push.sample"));
	ck_assert(!there("b/hooks/update") && !there("b/commondir"));
	ck_assert(!there("wt/.git") && there("ok/.git"));
	ck_assert(there("src/hooks/useThing"));
}
END_TEST

START_TEST(a_protected_link_is_put_back)
{
	auto_free char *link_path = at(".bashrc"), *other = at("rc");
	char text[64] = "";

	put(bed.cwd, "rc", "mine");
	link_to("rc", ".bashrc");
	look();
	ck_assert_uint_eq(scene.n_links, 1);
	ck_assert_uint_eq(mark_of(other), MARK_NAME);
	clean();
	ck_assert_uint_eq(notes.n, 0);
	ck_assert_int_eq(unlink(link_path), 0);
	put(bed.cwd, ".bashrc", "evil");
	clean();
	ck_assert_int_eq(readlink(link_path, text, sizeof text - 1), 2);
	ck_assert_str_eq(text, "rc");
	ck_assert(there(".bashrc.set-aside"));
	ck_assert_int_eq(unlink(link_path), 0);
	clean();
	ck_assert_int_eq(readlink(link_path, text, sizeof text - 1), 2);
}
END_TEST

/* The link lies deep, so that descriptors are short behind it alone. */
START_TEST(what_cannot_be_looked_behind_ends_a_scan)
{
	static const struct list none;
	const struct scan_place place = { .cwd = bed.cwd, .home = bed.home,
	    .closed = &none };
	auto_free char *package = at("node_modules/p");
	struct rlimit few;
	int fd = dup(0);

	put(bed.cwd, "node_modules/p/1/2/3/4/5/6/7/8/9/.vscode/x", "x");
	put(bed.cwd, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/x", "x");
	link_to(package, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/link");
	close(fd);
	look();
	ck_mark("node_modules/p/1/2/3/4/5/6/7/8/9/.vscode", MARK_NAME);
	scene_clear(&scene);
	few.rlim_cur = few.rlim_max = (rlim_t)fd + 25;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(scan(&spec, &place, &scene, &e), -1);
	ck_assert(strstr(e.text, "links") != NULL);
}
END_TEST

UNIT_MAIN("jail/scan",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names_patterns_and_git_are_marked);
	tcase_add_test(tc, a_project_among_packages_is_a_project);
	tcase_add_test(tc, allow_git_config_leaves_it_and_guards_the_hooks);
	tcase_add_test(tc, second_names_of_secrets_are_marked);
	tcase_add_test(tc, a_place_that_leads_through_a_link_is_not_writable);
	tcase_add_test(tc, a_link_is_no_allowance_to_read);
	tcase_add_test(tc, a_second_name_that_may_be_read_opens_nothing);
	tcase_add_test(tc, what_is_new_under_a_protected_name_is_set_aside);
	tcase_add_test(tc, a_denied_path_behind_a_link_is_found);
	tcase_add_test(tc, new_repositories_keep_bookkeeping_only);
	tcase_add_test(tc, a_protected_link_is_put_back);
	tcase_add_test(tc, what_cannot_be_looked_behind_ends_a_scan);
)
