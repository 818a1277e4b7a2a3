#include "tests/unit/unit.h"

#include "tests/unit/audit_log.h"

START_TEST(a_log_begins_and_goes_on)
{
	struct testlog t;
	struct err e = { 0 };
	size_t len;
	char *log;

	testlog_new(&t);
	for (int i = 0; i < 3; i++)
		ck_assert_msg(testlog_allow(&t, "ls", &e) == 0, "%s", e.text);
	log = testlog_read(&t, "audit/audit.jsonl", &len);
	fputs(log, stderr);
	free(log);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/append",
	tcase_add_test(tc, a_log_begins_and_goes_on);
)
