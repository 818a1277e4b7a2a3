/* Ways by which what a command leaves is found under another name. */
#include <stdlib.h>
#include <string.h>

#include "common/str.h"
#include "tests/unit/jail_scene.h"

static bool
is_link(const char *name)
{
	auto_free char *path = at(name);
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void
move(const char *name, const char *to)
{
	auto_free char *a = at(name), *b = at(to);

	ck_assert_int_eq(rename(a, b), 0);
}

/* In a project a caller's place lies below what is held, and is not swept. */
START_TEST(nothing_leads_into_a_given_place)
{
	put(bed.cwd, ".sandbox/escalations/tmp/x", "x");
	put(bed.cwd, ".sandbox/out/x", "x");
	list_add(&given, at(".sandbox/escalations"));
	look();
	put(bed.cwd, ".sandbox/escalations/g/HEAD", "ref: refs/heads/x\n");
	put(bed.cwd, ".sandbox/escalations/c/config.toml", "evil");
	put(bed.cwd, "s1/.git", "gitdir: ../.sandbox/escalations/g\n");
	put(bed.cwd, "s2/x", "x");
	link_to("../.sandbox/escalations/g", "s2/.git");
	link_to("../.sandbox/escalations/c", "s2/.cargo");
	put(bed.cwd, "s3/x", "x");
	link_to("../.sandbox/escalations/c/config.toml", "s3/config.toml");
	link_to("s3", ".cargo");
	link_to(".sandbox/escalations", "e");
	link_to(".sandbox/out", "out");
	clean();
	ck_assert(!there("s1/.git") && !there("s2/.git"));
	ck_assert(!there("s2/.cargo") && !there(".cargo/config.toml"));
	ck_assert(!there("e") && there("out"));
	ck_assert(there(".sandbox/escalations/c/config.toml"));
}
END_TEST

/* Packages bring what they like along, and nobody opens them where they lie. */
START_TEST(a_link_to_packages_makes_no_protected_name)
{
	put(bed.cwd, "node_modules/old/.vscode/tasks.json", "theirs");
	put(bed.cwd, "packages/x", "x");
	link_to("../node_modules/old", "packages/old");
	look();
	ck_mark("node_modules/old/.vscode", MARK_NAME);
	put(bed.cwd, "node_modules/app/sub/.envrc", "evil");
	link_to("../node_modules/app", "packages/app");
	put(bed.cwd, "node_modules/fine/node_modules/p/.envrc", "theirs");
	link_to("../node_modules/fine", "packages/fine");
	put(bed.cwd, "b/x", "x");
	link_to("../node_modules/fine", "b/way");
	link_to("b/way/../app", "row");
	link_to("node_modules", "all");
	put(bed.cwd, "c/config.toml", "evil");
	put(bed.cwd, "node_modules/cargo/x", "x");
	link_to("../../c", "node_modules/cargo/.cargo");
	link_to("../node_modules/cargo", "packages/cargo");
	put(bed.cwd, "node_modules/on/x", "x");
	link_to("../app", "node_modules/on/app");
	link_to("../node_modules/on", "packages/on");
	put(bed.cwd, "other/node_modules/.keep", "x");
	link_to("../../node_modules/app", "other/node_modules/app");
	clean();
	ck_assert(there("packages/old/.vscode") && there("packages/fine"));
	ck_assert(!there("packages/app") && !there("packages/cargo"));
	ck_assert(!there("packages/on") && !there("all") && !there("row"));
	ck_assert(there("b/way"));
	ck_assert(there("node_modules/app/sub/.envrc"));
	ck_assert(there("other/node_modules/app"));
}
END_TEST

/* Another run may be let to write there. */
START_TEST(a_new_link_that_leads_out_makes_no_protected_name)
{
	put(bed.dir, "q/c/config.toml", "x");
	put(bed.cwd, "old/x", "x");
	put(bed.cwd, "gone/x", "x");
	put(bed.cwd, "turned/x", "x");
	put(bed.cwd, "none/x", "x");
	put(bed.cwd, "in/x", "x");
	link_to("../../q/c", "old/.cargo");
	link_to("../../q/none", "gone/.cargo");
	link_to("../way/c", "turned/.cargo");
	put(bed.cwd, "way/c/x", "x");
	look();
	link_to("../q/c", ".cargo");
	link_to("../../q/later", "none/.cargo");
	link_to("../old", "in/.cargo");
	link_to("../../q", "in/plain");
	move("way", "away");
	link_to("../q", "way");
	clean();
	ck_assert(is_link("old/.cargo") && is_link("gone/.cargo"));
	ck_assert(is_link("in/.cargo") && is_link("in/plain"));
	ck_assert(!is_link(".cargo") && !is_link("none/.cargo"));
	ck_assert(!is_link("turned/.cargo"));
}
END_TEST

/* Root is stopped by no mode; as root this is one more look at the above. */
START_TEST(a_link_in_a_closed_directory_is_set_aside)
{
	auto_free char *x = at("x");
	struct stat st;

	look();
	put(bed.cwd, "c/config.toml", "evil");
	put(bed.cwd, "x/y", "x");
	link_to("../c", "x/.cargo");
	ck_assert_int_eq(chmod(x, 0555), 0);
	clean();
	ck_assert(!is_link("x/.cargo"));
	ck_assert(stat(x, &st) == 0 && (st.st_mode & 0777) == 0555);
	ck_assert_int_eq(chmod(x, 0700), 0);
}
END_TEST

START_TEST(a_link_in_a_row_is_put_back_whatever_ends_its_name)
{
	auto_free char *a = at("cfg"), *b = at("idea"), *x = NULL, *y = NULL;

	put(bed.cwd, "real/tasks.json", "mine");
	link_to("real", "cfg");
	link_to("cfg//", ".vscode");
	link_to("real", "idea");
	link_to("idea/.", ".idea");
	look();
	put(bed.cwd, "evil/tasks.json", "evil");
	ck_assert(unlink(a) == 0 && unlink(b) == 0);
	link_to("evil", "cfg");
	link_to("evil", "idea");
	clean();
	x = realpath(a, NULL);
	y = realpath(b, NULL);
	ck_assert(x != NULL && str_ends(x, "/real") && str_eq(x, y));
	ck_assert(is_link(".vscode") && is_link(".idea"));
}
END_TEST

START_TEST(all_is_set_aside_and_the_first_of_it_noted)
{
	look();
	for (int i = 0; i < 3 * SWEEP_NOTES; i++) {
		auto_free char *name = xasprintf("%d/.bashrc", i);

		put(bed.cwd, name, "evil");
	}
	clean();
	for (int i = 0; i < 3 * SWEEP_NOTES; i++) {
		auto_free char *name = xasprintf("%d/.bashrc", i);

		ck_assert(!there(name));
	}
	ck_assert_uint_eq(notes.n, SWEEP_NOTES + 1);
}
END_TEST

UNIT_MAIN("jail/sweep_links",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_leads_into_a_given_place);
	tcase_add_test(tc, a_link_to_packages_makes_no_protected_name);
	tcase_add_test(tc,
	    a_new_link_that_leads_out_makes_no_protected_name);
	tcase_add_test(tc, a_link_in_a_closed_directory_is_set_aside);
	tcase_add_test(tc,
	    a_link_in_a_row_is_put_back_whatever_ends_its_name);
	tcase_add_test(tc, all_is_set_aside_and_the_first_of_it_noted);
)
