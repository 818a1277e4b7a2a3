#include "approver/fold.h"

#include <string.h>

#include "tests/unit/unit.h"

static void
folds_to(const char *text, unsigned columns, const char *want)
{
	struct str s;

	str_init(&s, 4096);
	fold(text, strlen(text), columns, &s);
	ck_assert_str_eq(s.s, want);
	str_clear(&s);
}

#define TEN	"0123456789"

START_TEST(what_fits_stays)
{
	folds_to("", 20, "");
	folds_to(TEN TEN "\n" TEN TEN, 20, TEN TEN "\n" TEN TEN);
	folds_to(TEN TEN TEN TEN, 0, TEN TEN TEN TEN);
	folds_to(TEN TEN "\n\nx", 20, TEN TEN "\n\nx");
}
END_TEST

START_TEST(what_does_not_fit_goes_on_behind_a_mark)
{
	folds_to(TEN TEN "x", 20, TEN TEN "\n~ x");
	folds_to(TEN TEN TEN TEN "\ny", 20,
	    TEN TEN "\n~ " TEN "01234567\n~ 89\ny");
	/* Narrower than anybody can read: as if it were 20. */
	folds_to(TEN TEN "x", 1, TEN TEN "\n~ x");
}
END_TEST

START_TEST(columns_are_counted_generously)
{
	folds_to(TEN "012345678\xc3\xa9", 20, TEN "012345678\n~ \xc3\xa9");
	folds_to(TEN "01234567\xe6\xbc\xa2", 20, TEN "01234567\xe6\xbc\xa2");
	folds_to(TEN "012345\tx", 20, TEN "012345\n~ \tx");
	folds_to("a\tb", 20, "a\tb");
}
END_TEST

UNIT_MAIN("approver/fold",
	tcase_add_test(tc, what_fits_stays);
	tcase_add_test(tc, what_does_not_fit_goes_on_behind_a_mark);
	tcase_add_test(tc, columns_are_counted_generously);
)
