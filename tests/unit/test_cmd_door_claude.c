/* What can shut Claude Code's hooks off beside its three settings files. */
#include "cmd/door_claude.h"
#include "common/mem.h"
#include "tests/unit/temp_dir.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum door_mark worst;
static char said[4096];

static void
hear(void *arg, const struct door_finding *f)
{
	size_t n = strlen(said);

	(void)arg;
	if (f->mark > worst)
		worst = f->mark;
	snprintf(said + n, sizeof said - n, "%s: %s\n", f->what, f->text);
}

static void
look(const char *managed)
{
	static char root[] = "/nowhere";
	struct home home = { .root_path = root };
	const struct door_place p = { .home = &home, .libexec = "/nowhere",
	    .search_path = "/nowhere", .say = hear };

	worst = DOOR_OK;
	said[0] = '\0';
	door_claude_check(&p, managed);
}

START_TEST(managed_settings)
{
	static const char file[] = "managed-settings.json";

	look(top);
	ck_assert_int_le(worst, DOOR_NOTE);
	put(file, "{\"disableAllHooks\":false}", 0600);
	look(top);
	ck_assert_int_le(worst, DOOR_NOTE);
	ck_assert_ptr_nonnull(strstr(said, "managed settings"));
	check_content(file, "{\"disableAllHooks\":false}");
	put(file, "{\"disableAllHooks\":true}", 0600);
	look(top);
	ck_assert_int_eq(worst, DOOR_FAIL);
	put(file, "{", 0600);
	look(top);
	ck_assert_int_eq(worst, DOOR_FAIL);
	put(file, "{}", 0600);
	ck_assert_int_eq(mkdirat(dir, "managed-settings.d", 0700), 0);
	put("managed-settings.d/10-x.json",
	    "{\"allowManagedHooksOnly\":true}", 0600);
	look(top);
	ck_assert_int_eq(worst, DOOR_FAIL);
	ck_assert_ptr_nonnull(strstr(said, "10-x.json"));
}
END_TEST

UNIT_MAIN("cmd/door_claude",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, managed_settings);)
