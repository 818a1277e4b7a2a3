/* Ways by which what a command leaves is found under another name. */
#include <stdlib.h>
#include <string.h>

#include "common/str.h"
#include "tests/unit/jail_scene.h"

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

UNIT_MAIN("jail/sweep_links",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_leads_into_a_given_place);
)
