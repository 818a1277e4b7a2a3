/* What a person types: it belongs to what was drawn when it began. */
#include "tests/unit/model_bed.h"

/* The reason goes to what was drawn when it was begun, or nowhere. */
START_TEST(a_reason_belongs_to_one_request)
{
	begin("ab");
	ck_assert_int_eq(press('D', 1000), DO_NOTHING);
	ck_assert_int_eq(m.ask, ASK_REASON);
	scan("b");
	model_drew(&m, 0, 5, 5, 1100);
	ck_assert_int_eq(burst("use stagingx", 1200), DO_NOTHING);
	press(127, 1200);
	ck_assert_int_eq(press('\r', 1200), DO_DENY);
	ck_assert_str_eq(act.id, "a");
	ck_assert_int_eq(act.digest.b[0], 'a');
	ck_assert_str_eq(act.text, "use staging");
	press('D', 5000);
	burst("no", 5000);
	ck_assert_int_eq(press(27, 5000), DO_NOTHING);
	ck_assert_int_eq(m.ask, ASK_NOTHING);
	press('D', 5000);
	press(0xc3, 5000);
	ck_assert_int_eq(press('\r', 5000), DO_NOTHING);
}
END_TEST

/* `e` decides nothing, and what comes out is another thing to look at. */
START_TEST(edits_the_command_that_was_drawn)
{
	struct digest other = bytes('z');
	struct model_item *it;

	begin("a");
	ck_assert_int_eq(press('e', 1000), DO_NOTHING);
	ck_assert_int_eq(m.ask, ASK_EDIT);
	ck_assert_str_eq(m.typed, "a");
	ck_assert_int_eq(burst("bc\r", 1000), DO_NOTHING);
	it = model_find(&m, 0, "a");
	ck_assert_str_eq(it->edited, "abc");
	judged(it, TIER_LOW, other);
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 5000));
	ck_assert_int_eq(press('a', 5400), DO_APPROVE);
	ck_assert_int_eq(act.digest.b[0], 'z');
	/* Back to what was asked. */
	press('e', 6000);
	ck_assert_str_eq(m.typed, "abc");
	press(127, 6000);
	press(KEY_IS_LEFT, 6000);
	press(KEY_IS_DELETE, 6000);
	ck_assert_str_eq(m.typed, "a");
	press('\r', 6000);
	ck_assert_ptr_null(it->edited);
	/* Esc, and a request that changed meanwhile: nothing. */
	press('e', 7000);
	burst("x", 7000);
	press(27, 7000);
	ck_assert_ptr_null(it->edited);
	press('e', 8000);
	other.b[0] = 'y';
	judged(it, TIER_LOW, other);
	burst("x\r", 8000);
	ck_assert_ptr_null(it->edited);
	ck_assert_ptr_nonnull(strstr(m.said, "changed"));
}
END_TEST

/* A pasted Enter is text, and so is a pasted Esc. */
START_TEST(pastes_into_a_typed_line)
{
	static const int keys[] = { KEY_IS_PASTE, 'x', '\r', 'y',
		KEY_IS_PASTE_END };

	begin("a");
	press('D', 1000);
	model_keys(&m, keys, 5, 1000, &act);
	ck_assert_int_eq(act.what, DO_NOTHING);
	ck_assert_str_eq(m.typed, "x y");
	ck_assert_int_eq(press('\r', 1000), DO_DENY);
	ck_assert_str_eq(act.text, "x y");
}
END_TEST

START_TEST(drops_a_session_after_a_word)
{
	begin("abcdef");
	press('X', 1000);
	ck_assert_int_eq(m.ask, ASK_DROP);
	burst("y", 1000);
	ck_assert_int_eq(press('\r', 1000), DO_NOTHING);
	press('X', 1000);
	burst("yes", 1000);
	ck_assert_int_eq(press('\r', 1000), DO_DROP);
	ck_assert_str_eq(act.text, "s");
}
END_TEST

UNIT_MAIN("approver/model: typed text",
	tcase_add_test(tc, a_reason_belongs_to_one_request);
	tcase_add_test(tc, edits_the_command_that_was_drawn);
	tcase_add_test(tc, pastes_into_a_typed_line);
	tcase_add_test(tc, drops_a_session_after_a_word);)
