/*
 * The reader against the real bash, for generated lines and small changes of
 * them: where commands are plain and words constants, bash must see exactly
 * our words; and what is read at all, bash must accept.
 *
 * BASH_LINES in the environment is how many (default 30,000), BASH_SEED where
 * they begin.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"
#include "policy/shell/shell.h"
#include "tests/unit/unit.h"


static const char *const bits[] = {
	"a", "b", "c-d", "--x=y", "'b c'", "\"d e\"", "\\ ", "\\n", "\\\\",
	"$'x\\ty'", "$'\\x41\\102'", "$'a\\'b'", "$'\\q'", "$\"q r\"", "#c",
	" #c d", ";p ", " ; p ", " && p ", "\np ", "\n\np ", "\\\n", "''",
	"\"\"", "\"\\$x\"", "\"\\a\"", "\"a\\\nb\"", "\"#\"", "'#'", "{}",
	"{a,b}", "{a}", "{", "}", "{a\\,b}", "~", "~/x", "a=~/b", "\\~", "*",
	"[a]", "[", "]", "?", "\\*", "!", "2>&1", ">/dev/null", " 2>/dev/null ",
	"a=b", "a+=b", "$", "$ ", "\"$\"", "'\\'", "\"'\"", "'\"'", "\t", "  ",
	" ", " ", " ", " ", "|p ", "||p ", "&p ", "$x", "${x}", "$(p q)",
	"`p q`", "(", ")", "<", "<<<x", "<<E\nz\nE\np ", "time", "if", "then",
	"fi", "[[", "]]", "((", "\xc3\xa9", "\xe2\x80\x94", "1", "22", ",", "..",
	"{1..3}", "=", "%", "@", "^", ":", "+", "-", "\\\"", "\\'", "\\$",
	"\\`", "\\#", "\\;", "\\&", "\\|", "\\<", "\\(", "#", "a#b", "$'",
};

static unsigned long state;

static unsigned long
number(const char *name, unsigned long usual)
{
	const char *text = getenv(name);

	return text == NULL ? usual : strtoul(text, NULL, 10);
}

static unsigned
random_below(unsigned n)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % n;
}

/* A byte less, twice, another, or one more. */
static void
change(struct str *line)
{
	static const char marks[] = "'\"\\$`;&|<>(){}[]#~*?! \n\ta=-,:";
	unsigned at = 2 + random_below((unsigned)line->len - 1);
	char mark = marks[random_below(sizeof(marks) - 1)];
	char *copy = xstrdup(line->s);
	size_t len = line->len;

	str_reset(line);
	str_addn(line, copy, at < len ? at : len);
	if (random_below(2) == 0)
		str_addc(line, mark);
	if (at < len && random_below(3) == 0)
		str_addc(line, copy[at]);
	if (at < len)
		str_add(line, copy + at + random_below(2));
	free(copy);
}

static void
make_line(struct str *line)
{
	unsigned n = 1 + random_below(9);

	str_reset(line);
	str_add(line, "p ");
	while (n-- > 0)
		str_add(line, bits[random_below((unsigned)ARRAY_LEN(bits))]);
	for (n = random_below(4); n > 1; n--)
		change(line);
}

/* Our words as p() prints them; false when the line is not plain. */
static bool
plain_words(const struct sh_node *n, struct str *ret)
{
	size_t argc = 0;

	if (n->kind == SH_LIST || n->kind == SH_AND_OR) {
		for (const struct sh_node *k = n->kids; k; k = k->next)
			if (k->async || k->op == '|' || !plain_words(k, ret))
				return false;
		return true;
	}
	if (n->kind != SH_SIMPLE || n->assigns != NULL || n->words == NULL ||
	    !str_eq(n->words->text, "p"))
		return false;
	for (const struct sh_redir *r = n->redirs; r != NULL; r = r->next)
		if (!str_eq(r->word->text, r->kind == SH_DUP_OUT ? "1" :
		    "/dev/null") || r->fd != 2)
			return false;
	for (const struct sh_word *w = n->words->next; w; w = w->next, argc++)
		if (w->text == NULL)
			return false;
	str_addf(ret, "%zu%c", argc, 2);
	for (const struct sh_word *w = n->words->next; w; w = w->next)
		str_addf(ret, "%s%c", w->text, 2);
	return true;
}

static const char words_script[] =
    "p() { printf '%s\\2' \"$#\" \"$@\"; }\n"
    "while LC_ALL=C IFS= read -r -d '' line; do\n"
    "eval \"$line\" </dev/null 2>/dev/null; printf '\\3'\n"
    "done\n";
/* Read whole, and never run. */
static const char syntax_script[] =
    "while LC_ALL=C IFS= read -r -d '' line; do\n"
    "if eval 'if false; then :\n'\"$line\"'\nfi' 2>/dev/null; then\n"
    "printf y; else printf n; fi\n"
    "done\n";

/* Every line, ended by NUL, through one bash; what it printed. */
static void
run_bash(const char *script, const struct str *lines, struct str *ret)
{
	char name[] = "/tmp/policy_bash.XXXXXX";
	int in = mkstemp(name), out[2], status;
	pid_t pid;

	ck_assert_int_ne(in, -1);
	unlink(name);
	ck_assert_int_eq(io_write_all(in, lines->s, lines->len, NULL), 0);
	lseek(in, 0, SEEK_SET);
	ck_assert_int_eq(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		dup2(in, 0);
		dup2(out[1], 1);
		close(out[0]);
		if (chdir("/proc/self/fdinfo") == -1)	/* nothing to write */
			_exit(127);
		execlp("bash", "bash", "--norc", "-c", script, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	close(in);
	ck_assert_int_eq(io_read_all(out[0], (size_t)256 << 20, ret, NULL), 0);
	close(out[0]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

START_TEST(words_are_those_of_bash)
{
	struct str line, lines, want, got;
	struct arena arena;
	unsigned long count = number("BASH_LINES", 30000);
	size_t plain = 0;
	const char *l, *w, *g;

	state = number("BASH_SEED", 20261129);

	str_init(&line, 4096);
	str_init(&lines, (size_t)256 << 20);
	str_init(&want, (size_t)256 << 20);
	str_init(&got, (size_t)256 << 20);
	arena_init(&arena, (size_t)1 << 20);
	for (unsigned long i = 0; i < count; i++) {
		struct sh_tree tree;
		size_t before = want.len;

		make_line(&line);
		arena_reset(&arena);
		shell_read(&arena, line.s, line.len, &tree);
		if (tree.fail != NULL)
			continue;
		if (!plain_words(tree.root, &want)) {
			want.len = before;
			continue;
		}
		str_addc(&want, 3);
		str_addn(&lines, line.s, line.len + 1);
		plain++;
	}
	ck_assert_uint_gt(plain, count / 20);
	run_bash(words_script, &lines, &got);
	/* Line by line, so that a difference shows its line. */
	for (l = lines.s, w = want.s, g = got.s; plain > 0; plain--) {
		size_t n = strcspn(w, "\3"), m = strcspn(g, "\3");

		ck_assert_msg(n == m && memcmp(w, g, n) == 0,
		    "bash reads '%s' as '%.*s', we as '%.*s'", l, (int)m, g,
		    (int)n, w);
		w += n + 1;
		g += m + 1;
		l += strlen(l) + 1;
	}
	arena_clear(&arena);
	str_clear(&line);
	str_clear(&lines);
	str_clear(&want);
	str_clear(&got);
}
END_TEST

START_TEST(what_is_read_bash_accepts)
{
	struct str line, lines, got;
	struct arena arena;
	unsigned long count = number("BASH_LINES", 30000);
	size_t n = 0;
	const char *l;

	state = number("BASH_SEED", 20261129) + 1;
	str_init(&line, 4096);
	str_init(&lines, (size_t)256 << 20);
	str_init(&got, (size_t)256 << 20);
	arena_init(&arena, (size_t)1 << 20);
	for (unsigned long i = 0; i < count; i++) {
		struct sh_tree tree;

		make_line(&line);
		arena_reset(&arena);
		shell_read(&arena, line.s, line.len, &tree);
		if (tree.fail == NULL) {
			str_addn(&lines, line.s, line.len + 1);
			n++;
		}
	}
	run_bash(syntax_script, &lines, &got);
	ck_assert_uint_eq(got.len, n);
	l = lines.s;
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(got.s[i] == 'y', "bash refuses '%s'", l);
		l += strlen(l) + 1;
	}
	arena_clear(&arena);
	str_clear(&line);
	str_clear(&lines);
	str_clear(&got);
}
END_TEST

UNIT_MAIN("policy/shell against bash",
    tcase_add_test(tc, words_are_those_of_bash);
    tcase_add_test(tc, what_is_read_bash_accepts);
    tcase_set_timeout(tc, 3600);
)
