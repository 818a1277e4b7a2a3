/* What a command leaves, and what of it is taken away. */
#include <stdlib.h>
#include <string.h>

#include "common/str.h"
#include "tests/unit/jail_scene.h"

/* A repository as git sees it, with a configuration that bites. */
static void
put_repository(const char *name)
{
	auto_free char *objects = xasprintf("%s/objects/info/x", name);
	auto_free char *refs = xasprintf("%s/refs/x", name);
	auto_free char *config = xasprintf("%s/config", name);

	put(bed.cwd, objects, "x");
	put(bed.cwd, refs, "x");
	put(bed.cwd, config, "[core]\n\tfsmonitor = evil\n");
}

static bool
bites(const char *name)
{
	auto_free char *path = xasprintf("%s/%s/config", bed.cwd, name);
	char text[200] = "";
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd != -1 && read(fd, text, sizeof text - 1) > 0 &&
	    strstr(text, "evil") != NULL;
}

START_TEST(nothing_hides_among_the_objects)
{
	put(bed.cwd, ".git/objects/ab/old", "x");
	look();
	put_repository(".git/objects/z/r/.git");
	put_repository(".git/objects/ab/r/.git");
	put_repository("n/.git/objects/q/.git");
	put(bed.cwd, ".git/objects/z/.envrc", "x");
	put(bed.cwd, ".git/objects/cd/.envrc", "x");
	clean();
	ck_assert(!bites(".git/objects/z/r/.git"));
	ck_assert(!bites(".git/objects/ab/r/.git"));
	ck_assert(!bites("n/.git/objects/q/.git"));
	ck_assert(!there(".git/objects/z/.envrc"));
	ck_assert(there(".git/objects/ab/old"));
}
END_TEST

START_TEST(nothing_leads_to_the_objects)
{
	look();
	put_repository("r/.git");
	put(bed.cwd, "r/.git/objects/cd/.envrc", "x");
	put(bed.cwd, "r/.git/objects/z/x", "x");
	put(bed.cwd, "s/.git", "gitdir: ../r/.git/objects/z\n");
	put(bed.cwd, "d/decoy", "x");
	put(bed.cwd, "t/r/.git/objects/z/x", "x");
	put(bed.cwd, "t/.git", "gitdir: out/../r/.git/objects/z\n");
	link_to("../d", "t/out");
	put_repository("wt/.git");
	put(bed.cwd, "wt/.git/commondir", "../../r/.git/objects/z\n");
	put_repository("shared/.git");
	link_to("r/.git/objects/cd", "sub");
	link_to("sub", "subsub");
	link_to("../r/.git/objects", "d/all");
	link_to("r/.git/refs", "refs");
	put(bed.cwd, "new/.git/x", "x");
	link_to("../../r/.git/objects", "new/.git/objects");
	clean();
	ck_assert(!there("s/.git") && !there("t/.git"));
	ck_assert(!there("wt/.git/commondir"));
	ck_assert(!there("sub") && !there("subsub") && !there("d/all"));
	ck_assert(there("refs"));
	ck_assert(there("new/.git/objects/z"));
}
END_TEST

START_TEST(a_way_that_was_closed_is_looked_at_again)
{
	auto_free char *closed = at("zz");

	look();
	put(bed.cwd, "r/.git/objects/cd/.envrc", "x");
	put(bed.cwd, "zz/x", "x");
	link_to("../r/.git/objects/cd", "zz/way");
	link_to("zz/way", "a");
	ck_assert_int_eq(chmod(closed, 0), 0);
	clean();
	ck_assert(!there("a") && !there("zz/way"));
}
END_TEST

/* As an editor or another jail does it. */
static void
replace(const char *name, const char *text)
{
	auto_free char *from = at("new"), *to = at(name);

	put(bed.cwd, "new", text);
	ck_assert_int_eq(rename(from, to), 0);
}

static bool
said(const char *what)
{
	for (size_t i = 0; i < notes.n; i++)
		if (strstr(notes.v[i], what) != NULL)
			return true;
	return false;
}

START_TEST(another_file_of_an_old_name_is_not_trusted)
{
	auto_free char *dir = at(".idea"), *old = at("old");

	put_repository("r/.git");
	put_repository("same/.git");
	put_repository("ours/.git");
	put(bed.cwd, ".bashrc", "mine");
	put(bed.cwd, ".idea/x", "mine");
	put(bed.cwd, "denied", "mine");
	deny(SPEC_DENY_WRITE, "denied");
	look();
	replace("r/.git/config", "[core]\n\tfsmonitor = evil\n");
	replace("same/.git/config", "[core]\n\tbare = false\n");
	replace(".bashrc", "evil");
	replace("denied", "evil");
	ck_assert_int_eq(rename(dir, old), 0);
	put(bed.cwd, ".idea/x", "evil");
	clean();
	ck_assert(!bites("r/.git") && bites("ours/.git"));
	ck_assert(said("(fsmonitor)") && !said("same/.git"));
	ck_assert(!there(".bashrc") && !there("denied") && !there(".idea"));
	ck_assert(said("was not what was there at the start"));
}
END_TEST

/* A number is used again at once on most file systems. */
START_TEST(a_number_that_is_used_again_is_another_file)
{
	auto_free char *path = at(".bashrc");

	put(bed.cwd, ".bashrc", "mine");
	look();
	for (int i = 0; i < 3; i++) {
		usleep(20000);	/* the clock of files is coarse */
		ck_assert_int_eq(unlink(path), 0);
		put(bed.cwd, ".bashrc", "evil");
	}
	clean();
	ck_assert(!there(".bashrc"));
}
END_TEST

/* A second name of it was made while it had none that is protected. */
START_TEST(the_same_file_that_was_changed_is_not_trusted)
{
	auto_free char *a = at(".envrc"), *b = at("f");

	put(bed.cwd, ".envrc", "evil");
	put(bed.cwd, ".zshrc", "mine");
	put(bed.cwd, ".idea/x", "mine");
	look();
	usleep(20000);	/* the clock of files is coarse */
	ck_assert_int_eq(link(a, b), 0);
	ck_assert_int_eq(unlink(a), 0);
	put(bed.cwd, "f", "more evil");
	ck_assert_int_eq(rename(b, a), 0);
	put(bed.cwd, ".idea/y", "theirs");	/* a directory's are others */
	clean();
	ck_assert(!there(".envrc") && there(".zshrc") && there(".idea/y"));
}
END_TEST

/* Where mounts hold, nothing else is believed; here is none. */
START_TEST(where_mounts_hold_they_alone_count)
{
	put(bed.cwd, ".envrc", "x");
	look();
	scene.held.mounts = true;
	clean();
	ck_assert(!there(".envrc"));
}
END_TEST

static bool
leads(const char *name, const char *to)
{
	auto_free char *path = at(name), *want = at(to);
	auto_free char *real = realpath(path, NULL);

	return str_eq(real, want);
}

START_TEST(a_protected_link_leads_where_it_led)
{
	auto_free char *a = at(".a"), *d = at("d"), *d2 = at("d2");
	auto_free char *m = at("m");

	put(bed.cwd, "real", "mine");
	link_to("real", ".a");
	link_to(".a", ".bashrc");		/* in a row */
	put(bed.cwd, "r/rc", "mine");
	put(bed.cwd, "d/x", "x");
	link_to("../r/rc", "d/rc");
	link_to("d/rc", ".zshrc");		/* through a directory */
	link_to("conf/envrc", ".envrc");	/* to nothing, yet */
	link_to("conf", ".vscode");
	link_to("missing", ".husky");		/* to nothing, still */
	put(bed.cwd, "rc", "mine");
	link_to("rc", ".profile");
	put(bed.cwd, "m1/rc", "mine");
	link_to("m1", "m");
	link_to("m/rc", ".inputrc");
	look();
	ck_assert_int_eq(unlink(a), 0);
	link_to("evil", ".a");
	put(bed.cwd, "evil", "evil");
	ck_assert_int_eq(rename(d, d2), 0);
	put(bed.cwd, "d/rc", "evil");
	put(bed.cwd, "conf/envrc", "evil");
	replace("rc", "evil");
	ck_assert_int_eq(unlink(m), 0);
	put(bed.cwd, "m/rc", "evil");
	clean();
	ck_assert(leads(".bashrc", "real") && leads(".zshrc", "r/rc"));
	ck_assert(!there(".envrc") && !there(".vscode"));
	ck_assert(!there(".profile") && !there(".inputrc"));
	ck_assert(there("rc") && there("conf/envrc") && there("m/rc"));
	ck_assert(there(".envrc.set-aside") && !said(".husky"));
}
END_TEST

/* Through a link a denied name can be any directory, the project too. */
START_TEST(a_writable_place_is_never_set_aside)
{
	deny(SPEC_DENY_WRITE, "a/p");
	put(bed.cwd, ".git/hooks/pre-commit", "mine");
	deny(SPEC_DENY_WRITE, "b/pre-commit");
	look();
	link_to(bed.dir, "a");
	link_to(".git/hooks", "b");
	ck_assert_int_eq(sweep(&spec, &scene, &notes, &e), -1);
	ck_assert(said("IS NOW WHERE A LINK LEADS"));
	ck_assert(access(bed.cwd, F_OK) == 0);
	ck_assert(there(".git/hooks/pre-commit"));
}
END_TEST

START_TEST(a_link_makes_no_protected_name)
{
	deny(SPEC_DENY_WRITE, "cfg/*.json");
	deny(SPEC_DENY_WRITE, "z/**/*.env");
	deny(SPEC_DENY_WRITE, "**/*.pem");
	put(bed.cwd, "old/config.toml", "mine");
	put(bed.cwd, "old/fine", "mine");
	link_to("old", ".cargo");
	put(bed.cwd, "s/.config/x", "x");
	look();
	ck_mark("old/config.toml", MARK_NAME);
	ck_mark("old/fine", 0);
	put(bed.cwd, "c/config.toml", "evil");
	put(bed.cwd, "b/.x", "x");
	link_to("../c", "b/.cargo");
	put(bed.cwd, "g/hooks/x", "evil");
	link_to("g", ".GitHub");
	put(bed.cwd, "share/sandbox/x", "evil");
	put(bed.cwd, "b/.local/x", "evil");
	link_to("../../share", "b/.local/share");
	put(bed.cwd, "d/y/a.env", "evil");
	put(bed.cwd, "d/a.json", "evil");
	link_to("d", "cfg");
	link_to("d", "z");
	link_to("d", "other");
	put(bed.cwd, "node_modules/p/.x", "x");
	link_to("../../c", "node_modules/p/.cargo");
	clean();
	ck_assert(there(".cargo/config.toml"));
	ck_assert(!there("b/.cargo"));
	ck_assert(!there(".GitHub") && !there("b/.local/share"));
	ck_assert(!there("cfg") && !there("z") && there("other"));
	ck_assert(there("node_modules/p/.cargo") && there("c/config.toml"));
	ck_assert_uint_eq(notes.n, 5);
}
END_TEST

/* A link that was there, and a name that was not. */
START_TEST(an_old_link_makes_no_new_protected_name)
{
	put(bed.cwd, "c/x", "x");
	link_to("c", ".cargo");
	look();
	put(bed.cwd, "c/config.toml", "evil");
	clean();
	ck_assert(!there(".cargo/config.toml"));
}
END_TEST

/* Outside no mount keeps a writable place where it was. */
START_TEST(a_link_in_place_of_a_writable_place_is_not_followed)
{
	auto_free char *in = at("in"), *moved = at("moved");
	auto_free char *out = xasprintf("%s/out", bed.dir);

	put(bed.cwd, "in/place/x", "x");
	put(bed.dir, "out/place/.bashrc", "mine");
	deny(SPEC_ALLOW_WRITE, "in/place");
	look();
	ck_assert_uint_eq(scene.roots.n, 2);
	ck_assert_int_eq(rename(in, moved), 0);
	put(bed.cwd, "moved/place/.envrc", "evil");
	ck_assert_int_eq(symlink(out, in), 0);
	clean();
	ck_assert(there("in/place/.bashrc") && !there("moved/place/.envrc"));
}
END_TEST

/* On file systems that know no case these are what git looks for. */
START_TEST(another_case_is_the_same_to_git)
{
	look();
	put(bed.cwd, "a/.GIT/OBJECTS/x", "x");
	put(bed.cwd, "a/.GIT/Refs/x", "x");
	put(bed.cwd, "a/.GIT/Config", "[core]\n\tfsmonitor = evil\n");
	put(bed.cwd, "a/.GIT/HOOKS/pre-commit", "evil");
	put(bed.cwd, "b/Objects/x", "x");
	put(bed.cwd, "b/REFS/x", "x");
	put(bed.cwd, "b/config", "[core]\n\tpager = evil\n");
	put(bed.cwd, "c/.Git", "gitdir: /etc\n");
	put(bed.cwd, "d/CommonDir", "/etc\n");
	clean();
	ck_assert(said("(fsmonitor)") && said("(pager)"));
	ck_assert(!there("a/.GIT/HOOKS/pre-commit"));
	ck_assert(!there("c/.Git") && !there("d/CommonDir"));
}
END_TEST

UNIT_MAIN("jail/sweep",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_hides_among_the_objects);
	tcase_add_test(tc, nothing_leads_to_the_objects);
	tcase_add_test(tc, a_way_that_was_closed_is_looked_at_again);
	tcase_add_test(tc, another_file_of_an_old_name_is_not_trusted);
	tcase_add_test(tc, a_number_that_is_used_again_is_another_file);
	tcase_add_test(tc, the_same_file_that_was_changed_is_not_trusted);
	tcase_add_test(tc, where_mounts_hold_they_alone_count);
	tcase_add_test(tc, a_protected_link_leads_where_it_led);
	tcase_add_test(tc, a_writable_place_is_never_set_aside);
	tcase_add_test(tc,
	    a_link_in_place_of_a_writable_place_is_not_followed);
	tcase_add_test(tc, a_link_makes_no_protected_name);
	tcase_add_test(tc, an_old_link_makes_no_new_protected_name);
	tcase_add_test(tc, another_case_is_the_same_to_git);
)
