/*
 * What the guard says when it cannot go on, whom it takes for its client, and
 * what a signal does at the worst moment.  See tests/unit/guard_fake.h.
 */
#include "tests/unit/guard_fake.h"
#include "tests/unit/unit.h"

#include "hooks/guard.c"
#include "hooks/guard/caller.c"
#include "hooks/guard/denial.c"

/* --- signals ------------------------------------------------------------- */

START_TEST(a_deadly_signal_denies)
{
	static const int sigs[] = { SIGSEGV, SIGTERM, SIGALRM };

	asked();
	fake_raises(_i == 0 ? "readlink" : "wait", 0, sigs[_i]);
	fake_run(before, no_env);
	ck_denied(sigs[_i] == SIGALRM ? "did not answer in time" :
	    "the gate was interrupted");
	/* Behind the end of the worker nobody is ended any more. */
	ck_assert_int_eq(fake.n_killed, 0);
}
END_TEST

START_TEST(a_signal_ends_the_worker)
{
	static const int sigs[] = { SIGTERM, SIGALRM };

	asked();
	fake_raises("pidfd", 1, sigs[_i]);
	fake_run(before, no_env);
	ck_assert_int_eq(fake.killed[0], _i == 0 ? SIGTERM : SIGKILL);
	ck_denied("the gate");
}
END_TEST

START_TEST(a_signal_in_the_middle_of_the_answer)
{
	asked();
	fake_fails("write1", 0, 1);
	fake_raises("write1", 1, SIGTERM);
	fake_run(before, no_env);
	ck_assert_int_eq(fake.status, 2);
	ck_assert_str_eq(fake.out, "{");
	ck_assert_str_eq(fake.err, "sandbox: the gate was interrupted\n");
}
END_TEST

/* --- what is said -------------------------------------------------------- */

START_TEST(a_closed_stdout_refuses_by_exit)
{
	asked();
	if (_i == 0)
		fake_fails("write1", 0, -EPIPE);
	else {
		fake_fails("fd_exists", 0, 0);	/* is 1 there? */
		fake_fails("fd_exists", 2, 0);	/* then plug it */
		fake_fails("open null", 0, 1);
	}
	fake_run(before, no_env);
	ck_assert_int_eq(fake.status, 2);
	ck_assert_str_eq(fake.err, "sandbox: stdout is closed\n");
}
END_TEST

START_TEST(a_descriptor_that_cannot_be_plugged)
{
	asked();
	fake_fails("fd_exists", 1, 0);
	fake_fails("open null", 0, -ENOENT);
	fake_run(before, no_env);
	ck_denied("a standard descriptor is missing");
}
END_TEST

static const struct {
	const char *client, *event, *want;
	int	    status;
} rows[] = {
	{ "claude", "UserPromptSubmit", "\"decision\":\"block\"", 0 },
	{ "claude", "SessionStart", "is not working here (", 0 },
	{ "claude", "PostToolUse", "could not record", 0 },
	{ "claude", "SessionEnd", "", 0 },
	{ "claude", "ConfigChange", "", 2 },
	{ "other", "PreToolUse", "\"decision\":\"block\"", 0 },
	{ "other", "PostToolUse", "", 2 },
	{ NULL, NULL, "", 2 },
};

START_TEST(each_event_has_its_denial)
{
	char client[32], event[32];
	const char *argv[] = { "x", "--client", client, "--event", event, NULL };

	if (rows[_i].client == NULL)
		argv[1] = NULL;
	else {
		snprintf(client, sizeof client, "%s", rows[_i].client);
		snprintf(event, sizeof event, "%s", rows[_i].event);
	}
	fake.in[0] = (struct feed){ -EIO, NULL };
	fake_run(argv, no_env);
	ck_assert_int_eq(fake.status, rows[_i].status);
	ck_assert_ptr_nonnull(strstr(fake.out, rows[_i].want));
	if (rows[_i].status == 2)
		ck_assert_str_eq(fake.err, "sandbox: stdin cannot be read\n");
	if (rows[_i].want[0] == '\0')
		ck_assert_uint_eq(fake.n_out, 0);
}
END_TEST

/* The client half of `--client` alone names nothing. */
START_TEST(an_option_without_its_value)
{
	const char *argv[] = { "x", "--client", "claude", NULL };

	fake.in[0] = (struct feed){ -EIO, NULL };
	fake_run(argv, no_env);
	ck_assert_int_eq(fake.status, 2);
}
END_TEST

/* A cause is ours and short; were it not, the denial still is whole. */
START_TEST(a_cause_without_end)
{
	static char endless[4096];
	int n;

	memset(endless, 'z', sizeof endless - 1);
	denial_choose(fake_copy(before, &n));
	denial_arm();
	if (setjmp(fake.over) == 0)
		deny(endless);
	ck_assert_int_eq(fake.status, 2);
	ck_assert_uint_eq(fake.n_out, 0);
	ck_assert_uint_lt(fake.n_err, 201);
}
END_TEST

/* --- who called ---------------------------------------------------------- */

static const struct {
	const char *env, *stat;
	pid_t	    want;
} callers[] = {
	{ "CLAUDE_PID=400", "", 400 },
	{ "CLAUDE_PID=300", "400 (sh) S 300 1 1", 300 },
	/* Not an ancestor, init, no number, no /proc, nonsense. */
	{ "CLAUDE_PID=77", "400 (a) b) S 300 1", 400 },
	{ "CLAUDE_PID=1", "400 (sh) S 1 1 1", 400 },
	{ "CLAUDE_PID=x", "", 400 },
	{ "CLAUDE_PID=300", "400 no name", 400 },
	{ "CLAUDE_PID=300", "400 (sh) S", 400 },
	{ "OTHER=300", "", 400 },
};

START_TEST(the_client_is_an_ancestor)
{
	char env[64], *envp[] = { env, NULL };

	snprintf(env, sizeof env, "%s", callers[_i].env);
	for (int i = 0; i < FAKE_SCRIPT - 1; i++)
		fake.stat[i] = (struct feed){
		    (ssize_t)strlen(callers[_i].stat), callers[_i].stat };
	ck_assert_int_eq(caller_client(envp), callers[_i].want);
}
END_TEST

START_TEST(proc_is_gone)
{
	char env[] = "CLAUDE_PID=300", *envp[] = { env, NULL };

	fake_fails("open stat", 0, -ENOENT);
	ck_assert_int_eq(caller_client(envp), 400);
	fake.stat[0] = (struct feed){ -EIO, NULL };
	ck_assert_int_eq(caller_client(envp), 400);
}
END_TEST

#define LOOP(test, n)	tcase_add_loop_test(tc, test, 0, (int)(n))
#define LENGTH(a)	(sizeof (a) / sizeof (a)[0])

UNIT_MAIN("hooks/denial",
	LOOP(a_deadly_signal_denies, 3);
	LOOP(a_signal_ends_the_worker, 2);
	tcase_add_test(tc, a_signal_in_the_middle_of_the_answer);
	LOOP(a_closed_stdout_refuses_by_exit, 2);
	tcase_add_test(tc, a_descriptor_that_cannot_be_plugged);
	LOOP(each_event_has_its_denial, LENGTH(rows));
	tcase_add_test(tc, an_option_without_its_value);
	tcase_add_test(tc, a_cause_without_end);
	LOOP(the_client_is_an_ancestor, LENGTH(callers));
	tcase_add_test(tc, proc_is_gone);)
