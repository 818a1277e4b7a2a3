/* common/cmd: options anywhere, complaints in words, help from the table. */
#include "common/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static bool json, all;
static const char *text, *dir;
static int wait_s;

static const struct opt opts[] = {
	{ "json", 'j', OPT_FLAG, NULL, "print JSON", &json },
	{ "all", 0, OPT_FLAG, NULL, "closed ones too", &all },
	{ "message", 'm', OPT_TEXT, "TEXT", "why not", &text },
	{ NULL, 'C', OPT_TEXT, "DIR", "as if started there", &dir },
	{ "wait", 'w', OPT_COUNT, "SECONDS", "wait for one", &wait_s },
};

#define MAX_ARGS	12

/* A command line in one string; returns what opt_parse did, operands in out. */
static int
parse(const char *line, struct err *e, char *out, size_t size)
{
	static char copy[256];
	char *argv[MAX_ARGS] = { NULL }, *next = copy, *word;
	int argc = 0, r;

	json = all = false;
	text = dir = NULL;
	wait_s = -1;
	snprintf(copy, sizeof copy, "%s", line);
	while ((word = strsep(&next, " ")) != NULL)
		argv[argc++] = word;
	r = opt_parse(opts, ARRAY_LEN(opts), &argc, argv, e);
	out[0] = '\0';
	if (r != 0)
		return r;
	ck_assert_ptr_null(argv[argc]);
	for (int i = 0; i < argc; i++) {
		size_t n = strlen(out);

		snprintf(out + n, size - n, "%s%s", i == 0 ? "" : " ",
		    argv[i]);
	}
	return 0;
}

START_TEST(options_stand_anywhere)
{
	struct err e;
	char rest[256];

	ck_assert_int_eq(parse("cmd a --json b -m text -C d c --wait=7", &e,
	    rest, sizeof rest), 0);
	ck_assert_str_eq(rest, "a b c");
	ck_assert(json && !all);
	ck_assert_str_eq(text, "text");
	ck_assert_str_eq(dir, "d");
	ck_assert_int_eq(wait_s, 7);
}
END_TEST

static const struct {
	const char	*line, *rest, *text;
	int		 wait_s;
	bool		 json;
} good[] = {
	{ "cmd", "", NULL, -1, false },
	{ "cmd -", "-", NULL, -1, false },
	{ "cmd -jmtext", "", "text", -1, true },
	{ "cmd -jm text", "", "text", -1, true },
	{ "cmd --message=a=b", "", "a=b", -1, false },
	{ "cmd --message= x", "x", "", -1, false },
	{ "cmd -m --json", "", "--json", -1, false },
	{ "cmd -m -- x", "x", "--", -1, false },
	{ "cmd -w0", "", NULL, 0, false },
	{ "cmd -w 2147483647", "", NULL, 2147483647, false },
	{ "cmd -- --json -j --help", "--json -j --help", NULL, -1, false },
	{ "cmd a -- -- b", "a -- b", NULL, -1, false },
};

START_TEST(good_lines_are_read)
{
	struct err e;
	char rest[256];

	ck_assert_int_eq(parse(good[_i].line, &e, rest, sizeof rest), 0);
	ck_assert_str_eq(rest, good[_i].rest);
	ck_assert_pstr_eq(text, good[_i].text);
	ck_assert_int_eq(wait_s, good[_i].wait_s);
	ck_assert(json == good[_i].json);
}
END_TEST

static const struct {
	const char	*line, *error;
} bad[] = {
	{ "cmd --nope", "option '--nope' is unknown" },
	{ "cmd --js", "option '--js' is unknown" },
	{ "cmd --jsonx", "option '--jsonx' is unknown" },
	{ "cmd --JSON", "option '--JSON' is unknown" },
	{ "cmd --=x", "option '--=x' is unknown" },
	{ "cmd --C x", "option '--C' is unknown" },
	{ "cmd -x", "option '-x' is unknown" },
	{ "cmd -jx", "option '-jx' is unknown" },
	{ "cmd --json=1", "option '--json=1' takes no value" },
	{ "cmd --json=", "option '--json=' takes no value" },
	{ "cmd a --message", "option '--message' needs a value" },
	{ "cmd -m", "option '-m' needs a value" },
	{ "cmd --json -j", "option '-j' was given twice" },
	{ "cmd -jj", "option '-jj' was given twice" },
	{ "cmd -ma -mb", "option '-mb' was given twice" },
	{ "cmd --wait=", "option '--wait=' needs a whole number" },
	{ "cmd -w -1", "option '-w' needs a whole number" },
	{ "cmd -w +1", "option '-w' needs a whole number" },
	{ "cmd -w 1s", "option '-w' needs a whole number" },
	{ "cmd -w 0x1", "option '-w' needs a whole number" },
	{ "cmd -w 2147483648", "option '-w' needs a whole number" },
	{ "cmd -w 00000000001", "option '-w' needs a whole number" },
	{ "cmd --\x1b]0;x", "option '--^[]0;x' is unknown" },
	{ "cmd --\xff", "option '--<\\xff>' is unknown" },
	{ "cmd -\xc3\xbc", "option '-\xc3\xbc' is unknown" },
};

START_TEST(bad_lines_are_named)
{
	struct err e;
	char rest[256];

	ck_assert_int_eq(parse(bad[_i].line, &e, rest, sizeof rest), -1);
	ck_assert_int_eq(e.code, ERR_USAGE);
	ck_assert_str_eq(e.text, bad[_i].error);
	ck_assert(utf8_ok(e.text, strlen(e.text)));
	ck_assert_int_eq(parse(bad[_i].line, NULL, rest, sizeof rest), -1);
}
END_TEST

START_TEST(help_is_asked_for)
{
	struct err e;
	char rest[256];

	ck_assert_int_eq(parse("cmd a --help", &e, rest, sizeof rest), 1);
	ck_assert_int_eq(parse("cmd -m --help", &e, rest, sizeof rest), 0);
	ck_assert_str_eq(text, "--help");
}
END_TEST

START_TEST(more_options_than_bits_is_a_bug)
{
	struct opt many[65] = { { "json", 'j', OPT_FLAG, NULL, "", &json } };
	char *argv[] = { NULL };
	int argc = 0;

	fclose(stderr);
	opt_parse(many, 65, &argc, argv, NULL);
}
END_TEST

static void
help_into(char *buf, size_t size, const char *synopsis, size_t n)
{
	FILE *f = tmpfile();
	int old = dup(STDOUT_FILENO);
	size_t got;

	ck_assert(f != NULL && old != -1);
	fflush(stdout);
	ck_assert_int_ne(dup2(fileno(f), STDOUT_FILENO), -1);
	opt_help("sandbox", "pending", synopsis, "List what waits.", opts, n);
	fflush(stdout);
	ck_assert_int_ne(dup2(old, STDOUT_FILENO), -1);
	close(old);
	rewind(f);
	got = fread(buf, 1, size - 1, f);
	buf[got] = '\0';
	fclose(f);
}

START_TEST(help_is_the_table)
{
	char buf[1024];

	help_into(buf, sizeof buf, "[ID]", ARRAY_LEN(opts));
	ck_assert_str_eq(buf,
	    "usage: sandbox pending [ID]\n"
	    "\n"
	    "List what waits.\n"
	    "\n"
	    "  -j, --json                 print JSON\n"
	    "      --all                  closed ones too\n"
	    "  -m, --message TEXT         why not\n"
	    "  -C DIR                     as if started there\n"
	    "  -w, --wait SECONDS         wait for one\n");
	help_into(buf, sizeof buf, "", 0);
	ck_assert_str_eq(buf,
	    "usage: sandbox pending\n\nList what waits.\n");
}
END_TEST

UNIT_MAIN("common/cmd",
	tcase_add_test(tc, options_stand_anywhere);
	tcase_add_loop_test(tc, good_lines_are_read, 0, (int)ARRAY_LEN(good));
	tcase_add_loop_test(tc, bad_lines_are_named, 0, (int)ARRAY_LEN(bad));
	tcase_add_test(tc, help_is_asked_for);
	tcase_add_test_raise_signal(tc, more_options_than_bits_is_a_bug,
	    SIGABRT);
	tcase_add_test(tc, help_is_the_table);
)
