/* Which key decides, to the millisecond. */
#include "tests/unit/model_bed.h"

START_TEST(approves_what_is_drawn)
{
	begin("abc");
	ck_assert_str_eq(m.focus, "a");
	ck_assert_int_eq(press('a', 1000), DO_APPROVE);
	ck_assert_str_eq(act.id, "a");
	ck_assert_int_eq(act.digest.b[0], 'a');
	ck_assert_int_eq(press('d', 1000), DO_DENY);
	ck_assert_str_eq(act.text, "");
}
END_TEST

START_TEST(dead_for_400_ms)
{
	begin("ab");
	ck_assert_int_eq(press('a', 399), DO_NOTHING);
	ck_assert_int_eq(press('d', 399), DO_NOTHING);
	ck_assert_str_ne(m.said, "");
	ck_assert_int_eq(press('a', 400), DO_APPROVE);
	press('j', 1000);
	ck_assert(model_drew(&m, 0, 5, 5, 1010));
	ck_assert_int_eq(press('a', 1409), DO_NOTHING);
	ck_assert(!model_drew(&m, 0, 5, 5, 1300));
	ck_assert_int_eq(press('a', 1410), DO_APPROVE);
	ck_assert_str_eq(act.id, "b");
}
END_TEST

/* The item under the cursor goes; the key was meant for it. */
START_TEST(type_ahead_does_not_hit_the_next)
{
	begin("ab");
	scan("b");
	ck_assert_str_eq(m.focus, "b");
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 5001));
	ck_assert_int_eq(press('a', 5400), DO_NOTHING);
	ck_assert_int_eq(press('a', 5401), DO_APPROVE);
}
END_TEST

/* Same id, other bytes. */
START_TEST(changed_bytes_are_another_item)
{
	struct digest other = bytes('z');

	begin("a");
	judged(model_find(&m, 0, "a"), TIER_LOW, other);
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert_int_eq(press('d', 5000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 5000));
	ck_assert_int_eq(press('a', 5399), DO_NOTHING);
	ck_assert_int_eq(press('a', 5400), DO_APPROVE);
	ck_assert_int_eq(act.digest.b[0], 'z');
}
END_TEST

/* Other rules since: the words are the same, what they mean is not. */
START_TEST(another_tier_is_looked_at_anew)
{
	begin("a");
	judged(model_find(&m, 0, "a"), TIER_HIGH, bytes('a'));
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 5000));
	ck_assert_int_eq(press('a', 5399), DO_NOTHING);
	ck_assert_int_eq(press('a', 5400), DO_APPROVE);
}
END_TEST

/* A terminal too small, a question, Ctrl-Z: it was there, and is not. */
START_TEST(what_is_hidden_is_not_meant)
{
	begin("a");
	model_hid(&m);
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert_int_eq(press('d', 5000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 6000));
	ck_assert_int_eq(press('a', 6399), DO_NOTHING);
	ck_assert_int_eq(press('a', 6400), DO_APPROVE);
}
END_TEST

START_TEST(bursts_move_but_never_decide)
{
	begin("abc");
	ck_assert_int_eq(burst("aa", 5000), DO_NOTHING);
	ck_assert_int_eq(burst("dd", 5000), DO_NOTHING);
	ck_assert_int_eq(burst("jj", 5000), DO_NOTHING);
	ck_assert_str_eq(m.focus, "c");
	ck_assert_int_eq(burst("ka", 9000), DO_NOTHING);
	ck_assert_str_eq(m.focus, "b");
	ck_assert_int_eq(burst("a\n", 9000), DO_NOTHING);
}
END_TEST

START_TEST(pasted_text_is_no_key)
{
	begin("ab");
	press(KEY_IS_PASTE, 5000);
	ck_assert_int_eq(press('a', 5900), DO_NOTHING);
	ck_assert_int_eq(press('q', 5900), DO_NOTHING);
	ck_assert_int_eq(press('j', 5900), DO_NOTHING);
	ck_assert_str_eq(m.focus, "a");
	press(KEY_IS_PASTE_END, 6000);
	ck_assert_int_eq(press('a', 6399), DO_NOTHING);
	ck_assert_int_eq(press('a', 6400), DO_APPROVE);
	press(KEY_IS_FOCUS_IN, 7000);
	ck_assert_int_eq(press('a', 7399), DO_NOTHING);
}
END_TEST

START_TEST(enter_space_y_never_decide)
{
	static const int keys[] = { '\n', '\r', ' ', 'y', 'Y', 27, 'h', 'e',
		's', 'r', 3, 4, 127 };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		begin("a");
		ck_assert_int_eq(press(keys[i], 5000), DO_NOTHING);
	}
}
END_TEST

START_TEST(critical_has_its_own_key)
{
	begin("Xa");
	ck_assert_int_eq(press('a', 5000), DO_NOTHING);
	ck_assert_int_eq(press('A', 5000), DO_APPROVE);
	press('j', 5000);
	model_drew(&m, 0, 5, 5, 5000);
	ck_assert_int_eq(press('A', 6000), DO_NOTHING);
	ck_assert_int_eq(press('a', 6000), DO_APPROVE);
}
END_TEST

START_TEST(all_of_it_first)
{
	begin("a");
	model_clear(&m);
	model_init(&m);
	scan("a");
	model_drew(&m, 0, 5, 12, 0);
	ck_assert_int_eq(press('a', 1000), DO_NOTHING);
	ck_assert_int_eq(press('d', 1000), DO_DENY);
	/* The end alone is not all of it. */
	model_drew(&m, 7, 12, 12, 1000);
	ck_assert_int_eq(press('a', 2000), DO_NOTHING);
	press(' ', 2000);
	ck_assert_uint_eq(m.top, 4);
	model_drew(&m, 4, 9, 12, 2000);
	press(' ', 2000);
	ck_assert_uint_eq(m.top, 7);
	model_drew(&m, 7, 12, 12, 2000);
	ck_assert_int_eq(press('a', 3000), DO_APPROVE);
}
END_TEST

/* An id of one folder, copied into another, is another request. */
START_TEST(a_folder_is_part_of_the_name)
{
	struct digest d = bytes('a');

	begin("a");
	judged(model_meet(&m, 1, "a", "s", AT_WAITS), TIER_LOW, d);
	model_meet(&m, 0, "a", "s", AT_WAITS);
	model_met(&m, 0);
	ck_assert_uint_eq(m.n, 2);
	press('j', 1000);
	ck_assert_int_eq(press('a', 2000), DO_NOTHING);
	ck_assert(model_drew(&m, 0, 5, 5, 2000));
	ck_assert_int_eq(press('a', 3000), DO_APPROVE);
	ck_assert_uint_eq(act.place, 1);
}
END_TEST

START_TEST(terminal_only_for_what_was_read)
{
	begin("a");
	ck_assert_int_eq(press('t', 399), DO_NOTHING);
	ck_assert_int_eq(burst("tt", 1000), DO_NOTHING);
	ck_assert_int_eq(press('t', 1000), DO_ATTACH);
	ck_assert_str_eq(act.id, "a");
	model_hid(&m);
	model_drew(&m, 0, 5, 9, 2000);
	ck_assert_int_eq(press('t', 3000), DO_NOTHING);
}
END_TEST

START_TEST(ticks_only_what_was_read_and_is_unchanged)
{
	struct digest other = bytes('z');
	struct model_item *a, *b;

	begin("abX");
	press('s', 1000);
	ck_assert_int_eq(m.page, PAGE_SIMILAR);
	a = model_find(&m, 0, "a");
	b = model_find(&m, 0, "b");
	ck_assert_int_eq(press('a', 2000), DO_NOTHING);
	press(' ', 2000);
	ck_assert(model_is_ticked(a));
	press('j', 2000);
	press(' ', 2000);	/* it is not drawn yet */
	ck_assert(!model_is_ticked(b));
	model_drew(&m, 0, 5, 9, 2000);
	press(' ', 3000);	/* that read on */
	ck_assert(!model_is_ticked(b));
	model_drew(&m, 4, 9, 9, 3000);
	press(' ', 4000);
	ck_assert(model_is_ticked(b));
	press('j', 4000);
	ck_assert_str_eq(m.focus, "b");		/* critical is not there */
	judged(a, TIER_MEDIUM, other);
	ck_assert(!model_is_ticked(a));
	ck_assert_int_eq(press('a', 5000), DO_APPROVE_TICKED);
	press(27, 5000);
	ck_assert(!model_is_ticked(b));
	ck_assert_int_eq(m.page, PAGE_LIST);
}
END_TEST

START_TEST(stop_only_what_runs)
{
	begin("a");
	ck_assert_int_eq(press('x', 1000), DO_NOTHING);
	model_meet(&m, 0, "a", "s", AT_RUNS);
	model_met(&m, 0);
	ck_assert_int_eq(press('a', 1000), DO_NOTHING);
	ck_assert_int_eq(press('x', 1000), DO_STOP);
	ck_assert_str_eq(act.id, "a");
}
END_TEST

UNIT_MAIN("approver/model",
	tcase_add_test(tc, approves_what_is_drawn);
	tcase_add_test(tc, dead_for_400_ms);
	tcase_add_test(tc, type_ahead_does_not_hit_the_next);
	tcase_add_test(tc, changed_bytes_are_another_item);
	tcase_add_test(tc, what_is_hidden_is_not_meant);
	tcase_add_test(tc, bursts_move_but_never_decide);
	tcase_add_test(tc, another_tier_is_looked_at_anew);
	tcase_add_test(tc, pasted_text_is_no_key);
	tcase_add_test(tc, enter_space_y_never_decide);
	tcase_add_test(tc, critical_has_its_own_key);
	tcase_add_test(tc, all_of_it_first);
	tcase_add_test(tc, a_folder_is_part_of_the_name);
	tcase_add_test(tc, terminal_only_for_what_was_read);
	tcase_add_test(tc, ticks_only_what_was_read_and_is_unchanged);
	tcase_add_test(tc, stop_only_what_runs);)
