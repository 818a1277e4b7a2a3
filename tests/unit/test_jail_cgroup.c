/* Where a control group of a jail's own would lie. */
#include "common/mem.h"
#include "common/str.h"
#include "jail/cgroup.h"
#include "tests/unit/unit.h"

static const struct {
	const char	*text, *want;
} rows[] = {
	{ "0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope\n",
	  "/user.slice/user-1000.slice/user@1000.service/app.slice" },
	{ "8:pids:/\n4:memory:/a\n0::/a/b\n", "/a" },
	{ "0::/a\n", "/" },
	{ "0::/\n", "/" },
	{ "4:memory:/a/b\n", NULL },
	{ "10::/a/b\n", NULL },
	{ "", NULL },
};

START_TEST(beside_ours)
{
	auto_free char *got = cgroup_above(rows[_i].text);

	ck_assert_msg(str_eq(got, rows[_i].want), "got '%s'",
	    got == NULL ? "nothing" : got);
}
END_TEST

START_TEST(nothing_asked_nothing_made)
{
	struct spec spec;
	struct cgroup c;
	struct err e = { 0 };

	spec_init(&spec);
	ck_assert_int_eq(cgroup_make(&spec, &c, &e), 0);
	ck_assert_int_eq(c.fd, -1);
	ck_assert_int_eq(e.code, 0);
	cgroup_end(&c);
}
END_TEST

UNIT_MAIN("jail/cgroup",
	tcase_add_loop_test(tc, beside_ours, 0, (int)ARRAY_LEN(rows));
	tcase_add_test(tc, nothing_asked_nothing_made);
)
