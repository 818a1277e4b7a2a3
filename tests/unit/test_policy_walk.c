/* What variables hold in loops, what words become, what functions get. */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"for d in src .sandbox; do touch \"$d/x\"; done",
	"x=1; for i in 1 2; do x=2; touch .sandbox/x; done",
	"i=0; while [ $i -lt 3 ]; do i=$((i+1)); d=.sandbox; touch $d/x; done",
	"f() { d=.sandbox; touch \"$d/x\"; }; f",
	"for i in *; do d=.git; touch $d/config; done",
	"rm -rf .{sand,x}box",
	"touch .sandbox/{a,b}",
	"cat {src,.sandbox}/policy.json",
	"for i in .{sand,x}box; do touch \"$i/x\"; done",
	"touch .s{and,x}b{o,i}x/y",
	"d=.sandbox; touch \"$d\"/{a,b}",
	"cp x {.git/config,src}/../.git/config",
	"grep -rl foo --include='*.c' .sandbox | xargs cat",
	"grep -rl foo --include='*.c' .git/config | xargs sed -i 1d",
	"rg -l foo -g '*.c' .git/config | xargs sed -i 1d",
	"cat $(find .sandbox -name '*.c')",
	("for f in $(find . -path './.sandbox/*' -name '*.c'); do cat "
	    "\"$f\"; done"),
	"P=\"src .sandbox\"; rm -rf $P",
	"P=\".sandbox/x f\"; cat $P",
	"for f in .sandbox/*.json; do cat $f; done",
};

static const char *const asked[] = {
	"d=src; for i in 1 2; do rm -rf $d; d=.sandbox; done",
	"d=src; for i in 1 2; do touch $d/x; d=.sandbox; done",
	"d=src; for i in *; do touch $d/x; d=.sandbox; done",
	"d=src; while :; do touch $d/x; d=.sandbox; done",
	"d=src; e=src; while :; do touch $d/x; d=$e; e=.sandbox; done",
	("d=src; e=src; g=src; h=src; while :; do touch $d/x; d=$e; "
	    "e=$g; g=$h; h=.ssh; done"),
	"while read d; do touch \"$d\"; done < f",
	"d=src; while read d; do touch \"$d/x\"; done < f",
	"x=src; for i in 1 2; do x=.sandbox; continue; x=src; done; touch $x/y",
	"x=src; for i in 1; do x=.sandbox; break; x=src; done; touch $x/y",
	"x=src; for i in *; do x=.sandbox; break; x=src; done; touch $x/y",
	("x=src; while :; do if ls; then x=.sandbox; break; x=src; fi; "
	    "done; touch $x/y"),
	"x=src; for i in 1 2; do touch $x/y; x=.sandbox; continue; x=src; done",
	"for i in 1; do cd .git; break; cd /p; done; touch config",
	"for i in *; do cd .git; break; cd /p; done; touch config",
	"f() { cd .git; return; cd /p; }; f; touch config",
	"x=src; a=.git; trap 'x=$a' DEBUG; touch $x/config",
	"a=.git; trap 'x=$a' DEBUG; x=src; touch $x/config",
	"s() { x=.git; }; trap s DEBUG; x=src; touch $x/config",
	"x=src; s() { x=.git; }; s; touch $x/config",
	"x=src; s() { x=.git; }; for i in *; do touch $x/config; s; done",
	"x=src; s() { x=.git; return; x=src; }; s; touch $x/config",
	"x=src; s() { local x=.git; t; }; t() { touch $x/config; }; s",
	"x=src; for i in *; do touch $x/y; unset x; x=$(cat f); done",
	"x=src; for i in *; do touch $x/config; eval x=.git; done",
	"x=src; for i in *; do touch $x/config; . ./f; done",
	"x=src; for i in *; do touch $x/config; printf -v x .git; done",
	"x=src; for i in *; do touch $x/config; export x=.git; done",
	"x=src; for i in *; do touch $x/config; mapfile x < f; done",
	"x=src; for i in *; do touch $x/config; getopts a x; done",
	"x=src; for i in *; do touch $x/config; declare -n r=x; r=.git; done",
	"x=src; for i in *; do touch $x/config; : ${x:=.git}; done",
	("x=src; for i in *; do touch $x/config; for x in .git; do :; "
	    "done; done"),
	("x=src; for i in *; do touch $x/config; select x in .git; do "
	    "break; done; done"),
	"x=src; for i in *; do touch $x/config; { x=.git; }; done",
	("x=src; for i in *; do touch $x/config; case a in a) x=.git;; "
	    "esac; done"),
	"x=src; for i in *; do touch $x/config; ls && x=.git; done",
	("x=src; for i in *; do touch $x/config; while x=.git; false; "
	    "do :; done; done"),
	"x=src; for x in a b; do x=.git; done; touch $x/config",
	"x=src; for x in *.c; do x=.git; done; touch $x/config",
	"x='a[$(reboot)]'; for i in 1 2; do y=$x; done; ((y++))",
	"y=1; for i in *; do ((y++)); y='a[$(reboot)]'; done",
	"y=1; for i in *; do y='a[$(reboot)]'; continue; y=1; done; ((y++))",
	"set -- src; for i in *; do touch $1/config; set -- .git; done",
	("set -- .git src; touch $2/x; shift; touch $1/x; for i in *; "
	    "do touch $1/config; done"),
	"cat {.env,x}",
	"cat .{env,x}",
	"cat .e{n,m}v",
	"cat {a,'b,c'}/.env",
	"cat ~/.ssh/{id_rsa,x}",
	"touch $x{a,b}",
	"touch {$x,b}",
	"rm -rf {a,b}",
	"{rm,-rf} src",
	"{rm,-rf,src}",
	"{cat,ls} .env",
	"cat src/{a,b}.c > {x,y}",
	"cat {a..z}",
	"cat {01..03}",
	"cat {a,b}}",
	"touch {1..5..2}",
	"sed {-i,s/a/b/} ../f",
	"cat \"{.env,x}\"{,y} ~/.ssh/id_rsa{,.pub}",
	"touch .{git,x}/config",
	"cp x .{bashrc,profile}",
	"find . {-delete,-print}",
	"git {push,--force}",
	"x={a,b}; cat $x",
	"cat {~,x}/.ssh/id_rsa",
	"cat {\\.env,x}",
	"cp x .git/{config,x}",
	"git ls-files | xargs cat",
	"git ls-files '*' | xargs cat",
	"git ls-files .env '*.c' | xargs cat",
	"git ls-files '*.c' '*.env' | xargs cat",
	"git ls-files '*.c' | xargs rm",
	"git ls-files '../*.c' | xargs cat",
	"git ls-files ':!*.c' | xargs cat",
	"git ls-files -s '*.c' | xargs cat",
	"git -C ~/.ssh ls-files '*.c' | xargs cat",
	"grep -rl foo . | xargs cat",
	"grep -rl foo --include='*.c' .env | xargs cat",
	"grep -rl foo --include='*.c' ~/.ssh | xargs cat",
	"grep -rl foo --include='*.env' . | xargs cat",
	"grep -r foo --include='*.c' . | xargs cat",
	"grep -Rl foo --include='*.c' . | xargs cat",
	"grep -rlf list --include='*.c' . | xargs cat",
	"rg -l foo -g '*.c' .env | xargs cat",
	"rg -lL foo -g '*.c' | xargs cat",
	"rg -l foo -g '!*.c' | xargs cat",
	"find . -name '*.c' | sort list | xargs cat",
	"find . -name '*.c' | sort < list | xargs cat",
	"find . -name '*.c' | head -c 5 | xargs cat",
	"find . -name '*.c' | cat - list | xargs cat",
	"find . -name '*.c' | grep -o '.*en' | xargs cat",
	"find . -name '*.c' | grep -h . list | xargs cat",
	"find . -name '*.c' | sed s/c/env/ | xargs cat",
	"find . -name '*.c' | cut -c1-3 | xargs cat",
	"cat $(find . -name '.env')",
	"cat $(find . -name '*.c'; echo .env)",
	"cat $(find . -name '*.c' | xargs)",
	"cat $(find . -name '*.c' -o -name .env)",
	"cat $(find . -name '*.c' && echo .env)",
	"rm $(git ls-files '*.c')",
	"cat x$(git ls-files '*.c')v",
	"sort() { echo .env; }; find . -name '*.c' | sort | xargs cat",
	("find . -name '*.c' | while read -r f; do cat \"$f.env\"; rm "
	    "\"$f\"; done"),
	"find . -name '*.c' | while read -r a b; do cat \"$b\"; done",
	"find . -name '*.c' | while read -rn3 f; do cat \"$f\"; done",
	"find . -name '*.c' | while read -r -d / f; do cat \"$f\"; done",
	"find . -name '*.c' | while read -r f < list; do cat \"$f\"; done",
	"find . -name '*.c' | while read -r f; do cat \"$f\"; done < list",
	"find . -name '*.c' | while read -r f; do f=.env; cat \"$f\"; done",
	"find . -name '*.c' | while read -u 3 f; do cat \"$f\"; done",
	"find . -type f | while read -r f; do cat \"$f\"; done",
	"find src -name '*.c' | { exec < list; xargs cat; }",
	"find src -name '*.c' | { eval 'exec < list'; xargs cat; }",
	"f() { exec < list; }; find src -name '*.c' | { f; xargs cat; }",
	"for f in $(find . -name '*.c'); do rm \"$f\"; done",
	"ls | xargs cat",
	"find . -name '*.c' | tr c v | xargs cat",
	"find . -name '*.c' | head -5 - list | xargs cat",
	"git ls-files '.sandbox/*.c' | xargs cat",
	"x=src; while x=.git; false; do x=src; done; touch $x/config",
	"x=src; while x=.git; ls; do touch $x/config; done",
	"while cd .git; do touch config; done",
	"while cd .git; false; do ls; done; touch config",
	"for f in *.c; do cp $f $f.bak; done",
	"for f in *.c; do rm $f; done",
	"for f in *.c; do sed -i s/a/b/ $f; done",
	"for f in *.c; do touch $f; done",
	"for f in *.c; do echo x > $f; done",
	"for f in *; do cat $f; done",
	"for f in *env; do cat $f; done",
	"for f in .*; do cat $f; done",
	"for f in *.c; do cat $f/../.env; done",
	"for f in *.c; do $f; done",
	"for f in *.c; do bash $f; done",
	"for f in *.c; do sort $f; done",
	"for f in *.c; do find $f; done",
	"for f in *.c; do git $f; done",
	"for f in *.c; do eval $f; done",
	"for f in *.c; do mv $f src; done",
	"for f in *.c; do sort -o $f a; done",
	"P=\"src .env\"; cat $P",
	"P=\"-rf src\"; rm $P",
	"P=\"src *\"; rm -r $P",
	"P=\"src ../x\"; touch $P",
	"O=\"-delete .\"; find . $O",
	"P=\"a.c b.c\"; P=$(cat f); cat $P",
	"P=\"a.c b.c\"; read P; cat $P",
	"for P in \"a.c .env\"; do cat $P; done",
	"C=\"rm -rf src\"; $C",
	"x=\"a.c b.c\"; for i in *; do cat $x; x=.env; done",
	"P=\"~/.ssh/id_rsa x\"; cat ~/.ssh/id_rsa $P",
	"for f in ~/.ssh/*.txt; do cat $f; done",
	"for f in *.c; do cp $f .; done",
	"for f in *.c; do ln -s $f src; done",
};

static const char *const open_so[] = {
	"for f in src/*.ts; do n=$(wc -l < \"$f\"); echo \"$f $n\"; done",
	"for f in src/*.ts; do x=1; cat \"$f\"; done",
	("for c in $(git log --format=%h -n 3); do d=$(git log -1 "
	    "--format=%ci $c); echo \"$d\"; done"),
	"i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
	"i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
	"while ((n < 5)); do ((n++)); done",
	"n=0; until (( n >= 3 )); do ((n++)); done",
	"for i in 1 2 3; do s=$((s+i)); done; echo $s",
	"for ((i=0; i<5; i++)); do ((s+=i)); done; echo $s",
	"i=0; while read -r l; do i=$((i+1)); echo \"$i: $l\"; done < f.txt",
	"i=1; for f in *.c; do echo \"$i $f\"; ((i++)); done",
	"for a in 1 2; do for b in 1 2; do x=$a$b; echo \"$x\"; done; done",
	("for f in *.c; do for g in *.h; do n=$(grep -c foo \"$f\"); "
	    "cat \"$g\"; done; done"),
	("count() { for f in src/*.c; do n=$(wc -l < \"$f\"); echo "
	    "\"$n\"; done; }; count"),
	"for f in *.c; do [ -f \"$f\" ] || continue; b=1; cat \"$f\"; done",
	("for f in *.c; do if grep -q foo \"$f\"; then found=1; cat "
	    "\"$f\"; break; fi; done"),
	("say() { x=1; echo \"$1\"; }; for f in a.c b.c; do say x; cat "
	    "\"$f\"; done"),
	"say() { echo \"$1\"; }; x=a.c; say hi; cat \"$x\"",
	"for d in src tests; do (cd \"$d\" && ls); done",
	"trap 'echo bye' EXIT; x=src; ls \"$x\"",
	("max=0; for f in *.c; do n=$(wc -l < \"$f\"); if [ \"$n\" -gt "
	    "\"$max\" ]; then max=$n; m=$f; fi; done; echo \"$max\""),
	"cat src/{a,b}.c",
	"cp a.c{,.bak}",
	"mkdir -p src/{a,b}/{c,d}",
	"touch {a,b,c}.txt",
	"git add src/{a,b}.c",
	"for i in {1..5}; do echo \"$i\"; done",
	"for i in {1..5}; do cat \"f$i.txt\"; done",
	"for i in {1..100}; do echo \"$i\"; done",
	"for i in {3..1}; do wc -l f$i.txt; done",
	"wc -l src/*.{c,h}",
	"grep --exclude-dir={node_modules,.git} -rn x .",
	"d=src; cat \"$d\"/{a,b}.c",
	"d=src; mkdir -p $d/{a,b}",
	"ls {src,tests}/{unit,cli}",
	"cat {a,{b,c}}.txt",
	"mv src/{a,b}.c",
	"diff src/{old,new}/a.c",
	"sed -n 1,5p src/{a,b}.c",
	"git ls-files '*.py' | xargs wc -l",
	"wc -l $(git ls-files '*.c')",
	"for f in $(find . -name '*.c'); do wc -l \"$f\"; done",
	"find . -name '*.ts' | sort | xargs wc -l",
	"find . -name '*.ts' | head -5 | xargs cat",
	"find src -name '*.c' 2>/dev/null | sort -u | head -n 3 | xargs wc -l",
	"git ls-files '*.c' '*.h' | xargs grep -n foo",
	"git ls-files -z '*.c' | xargs -0 wc -l",
	"grep -rl foo --include='*.c' . | xargs wc -l",
	"grep -rl foo --include='*.py' src | xargs sed -n 1,5p",
	"rg -l foo -g '*.ts' | xargs wc -l",
	"rg --files -g '*.ts' src | head -3 | xargs cat",
	"find . -name '*.c' | grep -v test | xargs wc -l",
	"find . -name '*.c' | while read -r f; do wc -l \"$f\"; done",
	("find . -name '*.c' -print0 | while IFS= read -r -d '' f; do "
	    "grep -c foo \"$f\"; done"),
	("for f in $(git ls-files '*.c'); do n=$(wc -l < \"$f\"); echo "
	    "\"$f $n\"; done"),
	"cat \"$(find . -name '*.c' | head -1)\"",
	"find . -name '*.c' | tr '\\n' ' ' | xargs wc -l",
	"for f in $(git ls-files '*.c' | head -3); do head -2 \"$f\"; done",
	"git ls-files | head -5",
	"for f in *.c; do wc -l $f; done",
	"for f in src/*.ts; do head -5 $f; done",
	"for f in *.c; do grep -n foo $f; done",
	"P=\"src tests\"; grep -rn foo $P",
	"for f in *.json; do jq . $f; done",
	"for f in $(git ls-files '*.c'); do wc -l $f; done",
	"find . -name '*.c' | while read -r f; do wc -l $f; done",
	"F=\"a.c b.c\"; wc -l $F",
	"F=\"a.c b.c\"; for f in $F; do wc -l \"$f\"; done",
	"O=\"-n -i\"; grep $O foo a.c",
};
/* clang-format on */

static void
check(const char *const *list, size_t n, enum action least, enum action most)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < n; i++) {
		enum action a = bench_shell(&b, list[i]);

		ck_assert_msg(a >= least && a <= most, "'%s' is %s (%s: %s)",
		    list[i], action_name(a), b.j->verdict.rule,
		    b.j->verdict.why);
	}
	bench_close(&b);
}

START_TEST(denied_it_is)
{
	check(denied, ARRAY_LEN(denied), ACTION_DENY, ACTION_DENY);
}
END_TEST

START_TEST(asked_it_is)
{
	check(asked, ARRAY_LEN(asked), ACTION_DENY, ACTION_ESCALATE);
}
END_TEST

START_TEST(open_so_it_is)
{
	check(open_so, ARRAY_LEN(open_so), ACTION_OBSERVE, ACTION_ALLOW);
}
END_TEST

UNIT_MAIN("policy: loops, words, functions",
    tcase_add_test(tc, denied_it_is);
    tcase_add_test(tc, asked_it_is);
    tcase_add_test(tc, open_so_it_is);
)
