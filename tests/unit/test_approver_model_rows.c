/* What is in the list, in which order, and for how long. */
#include "tests/unit/model_bed.h"

START_TEST(order_is_arrival_and_focus_is_an_id)
{
	size_t rows[MODEL_ITEMS];

	begin("cab");
	press('j', 1000);
	ck_assert_str_eq(m.focus, "a");
	scan("bacd");
	ck_assert_str_eq(m.focus, "a");
	ck_assert_uint_eq(model_rows(&m, rows), 4);
	ck_assert_str_eq(m.items[rows[0]].id, "c");
	ck_assert_str_eq(m.items[rows[3]].id, "d");
	press('G', 1000);
	ck_assert_str_eq(m.focus, "d");
	press('j', 1000);
	ck_assert_str_eq(m.focus, "d");
	press('g', 1000);
	ck_assert_str_eq(m.focus, "c");
	scan("");
	ck_assert_str_eq(m.focus, "");
	ck_assert_int_eq(press('a', 9000), DO_NOTHING);
	press('v', 9000);
	ck_assert_str_eq(m.focus, "d");
	ck_assert_int_eq(press('a', 9000), DO_NOTHING);
	press(27, 9000);
	ck_assert_str_eq(m.focus, "");
}
END_TEST

START_TEST(pause_and_filter)
{
	size_t rows[MODEL_ITEMS];

	begin("ab");
	press('z', 0);
	scan("abc");
	ck_assert_uint_eq(model_rows(&m, rows), 2);
	ck_assert_uint_eq(model_put_off(&m), 1);
	press('z', 0);
	scan("abc");
	ck_assert_uint_eq(model_rows(&m, rows), 3);
	press('/', 0);
	burst("B\r", 0);
	scan("abc");
	ck_assert_uint_eq(model_rows(&m, rows), 1);
	ck_assert_str_eq(m.focus, "b");
	press(27, 0);
	ck_assert_uint_eq(model_rows(&m, rows), 3);
}
END_TEST

START_TEST(floods_and_haste_are_said)
{
	const char *session = "";

	begin("abcde");
	ck_assert_uint_eq(model_flood(&m, &session), 0);
	scan("abcdef");
	ck_assert_uint_eq(model_flood(&m, &session), 6);
	ck_assert_str_eq(session, "s");
	for (int i = 1; i <= MODEL_HASTY_N; i++) {
		press('j', i * 1000);
		model_drew(&m, 0, 5, 5, i * 1000);
		ck_assert_int_eq(press('a', i * 1000 + 500), DO_APPROVE);
	}
	ck_assert_ptr_nonnull(strstr(m.said, "(v)"));
}
END_TEST

/* A day of requests costs no more than an hour of them. */
START_TEST(memory_is_bounded)
{
	begin("");
	for (int i = 0; i < 50000; i++) {
		char id[16];
		struct digest d = bytes(1);

		snprintf(id, sizeof id, "n%d", i);
		judged(model_meet(&m, 0, id, "s", AT_WAITS), TIER_LOW, d);
		model_met(&m, 0);
		ck_assert_uint_le(m.n, MODEL_ITEMS);
		ck_assert_str_eq(m.focus, id);
	}
	begin("");
	for (int i = 0; i <= MODEL_ITEMS; i++) {
		char id[16];

		snprintf(id, sizeof id, "w%d", i);
		ck_assert_int_eq(model_meet(&m, 0, id, "s", AT_WAITS) != NULL,
		    i < MODEL_ITEMS);
	}
}
END_TEST

START_TEST(tabs_and_back)
{
	begin("ab");
	model_meet(&m, 0, "a", "s", AT_RUNS);
	model_meet(&m, 0, "b", "s", AT_WAITS);
	model_met(&m, 0);
	press('2', 0);
	ck_assert_int_eq(m.page, PAGE_RUNS);
	ck_assert_str_eq(m.focus, "a");
	press('\r', 0);
	ck_assert_int_eq(m.page, PAGE_DETAIL);
	press('h', 0);
	ck_assert_int_eq(m.page, PAGE_RUNS);
	press('5', 0);
	ck_assert_int_eq(m.page, PAGE_RULES);
	ck_assert_int_eq(press('a', 9000), DO_NOTHING);
	press('1', 0);
	ck_assert_int_eq(m.page, PAGE_LIST);
}
END_TEST

/* As the shelf does: the newest first, and gone when nobody looks. */
static void
put(const char *ids, enum model_state state)
{
	model_forget(&m, state);
	for (; *ids != '\0'; ids++) {
		const char id[] = { *ids, '\0' };

		judged(model_meet(&m, 0, id, "s", state), TIER_LOW,
		    bytes((unsigned char)*ids));
	}
	model_refocus(&m);
}

START_TEST(files_are_no_requests)
{
	begin("ab");
	press('4', 0);
	ck_assert_int_eq(m.page, PAGE_FILES);
	put("321", AT_FILE);
	ck_assert_str_eq(m.focus, "3");
	ck_assert_uint_eq(model_count(&m, AT_WAITS), 2);
	ck_assert(model_drew(&m, 0, 5, 5, 0));
	ck_assert_int_eq(press('a', 9000), DO_NOTHING);
	ck_assert_int_eq(press('x', 9000), DO_NOTHING);
	ck_assert_int_eq(press('d', 9000), DO_NOTHING);
	/* A scan of the queue leaves them alone. */
	scan("ab");
	ck_assert_str_eq(m.focus, "3");
	press('j', 9000);
	ck_assert_str_eq(m.focus, "2");
	put("4321", AT_FILE);
	ck_assert_str_eq(m.focus, "2");
	press('l', 9000);
	ck_assert_int_eq(model_tab(&m), PAGE_FILES);
	press('h', 9000);
	ck_assert_int_eq(m.page, PAGE_FILES);
	press('1', 9000);
	model_forget(&m, AT_FILE);
	ck_assert_str_eq(m.focus, "a");
	ck_assert_uint_eq(m.n, 2);
}
END_TEST

START_TEST(a_file_goes_back_after_a_word)
{
	begin("a");
	press('f', 0);
	put("21", AT_FILE);
	model_drew(&m, 0, 5, 5, 0);
	ck_assert_int_eq(press('u', 399), DO_NOTHING);
	ck_assert_int_eq(m.ask, ASK_NOTHING);
	press('u', 400);
	ck_assert_int_eq(m.ask, ASK_UNDO);
	burst("y", 500);
	ck_assert_int_eq(press('\r', 500), DO_NOTHING);
	press('u', 1000);
	/* A newer change comes while it is typed: the word is for the old. */
	put("321", AT_FILE);
	burst("yes", 1000);
	ck_assert_int_eq(press('\r', 1000), DO_UNDO);
	ck_assert_str_eq(act.id, "2");
	ck_assert_int_eq(act.shown.b[0], '2');
	/* Requests are never given back. */
	press('1', 1000);
	model_drew(&m, 0, 5, 5, 1000);
	press('u', 2000);
	ck_assert_int_eq(m.ask, ASK_NOTHING);
}
END_TEST

/* A row of that id stands for something else now. */
START_TEST(another_change_under_the_cursor)
{
	begin("");
	press('4', 0);
	put("21", AT_FILE);
	model_drew(&m, 0, 5, 5, 0);
	judged(model_find(&m, 0, "2"), TIER_LOW, bytes('z'));
	press('u', 5000);
	ck_assert_int_eq(m.ask, ASK_NOTHING);
	ck_assert_str_ne(m.said, "");
}
END_TEST

START_TEST(records_are_read_only)
{
	static const char keys[] = "aAtedDXxu";

	begin("a");
	press('6', 0);
	put("21", AT_RECORD);
	ck_assert_str_eq(m.focus, "2");
	model_drew(&m, 0, 5, 5, 0);
	for (size_t i = 0; keys[i] != '\0'; i++) {
		ck_assert_int_eq(press(keys[i], 9000), DO_NOTHING);
		ck_assert_int_eq(m.ask, ASK_NOTHING);
	}
	press('\r', 9000);
	for (size_t i = 0; keys[i] != '\0'; i++) {
		ck_assert_int_eq(press(keys[i], 9999), DO_NOTHING);
		ck_assert_int_eq(m.ask, ASK_NOTHING);
	}
	press(27, 9999);
	ck_assert_int_eq(m.page, PAGE_AUDIT);
}
END_TEST

/* Requests find room, whatever one looks at. */
START_TEST(files_make_room_for_requests)
{
	char id[8];

	begin("");
	for (int i = 0; i < MODEL_ITEMS; i++) {
		snprintf(id, sizeof id, "f%d", i);
		model_meet(&m, 0, id, "s", i % 2 == 0 ? AT_FILE : AT_RECORD);
	}
	for (int i = 0; i < MODEL_ITEMS; i++) {
		snprintf(id, sizeof id, "%d", i);
		ck_assert_ptr_nonnull(model_meet(&m, 0, id, "s", AT_WAITS));
	}
	ck_assert_uint_eq(model_count(&m, AT_WAITS), MODEL_ITEMS);
	ck_assert_ptr_null(model_meet(&m, 0, "x", "s", AT_FILE));
}
END_TEST

UNIT_MAIN("approver/model: rows",
	tcase_add_test(tc, order_is_arrival_and_focus_is_an_id);
	tcase_add_test(tc, pause_and_filter);
	tcase_add_test(tc, floods_and_haste_are_said);
	tcase_add_test(tc, memory_is_bounded);
	tcase_add_test(tc, tabs_and_back);
	tcase_add_test(tc, files_are_no_requests);
	tcase_add_test(tc, a_file_goes_back_after_a_word);
	tcase_add_test(tc, another_change_under_the_cursor);
	tcase_add_test(tc, records_are_read_only);
	tcase_add_test(tc, files_make_room_for_requests);)
