/* What names of files become: as words, behind xargs, behind -t. */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"cp -t.git/hooks pre-commit",
	"mv -t.git/hooks pre-commit",
	"ln -st.git/hooks x",
	"cp -at.sandbox policy.json",
	"cp a -t.git/hooks",
	"cp -t .git/hooks -t src a",
	"cp -t.git/hooks --target-directory=src a",
	"cp --target-directory .git/hooks -tsrc a",
	"install -tdist/../.git/hooks pre-commit",
	"install -t.sandbox policy.json",
	"install -m 755 -t .git/hooks a",
	"install -gdaemon a .git/hooks/pre-commit",
	"cp -S -t a .git/hooks",
	"cp -S-t a .git/hooks",
	"cp ?t.sandbox dst",
	"cp *.sandbox policy.json dst",
};

static const char *const asked[] = {
	/* --exclude in front: grep lists what fits neither */
	"grep -rl . --exclude='*.o' --include='*.c' . | xargs sed -i s/a/b/",
	"grep -rl . --exclude='*.o' --include='*.c' . | xargs cat",
	"rg .env --files -g '*.c' | xargs cat",
	"rg Makefile --files -g '*.c' | xargs cat",
	/* globs in whose directories a `*` stands, or from elsewhere */
	"git ls-files -o '*claude/hooks/*.py' | xargs sed -i s/x/y/ --",
	"git ls-files '*/hooks/*.py' | xargs sed -i s/x/y/ --",
	"rg -l . -g '*claude/hooks/*.py' .claude | xargs sed -i s/x/y/",
	"rg -l . -g 'src/*.c' src | xargs cat",
	/* names without ./ in front */
	"rg --files -g '*.c' | xargs -d '\\n' sed -n p",
	"rg -l x -g '*.c' | xargs sed -i s/a/b/",
	"grep -rl x --include='*.c' | xargs sed -i s/a/b/",
	/* rg reads a file that is named */
	"rg -l . -g '*.c' .vscode/tasks.json | xargs sed -i s/a/b/",
	"rg -l . -g '*.c' .env | while read -r f; do cat \"$f\"; done",
	"cat $(rg -l . -g '*.c' .env)",
	"rg -l . -g '*.c' .mcp.json | xargs sed -i s/a/b/",
	"rg -l . -g '*.c' Makefile | while read -r f; do cat \"$f\"; done",
	/* -I and what cancels it */
	"find . -type f | xargs -I ZZ -L 2 rm -f",
	"find . -type f | xargs -I ZZ -n 1 rm -f",
	"find . -type f | xargs -IZZ -rl rm -f",
	"find . -type f | xargs -i -l rm -f",
	"find . -type f | xargs --replace=ZZ --max-args=2 rm -f",
	"find . -type f | xargs --replace=ZZ --max-args 2 rm -f",
	"find env -maxdepth 0 | xargs -l -IQ cat .Q",
	"find env -maxdepth 0 | xargs -e -IQ cat .Q",
	"find . -type f | xargs --arg-file -IQ rm -f",
	"find . -type f | xargs --max-lines tee cat",
	/* without quotes */
	"for f in a*/*/*.txt; do sort $f; done",
	"for f in a*.txt; do sort -k 1 $f; done",
	"for f in a*.txt; do sort -o$f a; done",
	"for f in a*.txt; do sort -k $f a; done",
	"for f in a*.txt; do xargs -a $f; done",
	"for f in a*.txt; do sed -n p $f; done",
	"for f in a*.txt; do find $f -name x; done",
	"for f in a*.txt; do find . -name $f; done",
	"for f in a*.txt; do git diff $f; done",
	"for f in a*.txt; do git log -- $f; done",
	"for f in a*.txt; do git show $f; done",
	"for f in a*.txt; do rg x $f; done",
	"for f in a*.txt; do fd x $f; done",
	"for f in a*.txt; do awk 1 $f; done",
	"for f in a*.txt; do iconv $f; done",
	"for f in a*.txt; do tree $f; done",
	"for f in a*.txt; do man $f; done",
	"for f in a*.db; do sqlite3 $f 'select 1'; done",
	"for f in a*.txt; do uniq $f; done",
	"for f in a*.txt; do xxd $f; done",
	"for f in a*.txt; do [ -f $f ]; done",
	"for f in a*.txt; do printf $f; done",
	"for f in a*.txt; do timeout $f cat x; done",
	"for f in a*.txt; do timeout 5 sort $f; done",
	"for f in a*.txt; do install $f b; done",
	/* a d behind a letter with a value */
	"install -td .env",
	"install -gdaemon .env pub",
	"install -odd .env pub",
	"mv -t/root x",
	"cp -t/root x",
	/* a file named -t.sandbox */
	"cp * dst",
	"mv * dst",
	"ln -s * dst",
	"install * dst",
	"cp ?t* dst",
	"cp [-]t.s* dst",
	"cp */hooks dst",
	"cp -t*/hooks a",
	"cp -t?git/hooks a",
	"cp --target-directory=?git/hooks a",
	/* guarded at any depth */
	"find . -name tasks.json -exec sed -i s/a/b/ {} +",
	"find . -name launch.json -exec sed -i s/a/b/ {} +",
	"find . -name extensions.json | xargs sed -i s/a/b/",
	"find . -name devcontainer.json -exec sed -i s/a/b/ {} +",
	"find . -name workspace.xml -exec sed -i s/a/b/ {} +",
	("find . -regextype posix-extended -regex '.*\\.(env.c|c)' -exec cat "
	    "{} +"),
	("find . -regextype posix-extended -regex '.*\\.(c|env.c)' -exec cat "
	    "{} +"),
	("find . -regextype posix-extended -regex '.*\\.(.*/x.c|c)' -exec cat "
	    "{} +"),
};

static const char *const fine[] = {
	("grep -rl x --include='*.c' --exclude='a*' . | xargs sed -i "
	    "s/a/b/"),
	"grep -rl x --exclude-dir=x --include='*.c' . | xargs wc -l",
	"grep -rl x --include='*.c' | xargs wc -l",
	"git ls-files 'src/*.py' | xargs sed -i s/x/y/ --",
	"rg -l x -g '*.c' | xargs wc -l",
	"rg -l x -g '**/*.c' . | xargs sed -i s/a/b/",
	"rg -l x -g '*.c' src/ | xargs sed -i s/a/b/",
	"rg -l x -g '*.c' src | xargs sed -n 1p",
	"find . -name '*.c' | xargs -n1 -I{} grep x {}",
	"find . -name '*.c' | xargs -P4 -I{} cp {} {}.bak",
	"find . -name '*.c' -print0 | xargs -0 -I{} rm -f a.c",
	"find . -name '*.c' -print0 | xargs -0r -P 4 -I{} rm -f a.c",
	"for f in a*.txt; do cat $f; done",
	"for f in a*.txt; do head -3 $f; wc -l $f; done",
	"for f in a*.txt; do echo $f; done",
	"for f in a*.txt; do printf '%s\\n' $f; done",
	"for f in a*.txt; do timeout 5 cat $f; done",
	"for f in a*.txt; do sort \"$f\"; done",
	"for d in a*/; do cd $d; done",
	"cp -tsrc a.c",
	"cp -S .bak -t src a.c",
	"install -d out/lib",
	"install -Dm644 a out/a",
	"install -pd out/lib",
	"mv *.md docs/",
	"cp ./* dst",
	"cp -- * dst",
	"cp *.c src/",
	"find . -regex '.*\\.\\(c\\|h\\|cpp\\)$' -exec wc -l {} +",
	"find src -name tasks.py -exec sed -i s/a/b/ {} +",
	"ls src/{a?,b}.c src/{1..3}*.c",
};
/* clang-format on */

#include "tests/unit/policy_verdicts.h"

UNIT_MAIN("policy: what names become",
    tcase_add_test(tc, what_is_denied);
    tcase_add_test(tc, what_is_asked);
    tcase_add_test(tc, what_stays_open);
)
