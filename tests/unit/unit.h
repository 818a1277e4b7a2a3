/*
 * tests/unit/unit.h - a Check program that speaks TAP.
 *
 *	START_TEST(name) { ... } END_TEST
 *	UNIT_MAIN("common/str", tcase_add_test(tc, name); ...)
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

#define UNIT_MAIN(title, ...)						\
int									\
main(void)								\
{									\
	Suite *suite = suite_create(title);				\
	TCase *tc = tcase_create(title);				\
	tcase_set_timeout(tc, 60);					\
	__VA_ARGS__							\
	suite_add_tcase(suite, tc);					\
	SRunner *sr = srunner_create(suite);				\
	srunner_set_tap(sr, "-");					\
	srunner_run_all(sr, CK_SILENT);					\
	int failed = srunner_ntests_failed(sr);				\
	srunner_free(sr);						\
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;		\
}

#endif
