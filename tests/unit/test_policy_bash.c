/*
 * The reader against the real bash: for generated lines whose commands are
 * plain and whose words are constants, bash must see exactly our words.
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

#define LINES	30000

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

static unsigned long state = 20261129;

static unsigned
random_below(unsigned n)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % n;
}

static void
make_line(struct str *line)
{
	unsigned n = 1 + random_below(9);

	str_reset(line);
	str_add(line, "p ");
	while (n-- > 0)
		str_add(line, bits[random_below((unsigned)ARRAY_LEN(bits))]);
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

/* Every line, ended by NUL, through one bash; what it printed. */
static void
run_bash(const struct str *lines, struct str *ret)
{
	static const char script[] =
	    "p() { printf '%s\\2' \"$#\" \"$@\"; }\n"
	    "while IFS= read -r -d '' line; do\n"
	    "eval \"$line\" </dev/null 2>/dev/null; printf '\\3'\n"
	    "done\n";
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
	ck_assert_int_eq(io_read_all(out[0], (size_t)64 << 20, ret, NULL), 0);
	close(out[0]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

START_TEST(words_are_those_of_bash)
{
	struct str line, lines, want, got;
	struct arena arena;
	size_t plain = 0;
	const char *l, *w, *g;

	str_init(&line, 4096);
	str_init(&lines, (size_t)16 << 20);
	str_init(&want, (size_t)64 << 20);
	str_init(&got, (size_t)64 << 20);
	arena_init(&arena, (size_t)1 << 20);
	for (int i = 0; i < LINES; i++) {
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
	ck_assert_uint_gt(plain, LINES / 20);
	run_bash(&lines, &got);
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

UNIT_MAIN("policy/shell against bash",
    tcase_add_test(tc, words_are_those_of_bash);
)
