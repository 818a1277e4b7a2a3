#include "common/diff.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define LONGEST	5

/* A text in a block of exactly its size: one byte beside it is a fault. */
static struct str
text_of(unsigned long n)
{
	static const char letters[] = "a\nb";
	struct str s = { .max = LONGEST };
	char buf[LONGEST];

	for (; n > 0; n = (n - 1) / 3)
		buf[s.len++] = letters[(n - 1) % 3];
	s.cap = s.len + 1;
	s.s = malloc(s.cap);
	memcpy(s.s, buf, s.len);
	s.s[s.len] = '\0';
	return s;
}

/* The lines of `side` and the common ones, without their marks. */
static void
lines_of(const char *diff, char side, struct str *ret)
{
	while (*diff != '\0') {
		size_t n = strcspn(diff, "\n");

		if (diff[0] == side || diff[0] == ' ')
			str_addn(ret, diff + 1, n);
		diff += n + 1;
	}
}

static void
check(const struct str *old, const struct str *new)
{
	const struct { char mark; const struct str *text; } sides[] = {
		{ '-', old }, { '+', new },
	};
	struct str out;

	str_init(&out, 4096);
	diff_lines("f", old, new, &out);
	if (strcmp(old->s, new->s) == 0) {
		ck_assert_str_eq(out.s, "");
		str_clear(&out);
		return;
	}
	for (int i = 0; i < 2; i++) {
		struct str got, want;

		str_init(&got, 4096);
		str_init(&want, 4096);
		lines_of(out.s + strlen("--- f\n+++ f\n"), sides[i].mark, &got);
		str_add(&want, sides[i].text->s);
		if (want.len > 0 && want.s[want.len - 1] != '\n')
			str_addc(&want, '\n');
		/* All of these texts is within the lines of context. */
		ck_assert_str_eq(got.s, want.s);
		str_clear(&got);
		str_clear(&want);
	}
	str_clear(&out);
}

START_TEST(both_texts_can_be_read_back_from_every_difference)
{
	for (unsigned long a = 0; a < 121; a++) {
		for (unsigned long b = 0; b < 121; b++) {
			struct str old = text_of(a), new = text_of(b);

			check(&old, &new);
			str_clear(&old);
			str_clear(&new);
		}
	}
}
END_TEST

START_TEST(a_name_is_made_visible)
{
	struct str old = text_of(0), new = text_of(1), out;

	str_init(&out, 4096);
	diff_lines("x\033[2J", &old, &new, &out);
	ck_assert_str_eq(out.s, "--- x^[[2J\n+++ x^[[2J\n+a\n");
	str_clear(&old);
	str_clear(&new);
	str_clear(&out);
}
END_TEST

static struct str
numbers(size_t n, const char *third, const char *last)
{
	struct str s;

	str_init(&s, 1 << 20);
	for (size_t i = 1; i <= n; i++) {
		if (i == 3)
			str_add(&s, third);
		else if (i == n)
			str_add(&s, last);
		else
			str_addf(&s, "%zu\n", i);
	}
	return s;
}

START_TEST(what_lies_between_two_changes_is_left_out)
{
	struct str old = numbers(100, "3\n", "100\n");
	struct str new = numbers(100, "three\nand\n", "");
	struct str out;

	str_init(&out, 4096);
	diff_lines("f", &old, &new, &out);
	ck_assert_str_eq(out.s, "--- f\n+++ f\n 1\n 2\n-3\n+three\n+and\n 4\n"
	    " 5\n 6\n@@ line 98 @@\n 97\n 98\n 99\n-100\n");
	str_clear(&old);
	str_clear(&new);
	str_clear(&out);
}
END_TEST

START_TEST(too_many_changes_are_one)
{
	struct str old, new, out;

	str_init(&old, 1 << 20);
	str_init(&new, 1 << 20);
	str_init(&out, 1 << 20);
	for (int i = 0; i < 3000; i++) {
		str_addf(&old, "%d\n", i);
		str_addf(&new, "%d\n", i % 2 == 0 ? i : -i);
	}
	diff_lines("f", &old, &new, &out);
	ck_assert_ptr_nonnull(strstr(out.s, "\n-2998\n-2999\n+-1\n+2\n"));
	str_clear(&old);
	str_clear(&new);
	str_clear(&out);
}
END_TEST

UNIT_MAIN("common/diff",
	tcase_add_test(tc, what_lies_between_two_changes_is_left_out);
	tcase_add_test(tc, too_many_changes_are_one);
	tcase_add_test(tc, both_texts_can_be_read_back_from_every_difference);
	tcase_add_test(tc, a_name_is_made_visible);
)
