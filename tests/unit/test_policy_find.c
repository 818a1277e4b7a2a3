/* What find finds, and what is done with it. */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

/* clang-format off */
static const char *const denied[] = {
	"find . -path './.sandbox/*' -exec cp f.txt {} \\;",
	"find . -path './.sandbox/*' -exec cat {} +",
	"find . -path '*/.sandbox/*' -name policy.json | xargs cat",
	"find . -path './.git/config' -exec sed -i 1d {} +",
	"find . -path '*/.git/*' -name config -exec sed -i 1d {} +",
	"find . -maxdepth 1 -name x -exec cp f.txt .sandbox/{} \\;",
	"find . -path '*/.sandbox/*' -name '*.c' -exec cat {} +",
	"find . -ipath './.SANDBOX/*' | xargs cat",
	"find . -path './.sandbox/*' -delete",
	"find . -name '*.c' -o -path './.sandbox/*' -print | xargs cat",
	"find . -path './.git/hooks/*' -exec touch {} +",
	"find . -name '*.md' | xargs -I{} cp {} .git/hooks/",
	"ls | xargs -I{} cp x .git/hooks/{}",
	"ls | xargs -I% touch .sandbox/%",
	"find . -name '*.c' | xargs -I{} cp {} .sandbox/{}",
	"find .sandbo -exec touch {}x/y \\;",
	"find .sandbo | xargs -I{} touch {}x/y",
	"find sandbox -maxdepth 0 -exec touch .{}/y \\;",
};

static const char *const asked[] = {
	"find . -regex '.*sandbox.*' | xargs cat",
	"find . -path './.env' -exec cat {} \\;",
	"find . -path '*.env' -exec cat {} \\;",
	"find . -path '*/.ssh/*' -exec cat {} \\;",
	"find . -regex '.*/\\.env' -exec cat {} \\;",
	"find . -iname .env | xargs cat",
	"find . -name '*.c' -o -path './.env' | xargs cat",
	"find src ~/.ssh -type f | xargs cat",
	"find . -follow -name '*.c' | xargs cat",
	"find . -type f -exec sed -i 's/a/b/' {} +",
	"find . -type f | xargs sed -i s/a/b/",
	"find . -type f -exec touch {} +",
	"find . -type f -exec chmod +x {} +",
	"find . -name config -exec sed -i 1d {} +",
	"find . -name settings.json -exec sed -i 1d {} +",
	"find . -name policy.json -exec sed -i 1d {} +",
	"find . -name pre-commit -exec sed -i 1d {} +",
	"find . -name '*env' -exec cat {} +",
	"find . -name '*env' | xargs cat",
	"find src -name '*.c' | xargs cat < list",
	"find src -name '*.c' | { xargs cat; } < list",
	"find .git/hooks -name x -execdir cp /tmp/x pre-commit \\;",
	"find . ! \\( ! -path ./.env \\) -exec cat {} +",
	"find . -name '*.c' -o -name '.env' -exec cat {} +",
	"find . \\( -name '*.c' -o -name '.env' \\) -exec cat {} +",
	"find . -wholename './.env' | xargs cat",
	"find . -name '*.c' -printf '%l\\n' | xargs cat",
	"find . -name '*' -exec sed -i 1d {} +",
	"find . -maxdepth 1 -type f -exec sed -i 1d {} +",
	"find / -name config -exec touch {} +",
	"find .. -type f -exec touch {} +",
	"find sub -name config -exec sed -i 1d {} +",
	"find . -path '*/hooks/*' -exec sed -i 1d {} +",
	"find . -path './.g*' -name config -exec sed -i 1d {} +",
	"find . -regex './.git/config' -exec sed -i 1d {} +",
	"find . -name hooks -exec cp f.txt {}/pre-commit \\;",
	"find . -type d -exec cp f.txt {}/pre-commit \\;",
	"find . -name '?env' -exec cat {} +",
	"find . -name '*.c' | xargs -a list cat",
	"find . -exec cat {} + -name '*.c' | xargs cat",
	"find . -name '*.c' -fprint x -o -name y | xargs cat",
	"find . -name '*.c' | nice xargs cat < list",
	"find . -name '*.c' , -name .env | xargs cat",
	"find . -ls | xargs cat",
	"find . -name '*.c' -o -name '*.h' | xargs rm",
	"find . -name 'opencode*' -exec touch {} +",
	"find . -delete | xargs rm -rf src",
	"find d -fprint x | xargs rm -rf src",
	"find . -path './.en[v]' -exec cat {} +",
	"find . -regextype posix-extended -regex '.*/(\\.env)' -exec cat {} +",
	"find . -regex '.*\\.\\(c\\|env\\)' -exec cat {} +",
	"find . -regex '.*\\.\\(c\\|h\\)nv' -exec cat {} +",
	"find . -regex '.*\\.c\\|.*env' -exec cat {} +",
	"find . -samefile .env -exec cat {} +",
	"find . -lname '*' -exec cat {} +",
	"find . -type l -exec cat {} +",
	"find . -name '*.c' | xargs -I{} cp {} ~/",
	"find . -name '*.c' | xargs -iX cp X ../",
	"find . -name '*.c' | xargs --replace cp {} ../",
	"find . -name '*.c' | xargs -0I{} cp {} ../",
	"find . -name '*.c' | xargs -n 1 -I{} cp {} ../",
	"find . -name '*.c' | xargs -I$x cp y .git/x",
	"find . -name '*.c' | xargs -I{} sh -c 'cat {}'",
	"echo x | xargs -I{} rm {}",
	"xargs -I{} rm src < f",
	"ls | xargs -I f cat f",
	"find env -exec cat .{} \\;",
	"find env | xargs -I{} cat .{}",
	"find .en -maxdepth 0 -exec cat {}v \\;",
	"find . -path './.e*' -exec cat {} +",
	"find . -path './?env' -exec cat {} +",
	"find . -path '.*env' -exec cat {} +",
	"find . -name '.en[v]' -exec cat {} +",
	"find . -name '[.]env' -exec cat {} +",
	"find . -name '*.env' -exec cat {} +",
	"find . -name '.*' -exec cat {} +",
	"find . -name '*v' -exec cat {} +",
	"find . -name '*n*' -exec cat {} +",
	"find . -name '*_history' -exec cat {} +",
	"find . -name 'id_*' | xargs cat",
	"find . -name '*rsa' | xargs cat",
	"find . -path '*rsa' | xargs cat",
	"find . -path '*/id_rsa' | xargs cat",
	"find . -path '*/id_*' | xargs cat",
	"find ./ -path './/.env' -exec cat {} +",
	"find $PWD -path '*/.env' -exec cat {} +",
	"find \"$PWD\" -path \"$PWD/.env\" -exec cat {} +",
	"find .. -path '*/.env' | xargs cat",
	"find . -regex './.env' -exec cat {} +",
	"find . -regex '.*/\\.e.v' -exec cat {} +",
	"find . -iregex '.*/\\.ENV' -exec cat {} +",
	"find . -true -a -path ./.env -exec cat {} +",
	"find . \\( \\( -path ./.env \\) \\) -exec cat {} +",
	("find . \\( -name '*.c' -a -true -o \\( -path ./.env \\) \\) "
	    "-exec cat {} +"),
	"find . ! -name '*.c' -path ./.env -exec cat {} +",
	"find . -not -not -path ./.env -exec cat {} +",
	"find . ! ! -name .env -exec cat {} +",
	"find . ! \\( -not -name .env \\) -exec cat {} +",
	"find . -name '*.c' -exec true \\; -o -name .env -exec cat {} \\;",
	"find . -name '*.c' -prune -o -name .env -exec cat {} \\;",
	"find . -name .env -prune -exec cat {} \\;",
	"find . -name .env -prune -print | xargs cat",
	"find . -name .env -prune | xargs cat",
	"find . -name '*.c' -print -o -name .env -print | xargs cat",
	"find . -name '*.c' -print , -name .env -print | xargs cat",
	"find . \\( -name '*.c' -o -name .env \\) -print0 | xargs -0 cat",
	"find . -name '*.c' -print -print0 -o -path '*/.e*' -print | xargs cat",
	"find .env -exec cat {} +",
	"find .env . -name '*.c' -exec cat {} +",
	"find . .env | xargs cat",
	"find . -name '*.c' -exec cat {} .env \\;",
	"find . -name '*.c' -exec sh -c 'cat .env' \\;",
	"find .ssh -name x -execdir cat id_rsa \\;",
	"find . -execdir cat .env \\;",
	"find .git/hooks -execdir touch pre-commit \\;",
	"find . -name hooks -execdir touch config \\;",
	"find . -type d -name .git -execdir touch x \\;",
	"find . -name '*.c' -ok touch .git/config \\;",
	"find . -type d -exec touch {}/config \\;",
	"find . -type d -exec touch '{}/x' \\;",
	"find . -type d | xargs -I{} touch {}/config",
	"find . -type d | xargs -I% touch %/config",
	"find . -type d -print0 | xargs -0 -I X touch X/config",
	"find . -name hooks | xargs -I{} cp x {}/pre-commit",
	"find . -name config | xargs -n1 sed -i 1d",
	"find . -name config | xargs -I{} sed -i 1d {}",
	"find . -name config | xargs -I% sed -i 1d %",
	"find . -name config | xargs -J % cp x %",
	"find . -name config | xargs --replace=R sed -i 1d R",
	"find . -name config | xargs -i sed -i 1d {}",
	"find . -name config -print0 | xargs -0 -P4 touch",
	"find . -name config | xargs touch --",
	"find . -name config | sort | xargs touch",
	"find . -name config | tee out | xargs touch",
	"find . -name config | head -1 | xargs touch",
	"find . -name config | while read -r f; do touch \"$f\"; done",
	"for f in $(find . -name config); do touch \"$f\"; done",
	"touch $(find . -name config)",
	"find . -name '*.md' | xargs -I{} cp {} .git/hooks/",
	"find . -name '*.sh' -exec {} \\;",
	"find ~ -name '*.c' | xargs cat",
	"find / -name '*.h' -exec touch {} +",
	"find . -name 'sett*' -exec touch {} +",
	"find . -name '*.json' -exec touch {} +",
	"find . -name '*.toml' -exec touch {} +",
	"find . -name '*.sh' -exec chmod +x {} +",
	"find . -name '*rc' -exec touch {} +",
	"find . -name '.*rc' -exec touch {} +",
	"find . -name '*' -exec touch {} +",
	"find . -mindepth 2 -name '*.conf' -exec touch {} +",
	"find sub .  -type f -exec touch {} +",
	"find sub/.. -type f -exec touch {} +",
	"find ./. -type f -exec touch {} +",
	"find \"$(pwd)\" -type f -exec touch {} +",
	"find src/* -name config -exec touch {} +",
	"find * -name config -exec touch {} +",
	"find * -type f -exec touch {} +",
	"find */ -type f -exec touch {} +",
	"find . -path './sr*' -exec touch {} +",
	"find . -path '*' -exec touch {} +",
	"find . -path '*/*' -exec touch {} +",
	"find . -path './*/config' -exec touch {} +",
	"find . -path './*' -name config -exec touch {} +",
	"find . -path './*' -name '*' -exec touch {} +",
	"find . -path './src/../*' -exec touch {} +",
	"find . -regex '.*' -exec touch {} +",
	"find . -regex '\\./\\.git/config' -exec touch {} +",
	"find . -regex '.*/config' -exec touch {} +",
	"find src -regex '.*/config' -exec touch {} +",
	"find . -path '*onfig' -exec touch {} +",
};

static const char *const open_so[] = {
	"find . -name '*.c' -exec grep foo {} +",
	"find . -name '*.c' -exec grep -n foo {} \\;",
	"find . -type f -exec wc -l {} +",
	"find . -name '*.c' -o -name '*.h' | xargs wc -l",
	"find . \\( -name '*.ts' -o -name '*.tsx' \\) -exec grep -l foo {} +",
	"find . -name '*.py' -not -path './venv/*' -exec grep -l foo {} +",
	"find . -not -path './node_modules/*' -name '*.ts' | xargs grep foo",
	("find . -path ./node_modules -prune -o -name '*.ts' -print | "
	    "xargs grep -n foo"),
	("find . \\( -path ./node_modules -o -path ./.git \\) -prune -o "
	    "-name '*.ts' -exec grep -l foo {} +"),
	"find . -path '*/src/*' -name '*.c' -exec grep -n foo {} +",
	"find . -path './src/*.c' -exec grep -n foo {} +",
	"find . -path './src/*' -exec grep -n foo {} +",
	"find . -path '*test*' -name '*.py' -exec grep -l foo {} +",
	"find . -type f -name '*.js' -exec sed -i s/a/b/ {} +",
	"find src -type f -exec sed -i s/a/b/ {} +",
	"find . -name '*.md' -print0 | xargs -0 sed -i s/a/b/",
	"find src tests -name '*.c' | xargs wc -l",
	("find . -name package.json -not -path '*/node_modules/*' -exec "
	    "grep version {} +"),
	"find . -name package.json | xargs grep version",
	"find . -name '*.yml' -exec sed -i s/a/b/ {} +",
	"find . -iname '*.md' -exec head -1 {} \\;",
	"find . -iname '*.md' | xargs head -1",
	"find . -name '*.c' -execdir grep -n foo {} +",
	"find . -regex '.*\\.py' -exec wc -l {} +",
	"find . -type f | xargs grep foo",
	"find . -not \\( -path ./a -prune \\) -name '*.py' -exec grep x {} +",
	"find . -name '*.json' -exec cat {} +",
	"find . -type f -newer Makefile -exec ls -la {} +",
	"find . -type l -exec ls -la {} \\;",
	"find . -regex '.*\\.\\(c\\|h\\)' -exec wc -l {} +",
	("find . -regextype posix-extended -regex '.*\\.(ts|tsx)$' | "
	    "xargs wc -l"),
	"find . -name '*.c' | xargs -I{} grep -n foo {}",
	"find . -name '*.c' | xargs -I % wc -l %",
	"find . -name '*.c' | xargs -n1 -P4 wc -l",
	"find . -name '*.md' | xargs -I{} cp {} {}.bak",
	"find . -name '*.c' -print0 | xargs -0 -n 10 grep -l foo",
	"find src -name '*.c' -exec cp {} {}.bak \\;",
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

UNIT_MAIN("policy: what find finds",
    tcase_add_test(tc, denied_it_is);
    tcase_add_test(tc, asked_it_is);
    tcase_add_test(tc, open_so_it_is);
)
