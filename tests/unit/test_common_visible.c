/* common/visible: each promise of the header, then the property over much. */
#include "common/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "common/visible_table.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

struct sample {
	const char	*in, *line, *text;
	size_t		 hidden_line, hidden_text;
};

static const struct sample samples[] = {
	{ "plain ~ text", "plain ~ text", "plain ~ text", 0, 0 },
	{ "a\tb\nc", "a^Ib^Jc", "a\tb\nc", 2, 0 },
	{ "\x1b[2J\a\r\x7f", "^[[2J^G^M^?", "^[[2J^G^M^?", 4, 4 },
	{ "\xc2\x9b" "1m", "<U+009B>1m", "<U+009B>1m", 1, 1 },
	{ "\xc2\x80\xc2\xa0", "<U+0080><U+00A0>", "<U+0080><U+00A0>", 2, 2 },
	{ "\xff\xc3", "<\\xff><\\xc3>", "<\\xff><\\xc3>", 2, 2 },
	{ "\xc0\xaf", "<\\xc0><\\xaf>", "<\\xc0><\\xaf>", 2, 2 },
	{ "\xed\xa0\x80", "<\\xed><\\xa0><\\x80>", "<\\xed><\\xa0><\\x80>",
	    3, 3 },
	{ "\xe2\x80\xae", "<U+202E>", "<U+202E>", 1, 1 },	/* bidi */
	{ "\xe2\x81\xa6", "<U+2066>", "<U+2066>", 1, 1 },	/* isolate */
	{ "\xe2\x80\x8b", "<U+200B>", "<U+200B>", 1, 1 },	/* zero width */
	{ "\xef\xbb\xbf", "<U+FEFF>", "<U+FEFF>", 1, 1 },
	{ "\xc2\xad", "<U+00AD>", "<U+00AD>", 1, 1 },		/* soft hyphen */
	{ "\xf3\xa0\x81\x81", "<U+E0041>", "<U+E0041>", 1, 1 },	/* tag */
	{ "\xef\xb8\x8f", "<U+FE0F>", "<U+FE0F>", 1, 1 },	/* variation */
	{ "\xf3\xa0\x84\x80", "<U+E0100>", "<U+E0100>", 1, 1 },
	{ "\xe2\x80\xa8\xe2\x80\xa9", "<U+2028><U+2029>",
	    "<U+2028><U+2029>", 2, 2 },				/* Zl Zp */
	{ "\xee\x80\x80", "<U+E000>", "<U+E000>", 1, 1 },	/* private */
	{ "\xf4\x8f\xbf\xbf", "<U+10FFFF>", "<U+10FFFF>", 1, 1 },
	{ "\xef\xbf\xbe", "<U+FFFE>", "<U+FFFE>", 1, 1 },	/* non-character */
	{ "\xcd\xb8", "<U+0378>", "<U+0378>", 1, 1 },		/* unassigned */
	{ "\xe3\x85\xa4\xef\xbe\xa0", "<U+3164><U+FFA0>",
	    "<U+3164><U+FFA0>", 2, 2 },				/* fillers */
	{ "\xe2\xa0\x80\xe3\x80\x80", "<U+2800><U+3000>",
	    "<U+2800><U+3000>", 2, 2 },				/* blanks */
	{ "Gr\xc3\xbc\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
	    "Gr\xc3\xbc\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
	    "Gr\xc3\xbc\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
	    0, 0 },
	/* three marks on a base stay, the fourth and what follows do not */
	{ "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85x\xcc\x81",
	    "e\xcc\x81\xcc\x82\xcc\x83<U+0304><U+0305>x\xcc\x81",
	    "e\xcc\x81\xcc\x82\xcc\x83<U+0304><U+0305>x\xcc\x81", 2, 2 },
	{ "\xe2\x83\x9d", "<U+20DD>", "<U+20DD>", 1, 1 },	/* no base: Me */
	{ "\n\xcc\x81", "^J<U+0301>", "\n<U+0301>", 2, 1 },
	{ "\x1b\xcc\xb8", "^[<U+0338>", "^[<U+0338>", 2, 2 },
};

static void
check_one(const struct sample *c, enum visible_flags flags, const char *want,
    size_t hidden)
{
	auto_str struct str s = { 0 };

	str_init(&s, 4096);
	ck_assert_uint_eq(visible(c->in, strlen(c->in), flags, &s), hidden);
	ck_assert_str_eq(s.s, want);
	ck_assert(!s.full);
}

START_TEST(samples_read_as_promised)
{
	const struct sample *c = &samples[_i];

	check_one(c, VISIBLE_LINE, c->line, c->hidden_line);
	check_one(c, VISIBLE_TEXT, c->text, c->hidden_text);
	ck_assert_uint_eq(visible_hidden(c->in, strlen(c->in)),
	    c->hidden_text);
	auto_free char *line = visible_line(c->in);
	ck_assert_str_eq(line, c->line);
}
END_TEST

START_TEST(flags_are_independent)
{
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	ck_assert_uint_eq(visible("\t\n", 2, VISIBLE_NEWLINE, &s), 1);
	ck_assert_str_eq(s.s, "^I\n");
	str_reset(&s);
	ck_assert_uint_eq(visible("\t\n", 2, VISIBLE_TAB, &s), 1);
	ck_assert_str_eq(s.s, "\t^J");
}
END_TEST

START_TEST(nul_and_cut_sequences_are_shown)
{
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	ck_assert_uint_eq(visible("a\0b\xe2\x80", 5, VISIBLE_LINE, &s), 3);
	ck_assert_str_eq(s.s, "a^@b<\\xe2><\\x80>");
	str_reset(&s);
	ck_assert_uint_eq(visible("", 0, VISIBLE_LINE, &s), 0);
	ck_assert_str_eq(s.s, "");
}
END_TEST

START_TEST(a_full_string_ends_between_characters)
{
	static const char in[] = "ab\xe2\x80\xae" "c\xc3\xbc";

	for (size_t max = 0; max < 16; max++) {
		auto_str struct str s = { 0 };

		str_init(&s, max);
		ck_assert_uint_eq(visible(in, sizeof in - 1, VISIBLE_LINE,
		    &s), 1);
		ck_assert(s.full == (max < 13));
		ck_assert(utf8_ok(s.s, s.len));
		ck_assert(strncmp("ab<U+202E>c\xc3\xbc", s.s, s.len) == 0);
		ck_assert(max < 2 || max >= 10 || s.len == 2);
	}
}
END_TEST

START_TEST(appends_to_what_is_there)
{
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	str_add(&s, "$ ");
	visible("ls\x1b", 3, VISIBLE_LINE, &s);
	ck_assert_str_eq(s.s, "$ ls^[");
}
END_TEST

/*
 * Read one character of the output: how many bytes it takes; *ret_rewritten
 * when it is one of our notations.  0 when it is nothing we may print.
 */
static size_t
read_back(const char *p, size_t len, enum visible_flags flags,
    bool *ret_rewritten)
{
	uint32_t cp;
	unsigned v;
	int n = 0;

	*ret_rewritten = true;
	if (len >= 2 && p[0] == '^' && p[1] >= '?' && p[1] <= '_')
		return 2;
	if (sscanf(p, "<U+%6X>%n", &v, &n) == 1 && n >= 8)
		return (size_t)n;
	if (sscanf(p, "<\\x%2x>%n", &v, &n) == 1 && n == 6)
		return (size_t)n;
	*ret_rewritten = false;
	if ((*p == '\n' && (flags & VISIBLE_NEWLINE) != 0) ||
	    (*p == '\t' && (flags & VISIBLE_TAB) != 0))
		return 1;
	n = (int)utf8_next(p, len, &cp);
	return cp < 0x20 || cp == 0x7f || (cp >= 0x80 && cp < 0xa0) ? 0 :
	    (size_t)n;
}

/* How many characters the input has: code points, and single bad bytes. */
static size_t
count_in(const char *p, size_t len)
{
	size_t count = 0;
	uint32_t cp;

	while (len > 0) {
		size_t n = utf8_next(p, len, &cp);

		n = n == 0 ? 1 : n;
		p += n;
		len -= n;
		count++;
	}
	return count;
}

/*
 * Input must not hold '<' or '^', so that read_back is unambiguous.  Plain ifs:
 * Check writes to a pipe for every assertion that holds, and here are millions.
 */
static void
check_property(const char *in, size_t len, enum visible_flags flags)
{
	static char room[6 * 4096 + 1];
	struct str s = { .s = room, .max = sizeof room - 1, .cap = sizeof room };
	size_t hidden = visible(in, len, flags, &s), seen = 0, count = 0;

	if (s.full || s.len > 6 * len || !utf8_ok(s.s, s.len))
		ck_abort_msg("too long, or not UTF-8");
	room[s.len] = '\0';
	for (size_t at = 0; at < s.len; count++) {
		bool rewritten;
		size_t n = read_back(s.s + at, s.len - at, flags, &rewritten);

		if (n == 0)
			ck_abort_msg("a control byte came through");
		seen += rewritten;
		at += n;
	}
	if (count != count_in(in, len) || seen != hidden)
		ck_abort_msg("a character was dropped or not counted");
}

START_TEST(every_short_string_keeps_the_property)
{
	for (unsigned v = 0; v < 0x10000; v++) {
		char in[2] = { (char)(v >> 8), (char)(v & 0xff) };

		if (memchr(in, '<', 2) != NULL || memchr(in, '^', 2) != NULL)
			continue;
		check_property(in + 1, 1, VISIBLE_LINE);
		check_property(in, 2, VISIBLE_LINE);
		check_property(in, 2, VISIBLE_TEXT);
	}
}
END_TEST

START_TEST(every_code_point_keeps_the_property)
{
	for (uint32_t cp = 0x80; cp <= 0x10ffff; cp++) {
		char in[4] = {
			(char)(cp < 0x10000 ? 0xe0 | cp >> 12 : 0xf0 | cp >> 18),
			(char)(0x80 | ((cp < 0x10000 ? cp >> 6 : cp >> 12) &
			    0x3f)),
			(char)(0x80 | ((cp < 0x10000 ? cp : cp >> 6) & 0x3f)),
			(char)(0x80 | (cp & 0x3f)),
		};
		check_property(in, cp < 0x10000 ? 3 : 4, VISIBLE_LINE);
	}
}
END_TEST

/* Fixed seed: a failure is the same failure tomorrow. */
static uint32_t
next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

START_TEST(random_bytes_keep_the_property)
{
	static const char nasty[] = "\xe2\x80\xae\xcc\x81\xcc\x82\xf3\xa0\x81"
	    "\xed\xa0\xc2\x9b\x1b\xff\xf4\x90\xe0\x9f";
	uint32_t state = 0x5eed;
	char in[4096];

	for (int round = 0; round < 2000; round++) {
		size_t len = next_random(&state) % sizeof in;

		for (size_t i = 0; i < len; i++) {
			uint32_t r = next_random(&state);

			in[i] = (r & 3) == 0 ? (char)(r >> 8) :
			    nasty[(r >> 8) % (sizeof nasty - 1)];
			if (in[i] == '<' || in[i] == '^')
				in[i] = ' ';
		}
		check_property(in, len, round & 1 ? VISIBLE_TEXT : VISIBLE_LINE);
	}
}
END_TEST

static void
check_table(const struct visible_range *r, size_t n)
{
	ck_assert_uint_ge(r[0].first, 0x80);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_le(r[i].first, r[i].last);
		ck_assert(i == 0 || r[i - 1].last + 1 < r[i].first);
	}
	ck_assert_uint_le(r[n - 1].last, 0x10ffff);
}

START_TEST(tables_are_sorted_and_disjoint)
{
	check_table(visible_hidden_ranges, visible_hidden_n);
	check_table(visible_mark_ranges, visible_mark_n);
}
END_TEST

UNIT_MAIN("common/visible",
	tcase_add_loop_test(tc, samples_read_as_promised, 0,
	    (int)ARRAY_LEN(samples));
	tcase_add_test(tc, flags_are_independent);
	tcase_add_test(tc, nul_and_cut_sequences_are_shown);
	tcase_add_test(tc, a_full_string_ends_between_characters);
	tcase_add_test(tc, appends_to_what_is_there);
	tcase_add_test(tc, every_short_string_keeps_the_property);
	tcase_add_test(tc, every_code_point_keeps_the_property);
	tcase_add_test(tc, random_bytes_keep_the_property);
	tcase_add_test(tc, tables_are_sorted_and_disjoint);
)
