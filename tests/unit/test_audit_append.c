#include "tests/unit/unit.h"

#include "tests/unit/audit_log.h"

START_TEST(a_log_begins_and_goes_on)
{
	struct testlog t;
	struct err e = { 0 };

	testlog_new(&t);
	for (int i = 0; i < 3; i++)
		ck_assert_msg(testlog_allow(&t, "ls", &e) == 0, "%s", e.text);
	testlog_fill(&t, 50);
	struct verify_report r;
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.records, 50);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/append",
	tcase_add_test(tc, a_log_begins_and_goes_on);
)
