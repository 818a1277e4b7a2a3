/*
 * Lines that must never bother a human, and danger in every wrapping.  In the
 * default preset.
 */
#include <stdio.h>

#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const harmless[] = {
	"say() { echo \"== $1\"; }; say a; ls; say b",
	"say() { echo x; } && (say; ls) | cat",
	"{ say() { echo x; }; say; }",
	"bash -c 'say() { echo x; }; say'",
	"ls -la",
	"cat src/main.c | head -5",
	"git status && git diff --stat | tail -1",
	"grep -rn 'rm -rf' scripts/ | sort -u | wc -l",
	"cat <<'EOF'\nrm -rf /\n$(reboot)\nEOF",
	"echo \"$(git log --oneline | wc -l)\"",
	"for f in *.c; do wc -l \"$f\"; done",
	"if [ -f a ]; then cat a; else echo none; fi",
	"while read -r l; do echo \"$l\"; done < names.txt",
	"case $TERM in xterm*) echo x;; *) echo other;; esac",
	"diff <(sort a.txt) <(sort b.txt)",
	"find . -name '*.c' -print0 | xargs -0 grep -n TODO",
	"cd src && git log -1 && cd ..",
	"ls # rm -rf /",
	"ls \\\n  -la",
	"echo '$(reboot)' \"a \\$(b)\" \\`x\\`",
	"cat missing 2>/dev/null || true",
	"set -euo pipefail; ls src",
	"x=$((1 + 2)); echo $x",
	"i=0; i=$((i+1)); echo \"$i\"",
	"bash -c 'i=0; ((i++)); echo $i'",
	"bash -c 'echo $((n + 1))'",
	"N=3 bash -c 'echo $((N + 1))'",
	"x=a.c; bash -c 'n=0; n=$((n+1)); echo $n'",
	"LC_ALL=C sort f.txt",
	"LC_ALL=C ls; i=0; ((i++))",
	"a=(1 2 3); echo \"${a[@]}\" \"${#a[@]}\"",
	"[[ -f a && $x == b* ]] && echo yes",
	"[[ $x =~ ^(a|b)+$ ]] || echo no",
	"echo ${x:-none} ${x##*/} \"${x%.c}\"",
	"echo {1..5} {a,b}",
	"cat <<< \"hello $USER\"",
	"bash -lc 'git status'",
	"timeout 10 nice -n 5 ls",
	"printf '%s\\n' a b > out.txt",
	"mkdir -p build && touch build/x",
	"sed -n '1,5p;/a/d' f.txt",
	"awk -F: '$3 > 10 {print $1, $2}' data.txt",
	"jq -r '.a | keys[] | select(. != \"x\")' f.json",
	"{ ls; pwd; } | cat",
	"( cd src; ls )",
	"! grep -q foo f.txt",
	"time ls",
	"f() { ls; }; f",
	"ls & wait",
	"ls 2>&1 | tee /dev/null",
	"rg -n 'a|b' src --glob '*.c'",
	"tail -n +5 a.txt | cut -d, -f2 | uniq -c",
	"echo 完了 '全角　スペース' ✅ ⚠️",
	"command -v node; type ls; which gcc",
	"git log --format='%h %s' -n 3 -- src",
	"cat .sandbox/out/ab12.txt",
	"sandbox status && sandbox pending",
	"eval 'ls -la'",
	"env A=1 ls",
	"xargs -n1 echo < names.txt",
};
/* clang-format on */

START_TEST(harmless_is_never_asked)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		ck_assert_msg(bench_shell(&b, harmless[i]) >= ACTION_OBSERVE,
		    "'%s' is %s (%s)", harmless[i],
		    action_name(b.j->verdict.action), b.j->verdict.why);
	bench_close(&b);
}
END_TEST

/* Whatever is in front of or around a dangerous command, it is found. */
START_TEST(no_wrapping_hides_it)
{
	static const char *const around[] = {
		"ls; %s", "ls && %s", "ls || %s", "ls | %s", "ls & %s",
		"{ %s; }", "( %s )", "if %s; then :; fi", "! %s",
		"while %s; do :; done", "echo $(%s)", "echo \"`%s`\"",
		"cat <(%s)", "for i in 1; do %s; done", "time %s",
		"x=$(%s) ls", "case x in x) %s;; esac", "ls\n%s", "eval '%s'",
		"bash -c '%s'", "nice timeout 5 %s", "FOO=1 %s", "%s > out",
		"command %s", "find . -exec %s \\;", "f() { %s; }", "[[ -n $(%s) ]]",
		"echo ${x:-$(%s)}", "echo $(( $(%s) ))", "cat <<E\n$(%s)\nE",
		"ls # x\n%s", "trap '%s' EXIT", "xargs %s < x",
	};
	struct bench b;
	char line[256];

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		const char *at = strstr(around[i], "%s");

		snprintf(line, sizeof(line), "%.*srm -rf src%s",
		    (int)(at - around[i]), around[i], at + 2);
		ck_action(&b, line, ACTION_ESCALATE);
		snprintf(line, sizeof(line), "%.*srm -rf .sandbox%s",
		    (int)(at - around[i]), around[i], at + 2);
		ck_action(&b, line, ACTION_DENY);
	}
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy on whole lines",
    tcase_add_test(tc, harmless_is_never_asked);
    tcase_add_test(tc, no_wrapping_hides_it);
)
