/* Queries, what $(...) prints, and the budgets of a judgement. */
#include "common/mem.h"
#include "common/str.h"
#include "policy/little.h"
#include "tests/unit/policy_unit.h"

START_TEST(queries)
{
	static const char *const looks[] = {
		"select 1", "  SELECT count(*) FROM t;", "select 1; select 2;",
		"with a as (select 1) select * from a", "explain select 1",
		"values (1)", "select 'drop table x' -- delete\n",
		"select \"insert\", [update], `alter` /* vacuum */ from t",
		"select replace(a, 'x', 'y') from t", ".schema", ".tables t%",
		".indexes", "pragma table_info(t)", "PRAGMA table_info(t);",
		"select case when a='' then 1 else 0 end from t", "",
	};
	static const char *const acts[] = {
		"drop table t", "select 1; drop table t", "delete from t",
		"with a as (select 1) delete from t", "insert into t values(1)",
		"replace into t values (1)", "update t set a=1", "vacuum into 'x'",
		"attach 'x' as y", "select load_extension('x')",
		"select writefile('a','b')", "select readfile('/etc/shadow')",
		"pragma writable_schema=1", "pragma table_info(t); drop table t",
		"pragma journal_mode", ".shell id", ".output x", ".read x",
		".tables\n.shell id", ".schema | sh", "select 'open",
		"select /* open", "explain drop table t", "begin; select 1",
		"select 1 where x = (delete)",
	};
	auto_free char *text = xcalloc(1, 20000);

	for (size_t i = 0; i < ARRAY_LEN(looks); i++)
		ck_assert_msg(sql_safe(looks[i]), "%s", looks[i]);
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		ck_assert_msg(!sql_safe(acts[i]), "%s", acts[i]);
	memset(text, ' ', 19999);
	ck_assert(!sql_safe(text));
}
END_TEST

/* What ends [...] in one expression begins a command behind it. */
START_TEST(sed_programs)
{
	static const char *const looks[] = {
		"s/[[:alpha:]]/x/g", "s/[^[:space:]a]*//;p", "s/[]x]/y/",
		"/[[:digit:]]$/p", "s,[[.a.]],b,", "s/[[=a=]]/b/",
	};
	static const char *const acts[] = {
		"s/[[:alpha:]/A/;s|]/echo x/e;#|y|",
		"s/[[.a.]/A/;s|]/echo x/e;#|y|", "s/[[=a=]/A/;s|]/x/w f;#|y|",
		"/[[:alpha:]/p;s|]/w f|y|", "s/[[:a/]:]/x/", "s:[[:alpha:]]:x:e",
		"s/[]/]/x/", "s/[^]/]/x/", "s/[[:alpha/x/",
	};

	for (size_t i = 0; i < ARRAY_LEN(looks); i++)
		ck_assert_msg(sed_safe(looks[i]), "%s", looks[i]);
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		ck_assert_msg(!sed_safe(acts[i]), "%s", acts[i]);
}
END_TEST

/* Where the awks do not agree, what one of them would run must not hide. */
START_TEST(awk_programs)
{
	static const char *const looks[] = {
		"{s+=$1} END {print s/NR}", "{print $1/1024/1024}", "/a/,/b/",
		"{print (a)/b}", "$2 ~ /x/ || !/y/ {print}", "{x /= 2} 1",
		"{print a[1]/2; print \"/\"}", "{if (/x/) print 5./2}",
		"function f(a) { return /x/ } {print f(1)/2}",
		"{print 1\n} $1 > 2", "{print $1,\n$2; print\nx > 3}",
		"{print n++\nif (n > 3) print}", "{print (1)\n} 2 > 1",
		"{n = x ? /a/ : b/c}", "/[[]/ {print}", "/[]x]/", "{i++} END {print i}",
	};
	static const char *const acts[] = {
		/* Each hides system() from who takes a / for the other thing. */
		"BEGIN{ a[/\"/]; system(\"id\"); b[/\"/] }",
		"BEGIN{ x = 1 / /\"/; system(\"id\"); y = 1 / /\"/ }",
		"BEGIN{ x = 2 ^ /\"/; system(\"id\"); y = 2 ^ /\"/ }",
		"BEGIN{ $/\"/; system(\"id\"); $/\"/ }",
		"BEGIN{ if (1) /\"/; system(\"id\"); if (1) /\"/ }",
		"BEGIN{ while (i++) /\"/; system(\"id\"); x = /\"/ }",
		"BEGIN{ x++ /1; system(\"id\"); y = 2/1 }",
		"BEGIN{ x-- /1; system(\"id\"); y = 2/1 }",
		"BEGIN{ x = 5./2; system(\"id\"); y = 1/2 }",
		"BEGIN{ x ~ /[/\"]/; system(\"id\"); y ~ /[/\"]/ }",
		"BEGIN{ x ~ /[]/\"]/; system(\"id\"); y ~ /[]/\"]/ }",
		"BEGIN{ x ~ /[^]/\"]/; system(\"id\"); y ~ /[^]/\"]/ }",
		"BEGIN{ x ~ /[[:a:]/\"]/; system(\"id\"); y ~ /[[:a:]/\"]/ }",
		"BEGIN{ length /\"/; system(\"id\"); length /\"/ }",
		"BEGIN{ print > \"f\" }", "{print | \"sh\"}", "{\"id\" | getline}",
		"{print (1) > \"f\"}",
		"BEGIN{print \"evil\",\n\"\" > \".git/hooks/pc2\"}",
		"BEGIN{print 1 && # x\n\n2 > \"f\"}", "{print 1 ||\n2 > \"f\"}",
		"{print a ?\nb > \"f\" : c}", "{print a ? b :\nc > \"f\"}",
		"{print (1,\n2) > \"f\"}", "{print (1\n) > \"f\"}",
		"{print 1 +\n2 > \"f\"}", "{print a,\n(b) > \"f\"}",
		"BEGIN{ switch (1) { case /\"/: system(\"id\"); case /\"/: } }",
	};

	for (size_t i = 0; i < ARRAY_LEN(looks); i++)
		ck_assert_msg(awk_safe(looks[i]), "%s", looks[i]);
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		ck_assert_msg(!awk_safe(acts[i]), "%s", acts[i]);
}
END_TEST

/* A hash or a count is no option; what else a command prints may be one. */
START_TEST(outputs)
{
	static const char *const known[] = {
		"for c in $(git log --format=%h -n 6 --grep=x -- src); do "
		    "git show $c:README.md; done",
		"git show $(git rev-parse HEAD)", "head -n $(nproc) f",
		"n=$(grep -c x f); head -n $n f", "n=$(wc -l < f); head -n $n f",
		"d=$(go list -m -f '{{.Dir}}' example.org/x); "
		    "sed -n 1p \"$d\"/a.go",
		"cat \"$(git rev-parse --show-toplevel)\"/README.md",
		"x=$(echo a); cat $x", "git show $(git merge-base main HEAD)",
		"git log -1 --format=%h $(git log --format=%H -1)",
	};
	static const char *const open[] = {
		"git show $(git log --format=%h --format=%s)",
		"git show $(git log --format=%h -p)",
		"find \"$(git rev-parse --show-toplevel -delete)\"",
		"find $(git rev-parse HEAD $X)", "find $(cat f)",
		"find $(git rev-parse --show-prefix)",
		"d=$(go list -m -f '{{.Dir}}' a b); sed -n 1p \"$d\"/a.go",
		"d=$(go list -m -f '{{.Dir}}' -x); sed -n 1p \"$d\"/a.go",
		"nproc() { echo -delete; }; find $(nproc)",
		"find $(nproc; echo -delete)", "find $(X=1 nproc)",
		"cat \"$(git rev-parse --show-toplevel)\"/.env",
		"cat \"$(git rev-parse --show-toplevel)\"/x.json",
		"sed -n 1p $(echo -i)", "find $(echo 'a -delete')",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		enum action a = bench_shell(&b, known[i]);

		ck_assert_msg(a >= ACTION_OBSERVE, "%s: %s", known[i],
		    b.j->verdict.why);
	}
	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		ck_action(&b, open[i], ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

static const char *
many(struct str *s, const char *head, const char *unit, int n,
    const char *tail)
{
	str_reset(s);
	str_add(s, head);
	while (n-- > 0)
		str_add(s, unit);
	str_add(s, tail);
	return s->s;
}

#define SIXTEEN	"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"

/* Each budget ends in a question, whatever it is that there is too much of. */
START_TEST(budgets)
{
	struct bench b;
	struct str s;

	str_init(&s, 1 << 17);
	bench_open(&b, "{\"version\":1}");
	ck_action(&b, many(&s, "", ":;", 3000, ""), ACTION_ESCALATE);
	ck_assert(b.j->effects_cut);
	ck_action(&b, many(&s, "", ":;", 1000, ""), ACTION_ALLOW);
	ck_action(&b, many(&s, "echo", " x", 5000, ""), ACTION_ESCALATE);
	ck_action(&b, many(&s, "echo", " x", 3000, ""), ACTION_ALLOW);
	ck_action(&b, many(&s, "cat", " x", 600, ""), ACTION_ESCALATE);
	ck_action(&b, many(&s, "", "x ", 30000, ""), ACTION_ESCALATE);
	ck_action(&b, many(&s, "for i in " SIXTEEN "; do for j in " SIXTEEN
	    "; do echo ", "$i", 500, "; done; done"), ACTION_ESCALATE);
	ck_assert(b.j->effects_cut);
	/* texts in texts: eight levels are read */
	ck_action(&b, many(&s, "", "eval ", 5, "ls"), ACTION_ALLOW);
	ck_action(&b, many(&s, "", "eval ", 12, "ls"), ACTION_ESCALATE);
	str_clear(&s);
	bench_close(&b);
}
END_TEST

START_TEST(assignments)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_action(&b, "while IFS= read -r l; do echo \"$l\"; done < f",
	    ACTION_ALLOW);
	ck_action(&b, "IFS=: read -r a b < f", ACTION_ALLOW);
	ck_action(&b, "IFS=: ls", ACTION_ESCALATE);
	ck_action(&b, "IFS=:; ls", ACTION_ESCALATE);
	ck_action(&b, "PATH=x read a", ACTION_ESCALATE);
	ck_action(&b, "PYTHONPATH=src ls", ACTION_ESCALATE);
	ck_assert_str_eq(b.j->verdict.rule, "project_code");
	ck_action(&b, "GIT_DIR=x ls", ACTION_ESCALATE);
	ck_assert_str_eq(b.j->verdict.rule, "unknown_command");
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy: small languages and budgets",
    tcase_add_test(tc, queries);
    tcase_add_test(tc, sed_programs);
    tcase_add_test(tc, awk_programs);
    tcase_add_test(tc, outputs);
    tcase_add_test(tc, budgets);
    tcase_add_test(tc, assignments);
)
