/* Arrays of the shell, and what declares variables. */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"a=($(rm -rf .sandbox))",
	"declare -a a=(1 $(rm -rf .sandbox))",
};

static const char *const asked[] = {
	/* A subscript is calculated, and so is what it names. */
	"x='a[$(id)]'; a=([x]=1)",
	"x='a[$(id)]'; a=([$x]=1)",
	"x='a[$(id)]'; a+=([x]=1)",
	"x='a[$(id)]'; a=([x ]=1)",
	"x='a[$(id)]'; a=([ x]=1)",
	"x='a[$(id)]'; a=([\"x\"]=1)",
	"x='a[$(id)]'; a=([x]+=1)",
	"x='a[$(id)]'; declare -a a=([x]=1)",
	"a=(['b[$(id)]']=1)",
	"read x < f; a=([x]=1)",
	"mapfile -t a < f; b=([${a[0]}]=1)",
	/* A name in a comparison is one, and the shell sets some itself. */
	"read y < f; [[ y -eq 1 ]]",
	"y='a[$(id)]'; [[ 1 -eq y ]]",
	"x=abc; [[ x -lt 1 ]]",
	"read < f; echo $((REPLY))",
	"read < f; [[ $REPLY -eq 1 ]]",
	"read < f; x=$REPLY; echo $((x))",
	"mapfile < f; echo $((MAPFILE))",
	"set -- -n 'a[$(id)]'; getopts n: o; echo $((OPTARG))",
	"[[ 'a[$(id)]' =~ .* ]]; echo $((BASH_REMATCH))",
	": 'a[$(id)]'; echo $((_))",
	"[[ $(cat f) -eq 1 ]]",
	/* `x -o -v a[$(id)]` without quotes: a test in a test. */
	"[ $(cat f) ]",
	"[ $(cat f) -eq 1 ]",
	"read y < f; [ $y = x ]",
	"read y < f; test -n $y",
	"set -- x -o -v 'a[$(id)]'; [ $* ]",
	"set -- x -o -v 'a[$(id)]'; [ \"$@\" ]",
	"[ -f * ]",
	/* The value of an array is read as code. */
	"declare -a b='($(id))'",
	"declare -A b='([$(id)]=1)'",
	"declare -a b='(<(id))'",
	"readonly -a b='($(id))'",
	"b=(1); declare b='($(id))'",
	"b[0]=1; declare b=\"$(cat f)\"",
	"declare PIPESTATUS=\"$(cat f)\"",
	"[[ a =~ a ]]; declare BASH_REMATCH=\"$(cat f)\"",
	"f() { local -a b; local b=\"$(cat f)\"; }; f",
	"f() { b=(1); }; f; declare b=\"$(cat f)\"",
	"mapfile b < f; declare b=\"$(cat f)\"",
	"read -ra b < f; declare b=\"$(cat f)\"",
	"y='($(id))'; declare -a b=\"$y\"",
	"b=(1); declare b=$(cat f)",
	/* zsh: a subscript, PATH as a list, another file, another name. */
	"a=(1 2); read x < f; echo $a[x]",
	"x='a[$(id)]'; echo $a[$x]",
	"x='a[$(id)]'; echo \"$a[x]\"",
	"echo $a['b[$(id)]']",
	"path=(./evil $path); ls",
	"path+=(./evil); ls",
	"path=./evil; ls",
	"cdpath=(/); cd etc; touch f",
	"READNULLCMD=./evil; < f",
	"echo x >! ~/.bashrc",
	"echo x >>! ~/.bashrc",
	"rm =ls",
	"cp a.c =ls",
	"x='/etc/f b'; touch $=x",
	"x='/etc/*'; rm -f $~x",
	"x=a; touch $x:h/../f",
	"x=a; touch \"$x:h/../f\"",
	"n=$(grep -c x f g); [[ $n -gt 3 ]] && echo many",
	"touch $(date +%F)/../../x",
	"date() { echo ../x; }; touch $(date +%F)",
	/* Not split, but unknown. */
	"export X=$(ls); touch $X",
	"export X=* Y=$(ls); touch $X",
	"export PATH=$(ls)",
	"export LD_PRELOAD=$(ls)",
	"export X=$(ls) $y",
	"export $x=$(ls)",
	"command export X=$(ls)",
	"e=export; $e X=$(ls)",
	"declare -i x=$(cat f)",
	"declare -n x=$(cat f)",
	"a=(1) declare",
	"declare -a",
};

static const char *const fine[] = {
	"a=(x y)", "a=(*.c)", "a=($(ls)); echo ${#a[@]}",
	"export X=$(ls); echo $X",
	"export X=* Y=$(git rev-parse HEAD)",
	"f() { local a=$(ls) b=$1; echo \"$a\"; }; f x",
	"readonly X=$(pwd)",
	"a=(1 2); declare n=${#a[@]}; echo $n",
	"declare x=\"$(cat f)\"",
	"declare -a a=(1 2); echo \"${a[@]}\"",
	"declare -A m=()",
	"mapfile -t a < f; echo \"${a[@]}\"",
	"[ $? -eq 0 ] && echo ok", "[[ $# -lt 1 ]] && echo usage",
	"[ $n -gt 0 ]", "[[ x -eq 1 ]]", "[ -z $x ]", "[ -f *.c ]",
	"n=$(ls | wc -l); [ $n -gt 3 ]",
	"[ $(ls | wc -l) -gt 3 ]",
	"[ \"$(cat f)\" = x ]",
	"read y < f; [ -f \"$y\" ]",
	"for f in *; do [ -f \"$f\" ] && echo \"$f\"; done",
	"i=0; while [ $i -lt 5 ]; do i=$((i+1)); done",
	"while read -r a b; do [ \"$a\" = x ] && echo \"$b\"; done < f",
	"echo $a[1]",
	"grep \"$x[0-9]\" a.c",
	"echo =====",
	"mkdir -p logs/$(date +%F)",
	"d=$(date -I); touch x-$d",
	"d=$(date +%F); mkdir -p \"$d\" && touch \"$d/f\"",
	"echo x > out/$(date +%Y%m%d_%H%M%S).log",
	"cp a.c a.c.$(date +%Y%m%d-%H%M%S)",
	"n=$(grep -c x f); [[ $n -gt 3 ]] && echo many",
	"d=$(mktemp -d); cd \"$d\"; ls",
	"x=a; touch $x:head",
	"[ a = b ]",
	"while read -r l; do path=$(echo \"$l\"); echo \"$path\"; done < f",
};
/* clang-format on */

#include "tests/unit/policy_verdicts.h"

UNIT_MAIN("policy: arrays and declarations",
    tcase_add_test(tc, what_is_denied);
    tcase_add_test(tc, what_is_asked);
    tcase_add_test(tc, what_stays_open);
)
