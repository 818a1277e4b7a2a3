#include <stdio.h>
#include <string.h>

#include "hooks/wire.h"
#include "tests/unit/unit.h"

static bool
whole(const char *text)
{
	struct wire_reply r;

	return wire_reply(text, strlen(text), &r);
}

START_TEST(takes_silence)
{
	struct wire_reply r;

	ck_assert(wire_reply("A 0 0 0\nE\n", 10, &r));
	ck_assert_int_eq(r.status, 0);
	ck_assert_uint_eq(r.n_out + r.n_err, 0);
}
END_TEST

START_TEST(takes_out_and_err)
{
	static const char text[] = "W 1800\nA 2 7 3\n{\"a\":1}whyE\n";
	struct wire_reply r;

	ck_assert(wire_reply(text, sizeof text - 1, &r));
	ck_assert_int_eq(r.status, 2);
	ck_assert_mem_eq(r.out, "{\"a\":1}", r.n_out);
	ck_assert_mem_eq(r.err, "why", r.n_err);
}
END_TEST

START_TEST(refuses_every_cut_and_every_surplus)
{
	static const char text[] = "W 1800\nA 0 7 3\n{\"a\":1}whyE\n";
	char more[sizeof text + 1];
	struct wire_reply r;

	for (size_t n = 0; n < sizeof text - 1; n++)
		ck_assert_msg(!wire_reply(text, n, &r), "cut at %zu", n);
	for (int c = 0; c < 256; c++) {
		memcpy(more, text, sizeof text);
		more[sizeof text - 1] = (char)c;
		ck_assert(!wire_reply(more, sizeof text, &r));
	}
}
END_TEST

START_TEST(refuses_what_is_no_answer)
{
	static const char *const bad[] = {
		"", "E\n", "A\n", "A 0\n", "A 0 0\nE\n", "a 0 0 0\nE\n",
		"A  0 0 0\nE\n", "A 0 0 0 \nE\n", "A 0 0 0\nE", "A 0 0 0\ne\n",
		"A 00 0 0\nE\n", "A 0 00 0\nE\n", "A +0 0 0\nE\n",
		"A -1 0 0\nE\n", "A 1 0 0\nE\n", "A 3 0 0\nE\n",
		"A 2 0 0\nE\n",			/* exit 2 needs a reason */
		"A 0 3 0\n{aE\n", "A 0 3 0\n{a}bE\n", "A 0 2 0\n{}\nE\n",
		"A 0 2 0\n[]E\n", "A 0 4 0\n{} \nE\n", "A 0 1 0\n{E\n",
		"A 0 999999999999 0\nE\n", "A 0 99999999999999999999 0\nE\n",
		"W 10\n", "W 10\nE\n", "W 0\nA 0 0 0\nE\n",
		"W 86001\nA 0 0 0\nE\n", "W x\nA 0 0 0\nE\n",
		"W\nA 0 0 0\nE\n", "W1\nA 0 0 0\nE\n",
		"W 1\nW 1\nA 0 0 0\nE\n", "A 0 0 0\nE\nA 0 0 0\nE\n",
		"A 0 0 0\nE\nW 1\n", " A 0 0 0\nE\n", "\nA 0 0 0\nE\n",
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!whole(bad[i]), "taken: %s", bad[i]);
}
END_TEST

START_TEST(flips_of_any_byte_never_change_the_frame)
{
	static const char text[] = "A 0 7 0\n{\"a\":1}E\n";
	char t[sizeof text];
	struct wire_reply r;

	for (size_t i = 0; i < sizeof text - 1; i++)
		for (int c = 0; c < 256; c++) {
			memcpy(t, text, sizeof text);
			t[i] = (char)c;
			if (!wire_reply(t, sizeof text - 1, &r))
				continue;
			/* Only the middle of the object may differ. */
			ck_assert(c == (unsigned char)text[i] ||
			    (i > 8 && i < 14));
			ck_assert_uint_eq(r.n_out, 7);
			ck_assert_int_eq(r.status, 0);
		}
}
END_TEST

START_TEST(reads_a_wait)
{
	size_t len = 0;

	ck_assert_int_eq(wire_wait("W 1815\nA", 8, &len), 1815);
	ck_assert_uint_eq(len, 7);
	ck_assert_int_eq(wire_wait("W 1815", 6, &len), 0);
	ck_assert_int_eq(wire_wait("A 0 0 0\n", 8, &len), 0);
	ck_assert_int_eq(wire_wait("", 0, &len), 0);
	ck_assert_int_eq(wire_wait("W 86000\n", 8, &len), 86000);
	ck_assert_int_eq(wire_wait("W 86001\n", 8, &len), -1);
	ck_assert_int_eq(wire_wait("W\n", 2, &len), -1);
}
END_TEST

START_TEST(puts_numbers)
{
	char buf[11];

	wire_put(0, buf);
	ck_assert_str_eq(buf, "0");
	wire_put(4294967295U, buf);
	ck_assert_str_eq(buf, "4294967295");
}
END_TEST

START_TEST(lets_only_locales_through)
{
	static const char *const good[] = { "LANG=C.UTF-8", "TZ=Europe/Berlin",
	    "LC_ALL=de_DE.UTF-8@euro", "LC_TIME=C", "TZ=UTC+3" };
	static const char *const bad[] = { "LANG=", "LANG", "TZ=/etc/passwd",
	    "TZ=:/etc/x", "TZ=../../etc/x", "LANG=a b", "LANG=$(id)",
	    "LANG=a\nb", "LC_=x", "LC_all=x", "LC_ALL=a=b", "LD_PRELOAD=x",
	    "PATH=/bin", "HOME=x", "=x", "", "LANGUAGE=de", "XLANG=C",
	    "LC_ABCDEFGHIJKLMNOPQRSTUVW=x", "LANG=\xff" };
	char longer[80] = "LANG=";

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		ck_assert_msg(wire_locale_ok(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!wire_locale_ok(bad[i]), "%s", bad[i]);
	memset(longer + 5, 'x', 64);
	ck_assert(!wire_locale_ok(longer));
}
END_TEST

UNIT_MAIN("hooks/wire",
	tcase_add_test(tc, takes_silence);
	tcase_add_test(tc, takes_out_and_err);
	tcase_add_test(tc, refuses_every_cut_and_every_surplus);
	tcase_add_test(tc, refuses_what_is_no_answer);
	tcase_add_test(tc, flips_of_any_byte_never_change_the_frame);
	tcase_add_test(tc, reads_a_wait);
	tcase_add_test(tc, puts_numbers);
	tcase_add_test(tc, lets_only_locales_through);
)
