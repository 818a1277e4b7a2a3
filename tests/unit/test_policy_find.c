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
