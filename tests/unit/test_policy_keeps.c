/*
 * What stays behind a command of the shell's own: functions, variables, the
 * directory; and what only seems to.
 */
#include "common/mem.h"
#include "common/str.h"
#include "policy/ours.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"g() { :; }; f() { g() { rm -f config; }; }; f; cd .git; g",
	"g() { :; }; eval 'g() { rm -f config; }'; cd .git; g",
	"g() { :; }; eval 'eval \"g() { rm -f config; }\"'; cd .git; g",
	"g() { :; }; trap 'g() { rm -f config; }' DEBUG; cd .git; g",
};

static const char *const asked[] = {
	/* Never defined, and a program of that name is none we know. */
	"f() { return; mystery() { :; }; }; f; mystery",
	"f() { mystery() { :; }; }; (f); mystery",
	"nice eval 'mystery() { :; }'; mystery",
	"trap 'mystery() { :; }' EXIT; mystery",
	"for x in a*.txt; do for f in $x; do sed -i s/a/b/ \"$f\"; done; done",
	"for x in a*.txt; do for f in $x; do rm \"$f\"; done; done",
};

static const char *const fine[] = {
	"f() { g() { ls \"$1\"; }; }; f; g src",
	"eval 'g() { ls \"$1\"; }'; g src",
	"f() { mystery() { :; }; }; f; mystery",
	"for x in a*.txt; do cat $x; done",
};
/* clang-format on */

START_TEST(what_is_denied)
{
	ck_lines(denied, ARRAY_LEN(denied), ACTION_DENY, ACTION_DENY);
}
END_TEST

START_TEST(what_is_asked)
{
	ck_lines(asked, ARRAY_LEN(asked), ACTION_DENY, ACTION_ESCALATE);
}
END_TEST

START_TEST(what_stays_open)
{
	ck_lines(fine, ARRAY_LEN(fine), ACTION_OBSERVE, ACTION_ALLOW);
}
END_TEST

/* A long body that is called again and again has its price. */
START_TEST(bodies_have_a_price)
{
	struct bench b;
	struct str s;

	str_init(&s, 1 << 17);
	str_add(&s, "g() { awk '");
	for (size_t i = 0; i < 8000; i++)
		str_add(&s, "{print $1}");
	str_add(&s, "'; }; ");
	for (size_t i = 0; i < 200; i++)
		str_add(&s, "g; ");
	bench_open(&b, "{\"version\":1}");
	ck_action(&b, s.s, ACTION_ESCALATE);
	ck_assert(b.j->effects_cut);
	bench_close(&b);
	str_clear(&s);
}
END_TEST

START_TEST(our_name_again_and_again)
{
	struct str s;

	str_init(&s, 1 << 17);
	for (size_t i = 0; i < 10000; i++)
		str_add(&s, "sandbox -a ");
	for (size_t i = 0; i < 1000; i++)
		ck_assert(!ours_text(s.s));
	str_add(&s, "approve x");
	ck_assert(ours_text(s.s));
	ck_assert(ours_text("sandbox sandbox approve"));
	ck_assert(ours_text("sandbox x/sandbox -C x approve"));
	ck_assert(ours_text("sandbox -sandbox \"approve"));
	ck_assert(!ours_text("sandbox sandboxapprove"));
	str_clear(&s);
}
END_TEST

UNIT_MAIN("policy: what stays behind a command",
    tcase_add_test(tc, what_is_denied);
    tcase_add_test(tc, what_is_asked);
    tcase_add_test(tc, what_stays_open);
    tcase_add_test(tc, bodies_have_a_price);
    tcase_add_test(tc, our_name_again_and_again);
)
