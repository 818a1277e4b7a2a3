/*
 * The guard over a scripted kernel: every way it can end, one by one.  The
 * same is shown of the real program in tests/attack and tests/fault; here each
 * branch has its cause, and none is left out.
 */
#include "tests/unit/guard_fake.h"
#include "tests/unit/unit.h"

#include "hooks/guard.c"
#include "hooks/guard/caller.c"
#include "hooks/guard/denial.c"

START_TEST(the_worker_is_believed)
{
	asked();
	fake_run(before, no_env);
	ck_assert_int_eq(fake.status, 0);
	ck_assert_str_eq(fake.out, "{}");
	ck_assert_uint_eq(fake.n_mem, 7);
	ck_assert_int_eq(fake.n_killed, 0);
}
END_TEST

START_TEST(the_worker_refuses_by_exit)
{
	asked();
	worker_says("A 2 0 4\nwhy\nE\n");
	fake_run(before, no_env);
	ck_assert_int_eq(fake.status, 2);
	ck_assert_str_eq(fake.err, "why\n");
}
END_TEST

/* One call of the kernel fails: what the model is told. */
static const struct {
	const char *call;
	int	    nth;
	long	    value;
	const char *cause;
} failures[] = {
	{ "memfd", 0, -ENOMEM, "cannot be kept in memory" },
	{ "write", 0, -ENOSPC, "cannot be kept in memory" },
	{ "rewind", 0, -EINVAL, "cannot be kept in memory" },
	{ "readlink", 0, -ENOENT, "there is no /proc" },
	{ "readlink", 0, 0, "there is no /proc" },
	{ "pidfd", 0, -ESRCH, "the client is gone" },
	{ "parent", 2, 1, "the client is gone" },
	{ "open null", 0, -EMFILE, "no descriptor is free" },
	{ "pipe", 0, -EMFILE, "no descriptor is free" },
	{ "child", 0, -EAGAIN, "no process can be started" },
	{ "pidfd", 1, -EMFILE, "no descriptor is free" },
	{ "wait", 0, -ECHILD, "the gate failed" },
};

START_TEST(a_call_that_fails_denies)
{
	asked();
	fake_fails(failures[_i].call, failures[_i].nth, failures[_i].value);
	fake_run(before, no_env);
	ck_denied(failures[_i].cause);
	ck_assert_int_eq(fake.n_killed, failures[_i].nth == 1 &&
	    strcmp(failures[_i].call, "pidfd") == 0);
}
END_TEST

START_TEST(what_is_interrupted_goes_on)
{
	asked();
	fake.in[0] = (struct feed){ -EINTR, NULL };
	fake.in[1] = (struct feed){ -EAGAIN, NULL };
	fake.in[2] = (struct feed){ 2, "{}" };
	fake.said[0] = (struct feed){ -EINTR, NULL };
	fake.said[1] = (struct feed){ (ssize_t)strlen(GOOD), GOOD };
	fake_fails("write", 0, -EINTR);
	fake_fails("write", 1, 1);
	fake_fails("write1", 0, -EAGAIN);
	fake_fails("write1", 1, 0);
	fake_run(before, no_env);
	ck_assert_str_eq(fake.out, "{}");
	ck_assert_uint_eq(fake.n_mem, 2);
}
END_TEST

START_TEST(stdin_fails)
{
	asked();
	fake.in[1] = (struct feed){ -EIO, NULL };
	fake_run(before, no_env);
	ck_denied("stdin cannot be read");
}
END_TEST

START_TEST(a_call_too_large_is_read_to_its_end)
{
	asked();
	fake.repeat_in = 200;
	fake_run(before, no_env);
	ck_denied("larger than 8 MiB");
	ck_assert_int_eq(fake.repeat_in, 0);
}
END_TEST

START_TEST(where_the_worker_lies)
{
	static char longest[5000];

	asked();
	memset(longest, 'd', sizeof longest - 1);
	longest[0] = longest[4090] = '/';
	fake.self = _i == 0 ? "guard" : longest;
	if (_i == 1)
		fake_fails("readlink", 0, 4096);
	fake_run(before, no_env);
	ck_denied(_i == 0 ? "there is no /proc" : "the path of the gate");
}
END_TEST

START_TEST(arguments_have_a_limit)
{
	const char *many[64] = { "pretooluse", "--client", "claude", "--event",
		"PreToolUse" };
	int n;

	asked();
	for (int i = 5; i < 40; i++)
		many[i] = "x";
	if (_i == 0)
		fake_run(many, no_env);
	else {
		/* execve with an empty argv. */
		denial_choose(fake_copy(before, &n));
		denial_arm();
		if (setjmp(fake.over) == 0)
			add_arguments(0, NULL, 1);
	}
	fake.out[fake.n_out] = '\0';
	ck_denied("too many arguments");
}
END_TEST

/* --- the child ----------------------------------------------------------- */

START_TEST(the_child_becomes_the_worker)
{
	const char *env[] = { "LANG=C.UTF-8", "PATH=/evil", "LC_ALL=/evil",
		"TZ=Europe/Berlin", NULL };

	asked();
	fake.in_child = true;
	fake_run(before, env);
	ck_assert_int_eq(fake.status, 127);
	ck_assert_str_eq(fake.path, "/usr/lib/sandbox/sandbox-gate");
	ck_assert_str_eq(fake.argv[0], "sandbox-gate");
	ck_assert_str_eq(fake.argv[1], "--client");
	ck_assert_str_eq(fake.argv[9], "--client-pid");
	ck_assert_str_eq(fake.argv[10], "400");
	ck_assert_str_eq(fake.argv[11], "--locale");
	ck_assert_str_eq(fake.argv[12], "LANG=C.UTF-8 TZ=Europe/Berlin");
	ck_assert_uint_eq(fake.n_out, 0);
	ck_assert(fake.handler[SIGSEGV] == SIG_DFL);
}
END_TEST

static const struct {
	const char *call;
	int	    nth;
} child_failures[] = {
	{ "die_with_parent", 0 }, { "parent", 3 }, { "dup_above", 0 },
	{ "dup_above", 3 }, { "dup_to", 0 }, { "dup_to", 3 },
	{ "close_from", 0 },
};

START_TEST(a_child_that_fails_runs_nothing)
{
	asked();
	fake.in_child = true;
	fake_fails(child_failures[_i].call, child_failures[_i].nth, -EMFILE);
	fake_run(before, no_env);
	ck_assert_int_eq(fake.status, 127);
	ck_assert_str_eq(fake.path, "");
	ck_assert_uint_eq(fake.n_out, 0);
}
END_TEST

START_TEST(a_long_locale_is_cut_at_an_entry)
{
	const char *env[60] = { NULL };

	asked();
	fake.in_child = true;
	for (int i = 0; i < 59; i++)
		env[i] = "LC_IDENTIFICATION=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	fake_run(before, env);
	ck_assert_uint_lt(strlen(fake.argv[12]), sizeof start.locale);
	ck_assert_uint_eq((strlen(fake.argv[12]) + 1) % 51, 0);
}
END_TEST

/* --- listening ----------------------------------------------------------- */

START_TEST(a_worker_that_waits_gets_its_time)
{
	asked();
	fake.said[0] = (struct feed){ 6, "W 300\n" };
	fake.said[1] = (struct feed){ (ssize_t)strlen(GOOD), GOOD };
	fake_run(before, no_env);
	ck_assert_str_eq(fake.out, "{}");
	ck_assert_uint_eq(fake.alarm, 300 + SPARE_S);
}
END_TEST

START_TEST(a_silent_worker_is_ended)
{
	asked();
	fake.tick = QUIET_S * 1000 / 2;
	fake_run(before, no_env);
	ck_denied("did not answer in time");
	ck_assert_int_eq(fake.killed[0], SIGTERM);
	ck_assert_int_eq(fake.killed[1], SIGKILL);
}
END_TEST

START_TEST(the_client_goes)
{
	asked();
	fake.rings[0] = (struct ring){ -EINTR, { 0, 0, 0 } };
	fake.rings[1] = (struct ring){ 1, { 0, 0, 0 } };
	fake.rings[2] = (struct ring){ 1, { 0, POLLIN, 0 } };
	/* The wait for the worker's end is interrupted, too. */
	fake_fails("poll", 0, -EINTR);
	fake_run(before, no_env);
	ck_denied("the client is gone");
	ck_assert_int_eq(fake.killed[0], SIGTERM);
}
END_TEST

START_TEST(the_end_counts_when_the_pipe_is_empty)
{
	asked();
	fake.rings[0] = (struct ring){ 2, { POLLIN, 0, POLLIN } };
	fake.rings[1] = (struct ring){ 2, { POLLHUP, 0, 0 } };
	fake.rings[2] = (struct ring){ 1, { 0, 0, POLLIN } };
	fake_run(before, no_env);
	ck_assert_str_eq(fake.out, "{}");
}
END_TEST

START_TEST(a_worker_that_never_stops_talking)
{
	asked();
	for (int i = 0; i < FAKE_SCRIPT; i++)
		fake.said[i] = (struct feed){ WIRE_REPLY / 8, NULL };
	fake_run(before, no_env);
	ck_denied("the gate said too much");
}
END_TEST

START_TEST(half_an_answer_is_none)
{
	static const char *const halves[] = { "A", "A 0 2 0\n{}",
		"A 1 2 0\n{}E\n", "W x\nA 0 2 0\n{}E\n", "A 0 3 0\n{}E\n" };

	asked();
	worker_says(halves[_i]);
	fake_run(before, no_env);
	ck_denied("gave no complete answer");
}
END_TEST

START_TEST(a_worker_that_failed)
{
	asked();
	fake.worker_status = 256;
	fake_run(before, no_env);
	ck_denied("the gate failed");
}
END_TEST

#define LOOP(test, n)	tcase_add_loop_test(tc, test, 0, (int)(n))
#define LENGTH(a)	(sizeof (a) / sizeof (a)[0])

UNIT_MAIN("hooks/guard",
	tcase_add_test(tc, the_worker_is_believed);
	tcase_add_test(tc, the_worker_refuses_by_exit);
	LOOP(a_call_that_fails_denies, LENGTH(failures));
	tcase_add_test(tc, what_is_interrupted_goes_on);
	tcase_add_test(tc, stdin_fails);
	tcase_add_test(tc, a_call_too_large_is_read_to_its_end);
	LOOP(where_the_worker_lies, 2);
	LOOP(arguments_have_a_limit, 2);
	tcase_add_test(tc, the_child_becomes_the_worker);
	LOOP(a_child_that_fails_runs_nothing, LENGTH(child_failures));
	tcase_add_test(tc, a_long_locale_is_cut_at_an_entry);
	tcase_add_test(tc, a_worker_that_waits_gets_its_time);
	tcase_add_test(tc, a_silent_worker_is_ended);
	tcase_add_test(tc, the_client_goes);
	tcase_add_test(tc, the_end_counts_when_the_pipe_is_empty);
	tcase_add_test(tc, a_worker_that_never_stops_talking);
	LOOP(half_an_answer_is_none, 5);
	tcase_add_test(tc, a_worker_that_failed);)
