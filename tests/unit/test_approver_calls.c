/* Words that pose, a terminal's output in pieces, and how a human is called. */
#include "approver/attach.h"
#include "approver/mixed.h"
#include "approver/notify.h"
#include "tests/unit/unit.h"

#include <string.h>

static void
mixes(const char *text, size_t n, const char *first)
{
	struct str s;

	str_init(&s, 200);
	ck_assert_uint_eq(mixed_words(text, strlen(text), &s), n);
	ck_assert_str_eq(s.s, first);
	str_clear(&s);
}

START_TEST(words_that_mix_alphabets)
{
	mixes("npm install left-pad", 0, "");
	mixes("curl p\xd0\xb0ypal.com g\xce\xbfogle", 2, "p<U+0430>ypal");
	mixes("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 world", 0, "");
	mixes("gr\xc3\xbc\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac" "x", 0, "");
	mixes("\xef\xbd\x92\xef\xbd\x8d -rf", 1, "<U+FF52><U+FF4D>");
	mixes("\xff\xfe p\xd1\x80", 1, "p<U+0440>");
}
END_TEST

/* Whatever the pieces are, the same comes out. */
START_TEST(terminal_output_in_any_pieces)
{
	static const char in[] = "a\033[31m\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80"
	    "\r\nb\rc\xff\xe2\x80\xae\td\n";
	static const char want[] = "a^[[31m\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80"
	    "\r\nb^Mc<\\xff><U+202E>\td\r\n";

	for (size_t piece = 1; piece <= sizeof in; piece++) {
		struct str held, out;

		str_init(&held, 100);
		str_init(&out, 400);
		for (size_t i = 0; i < sizeof in - 1; i += piece)
			attach_show(&held, in + i, sizeof in - 1 - i < piece ?
			    sizeof in - 1 - i : piece, &out);
		ck_assert_str_eq(out.s, want);
		ck_assert_uint_eq(held.len, 0);
		str_clear(&held);
		str_clear(&out);
	}
}
END_TEST

START_TEST(one_sound_in_ten_seconds)
{
	const struct notify_how how = { .bell = true, .later_ms = 15000 };
	struct notify_state one = { .waiting = 1, .tool = "" }, two = one,
	    none = { .tool = "" };
	struct notify n = { 0 };

	two.waiting = 2;
	ck_assert_uint_eq(notify_due(&n, &how, &none, 1000), 0);
	ck_assert_int_eq(notify_patience(&n, &how, &none, 1000), -1);
	ck_assert_uint_eq(notify_due(&n, &how, &one, 1000), NOTIFY_SOUND);
	ck_assert_uint_eq(notify_due(&n, &how, &two, 2000), 0);
	ck_assert_int_eq(notify_patience(&n, &how, &two, 2000), 9000);
	ck_assert_uint_eq(notify_due(&n, &how, &two, 11000), NOTIFY_SOUND);
	ck_assert_uint_eq(notify_due(&n, &how, &two, 12000), 0);
	/* The second channel once, and only for what still waits. */
	ck_assert_uint_eq(notify_due(&n, &how, &two, 16000), NOTIFY_LATER);
	ck_assert_uint_eq(notify_due(&n, &how, &two, 17000), 0);
	ck_assert_int_eq(notify_patience(&n, &how, &two, 17000), -1);
	ck_assert_uint_eq(notify_due(&n, &how, &none, 18000), 0);
	/* Nobody is called twice for one that came and went. */
	ck_assert_uint_eq(notify_due(&n, &how, &one, 19000), 0);
	ck_assert_uint_eq(notify_due(&n, &how, &none, 20000), 0);
	ck_assert_uint_eq(notify_due(&n, &how, &none, 40000), 0);
}
END_TEST

START_TEST(a_call_is_ascii_and_says_no_command)
{
	const struct notify_how how = { .bell = true, .osc = true };
	const struct notify_state s = { .waiting = 2, .tier = TIER_HIGH,
	    .tool = "mcp;\033]0;x\007\xe2\x80\xae\xc3\xbc" };
	struct str text, bytes;

	str_init(&text, 1000);
	str_init(&bytes, 1000);
	notify_text(&s, &text);
	ck_assert_str_eq(text.s, "sandbox: 2 wait, HIGH, mcp<;>^[]0<;>x^G"
	    "<U+202E><U+00FC>");
	notify_bytes(&how, "t", false, &bytes);
	ck_assert_str_eq(bytes.s, "\a\033]9;t\a\033]777;notify;sandbox;t\a");
	str_reset(&bytes);
	notify_bytes(&how, "t", true, &bytes);
	ck_assert_str_eq(bytes.s, "\a\033Ptmux;\033\033]9;t\a\033\033]777;"
	    "notify;sandbox;t\a\033\\");
	str_clear(&text);
	str_clear(&bytes);
}
END_TEST

START_TEST(channels_are_a_list_of_words)
{
	struct notify_how how = NOTIFY_HOW;
	struct err e;

	ck_assert_int_eq(notify_parse("osc,bell", &how, &e), 0);
	ck_assert(how.osc && how.bell && !how.desktop);
	ck_assert_int_eq(notify_parse("none", &how, &e), 0);
	ck_assert(!how.osc && !how.bell && !how.desktop);
	ck_assert_int_eq(notify_parse("bell,horn", &how, &e), -1);
	ck_assert_int_eq(e.code, ERR_USAGE);
}
END_TEST

UNIT_MAIN("approver/calls",
	tcase_add_test(tc, words_that_mix_alphabets);
	tcase_add_test(tc, terminal_output_in_any_pieces);
	tcase_add_test(tc, one_sound_in_ten_seconds);
	tcase_add_test(tc, a_call_is_ascii_and_says_no_command);
	tcase_add_test(tc, channels_are_a_list_of_words);)
