/* Whose home a jail has, and what of ours is closed in it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run_place.h"
#include "common/mem.h"
#include "queue/home.h"
#include "tests/unit/unit.h"

/* Our programs keep keys where the password database says. */
START_TEST(both_homes_and_the_variables_places_are_closed)
{
	static const char *const want[] = {
		"/h/.local/state/sandbox", "/h/.local/share/sandbox",
		"/u/.local/state/sandbox", "/u/.local/share/sandbox",
		"/s/sandbox", "/d/sandbox", "/h/.local/state/sandbox-agents",
		"/u/.local/state/sandbox-agents", "/s/sandbox-agents",
	};
	const struct spec_place place = { .cwd = "/w", .home = "/h",
	    .account = "/u" };
	struct list got = { 0 };

	ck_assert_int_eq(setenv("XDG_STATE_HOME", "/s", 1), 0);
	ck_assert_int_eq(setenv("XDG_DATA_HOME", "/d", 1), 0);
	run_place_closed(&place, &got);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		ck_assert_msg(list_has(&got, want[i]), "%s", want[i]);
	ck_assert_uint_eq(got.n, ARRAY_LEN(want));
	list_clear(&got);
}
END_TEST

START_TEST(an_account_is_another_home_or_none)
{
	auto_free char *dir = home_user_dir();
	auto_free char *real = dir == NULL ? NULL : realpath(dir, NULL);
	auto_free char *same = NULL, *other = NULL;

	if (real == NULL) {	/* nobody's */
		ck_assert_ptr_null(run_place_account("/nowhere"));
		return;
	}
	same = run_place_account(real);
	other = run_place_account("/nowhere");
	ck_assert_ptr_null(same);
	ck_assert_str_eq(other, real);
}
END_TEST

START_TEST(a_project_has_a_sandbox_of_ours)
{
	char top[] = "/tmp/test-place.XXXXXX";
	auto_free char *sub = NULL, *mark = NULL, *found = NULL;

	ck_assert_ptr_nonnull(mkdtemp(top));
	sub = xasprintf("%s/a", top);
	mark = xasprintf("%s/.sandbox", top);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	found = run_place_project(sub, NULL);
	ck_assert_ptr_null(found);
	ck_assert_int_eq(symlink("/", mark), 0);
	found = run_place_project(sub, NULL);
	ck_assert_ptr_null(found);
	ck_assert_int_eq(unlink(mark), 0);
	ck_assert_int_eq(mkdir(mark, 0700), 0);
	found = run_place_project(sub, NULL);
	ck_assert_str_eq(found, top);
	ck_assert_int_eq(rmdir(mark), 0);
	ck_assert_int_eq(rmdir(sub), 0);
	ck_assert_int_eq(rmdir(top), 0);
}
END_TEST

UNIT_MAIN("cmd/run_place",
	tcase_add_test(tc, both_homes_and_the_variables_places_are_closed);
	tcase_add_test(tc, an_account_is_another_home_or_none);
	tcase_add_test(tc, a_project_has_a_sandbox_of_ours);
)
