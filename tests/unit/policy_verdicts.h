/*
 * tests/unit/policy_verdicts.h - three tests of the lists `denied`, `asked` and
 * `fine`, which whoever includes it has defined before.
 */
#ifndef TESTS_POLICY_VERDICTS_H
#define TESTS_POLICY_VERDICTS_H

#include "tests/unit/policy_unit.h"

START_TEST(what_is_denied)
{
	ck_lines(denied, ARRAY_LEN(denied), ACTION_DENY, ACTION_DENY);
}
END_TEST

START_TEST(what_is_asked)
{
	ck_lines(asked, ARRAY_LEN(asked), ACTION_DENY, ACTION_ESCALATE);
}
END_TEST

START_TEST(what_stays_open)
{
	ck_lines(fine, ARRAY_LEN(fine), ACTION_OBSERVE, ACTION_ALLOW);
}
END_TEST

#endif
