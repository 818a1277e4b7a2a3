/* What a key means, to the millisecond. */
#include "approver/model.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static struct model m;
static struct model_act act;

static struct digest
bytes(unsigned char c)
{
	struct digest d = { { c } };

	return d;
}

static void
judged(struct model_item *it, enum tier tier, struct digest d)
{
	model_judged(it, &(struct model_look){ .tier = tier, .digest = &d,
	    .line = it->id, .command = it->id, .like = "like" });
}

/* One scan: a letter is a waiting id, a capital one of tier critical. */
static void
scan(const char *ids)
{
	for (; *ids != '\0'; ids++) {
		const char id[] = { *ids, '\0' };
		struct digest d = bytes((unsigned char)*ids);
		struct model_item *it = model_meet(&m, 0, id, "s", AT_WAITS);

		ck_assert_ptr_nonnull(it);
		if (!it->judged)
			judged(it, *ids < 'a' ? TIER_CRITICAL : TIER_MEDIUM,
			    d);
	}
	model_met(&m, 0);
}

static void
begin(const char *ids)
{
	model_clear(&m);
	model_init(&m);
	scan(ids);
	model_drew(&m, 0, 5, 5, 0);
}

static enum model_do
press(int key, int64_t now)
{
	model_keys(&m, &key, 1, now, &act);
	return act.what;
}

static enum model_do
burst(const char *keys, int64_t now)
{
	int k[64];
	size_t n = 0;

	for (; keys[n] != '\0'; n++)
		k[n] = (unsigned char)keys[n];
	model_keys(&m, k, n, now, &act);
	return act.what;
}

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
	press('4', 0);
	ck_assert_int_eq(m.page, PAGE_RULES);
	ck_assert_int_eq(press('a', 9000), DO_NOTHING);
	press('1', 0);
	ck_assert_int_eq(m.page, PAGE_LIST);
}
END_TEST

UNIT_MAIN("approver/model",
	tcase_add_test(tc, a_folder_is_part_of_the_name);
	tcase_add_test(tc, terminal_only_for_what_was_read);
	tcase_add_test(tc, edits_the_command_that_was_drawn);
	tcase_add_test(tc, pastes_into_a_typed_line);
	tcase_add_test(tc, ticks_only_what_was_read_and_is_unchanged);
	tcase_add_test(tc, drops_a_session_after_a_word);
	tcase_add_test(tc, tabs_and_back);
	tcase_add_test(tc, approves_what_is_drawn);
	tcase_add_test(tc, dead_for_400_ms);
	tcase_add_test(tc, type_ahead_does_not_hit_the_next);
	tcase_add_test(tc, changed_bytes_are_another_item);
	tcase_add_test(tc, what_is_hidden_is_not_meant);
	tcase_add_test(tc, bursts_move_but_never_decide);
	tcase_add_test(tc, pasted_text_is_no_key);
	tcase_add_test(tc, enter_space_y_never_decide);
	tcase_add_test(tc, critical_has_its_own_key);
	tcase_add_test(tc, all_of_it_first);
	tcase_add_test(tc, a_reason_belongs_to_one_request);
	tcase_add_test(tc, order_is_arrival_and_focus_is_an_id);
	tcase_add_test(tc, pause_and_filter);
	tcase_add_test(tc, stop_only_what_runs);
	tcase_add_test(tc, floods_and_haste_are_said);
	tcase_add_test(tc, memory_is_bounded);)
