/* The one place that starts programs: what a child gets, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "jail/spawn.h"
#include "tests/unit/unit.h"

static char sh[] = "sh", dash_c[] = "-c";
static char only[] = "ONLY=this";
static char *env[] = { only, NULL };

/* Run a shell line, its stdout into ret; returns the wait status. */
static int
run(const char *text, struct spawn base, struct str *ret)
{
	char *line = xstrdup(text);
	char *argv[] = { sh, dash_c, line, NULL };
	int p[2], status;
	struct spawn_fd fds[2] = { { -1, 1 } };
	struct err e = { 0 };
	pid_t pid;

	ck_assert_int_eq(pipe2(p, O_CLOEXEC), 0);
	fds[0].ours = p[1];
	base.path = "/bin/sh";
	base.argv = argv;
	base.envp = env;
	if (base.n_fds == 1)
		fds[1] = base.fds[0];
	base.fds = fds;
	base.n_fds++;
	ck_assert_msg(spawn(&base, &pid, &e) == 0, "%s", e.text);
	close(p[1]);
	str_init(ret, 100000);
	ck_assert_int_eq(io_read_all(p[0], 90000, ret, &e), 0);
	close(p[0]);
	free(line);
	if (base.detach)
		return 0;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(what_is_ignored_stays_so_where_that_is_asked_for)
{
	static const char line[] = "grep SigIgn: /proc/self/status";
	struct str kept, reset;

	signal(SIGUSR2, SIG_IGN);
	run(line, (struct spawn){ .cwd_fd = -1, .keep_ignored = true }, &kept);
	run(line, (struct spawn){ .cwd_fd = -1 }, &reset);
	signal(SIGUSR2, SIG_DFL);
	ck_assert_str_eq(kept.s, "SigIgn:\t0000000000000800\n");
	ck_assert_str_eq(reset.s, "SigIgn:\t0000000000000000\n");
	str_clear(&kept);
	str_clear(&reset);
}
END_TEST

START_TEST(environment_is_only_what_was_said)
{
	struct str out;

	run("env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD=",
	    (struct spawn){ .cwd_fd = -1 }, &out);
	ck_assert_str_eq(out.s, "ONLY=this\n");
	str_clear(&out);
}
END_TEST

START_TEST(descriptors_are_only_what_was_said)
{
	int stray = open("/dev/null", O_RDONLY);	/* not close-on-exec */
	struct spawn_fd five = { stray, 5 };
	struct str out;

	dup2(stray, 40);
	/* The shell lists its own directory handle, too: 3. */
	run("cd /proc/self/fd; for i in 4 5 6 7 8 9 40 64 65; do "
	    "test -e $i && echo $i; done; readlink 0 2", (struct spawn){
	    .cwd_fd = -1, .fds = &five, .n_fds = 1 }, &out);
	ck_assert_str_eq(out.s, "5\n/dev/null\n/dev/null\n");
	str_clear(&out);
}
END_TEST

START_TEST(signals_are_default_and_unblocked)
{
	struct str out;
	sigset_t all;

	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	run("grep -E '^Sig(Blk|Ign)' /proc/self/status",
	    (struct spawn){ .cwd_fd = -1 }, &out);
	ck_assert_str_eq(out.s, "SigBlk:\t0000000000000000\n"
	    "SigIgn:\t0000000000000000\n");
	str_clear(&out);
}
END_TEST

START_TEST(directory_is_the_descriptor)
{
	int fd = open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct str out;

	run("pwd -P", (struct spawn){ .cwd_fd = fd }, &out);
	ck_assert_str_eq(out.s, "/usr\n");
	str_clear(&out);
}
END_TEST

START_TEST(exec_failure_is_told_and_leaves_no_child)
{
	char *argv[] = { sh, NULL };
	const struct spawn s = { .path = "/nowhere/at all", .argv = argv,
	    .envp = env, .cwd_fd = -1 };
	struct err e = { 0 };
	pid_t pid = 7;

	ck_assert_int_eq(spawn(&s, &pid, &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
	ck_assert_str_eq(e.text, "cannot start '/nowhere/at all': "
	    "No such file or directory");
	ck_assert_int_eq(pid, 7);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(detached_has_another_parent_and_session)
{
	struct str out;
	int sid, ppid, pid;

	run("read -r a < /proc/$$/stat; echo $a; sleep 0.2",
	    (struct spawn){ .cwd_fd = -1, .detach = true, .session = true },
	    &out);
	ck_assert_int_eq(sscanf(out.s, "%d (sh) %*c %d %*d %d", &pid, &ppid,
	    &sid), 3);
	ck_assert_int_ne(ppid, getpid());
	ck_assert_int_eq(sid, pid);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	str_clear(&out);
}
END_TEST

START_TEST(targets_that_cross_do_not_clobber)
{
	int a = open("/usr", O_RDONLY | O_CLOEXEC);
	int b = open("/etc", O_RDONLY | O_CLOEXEC);
	char line[] = "readlink /proc/self/fd/3 /proc/self/fd/4 "
	    "/proc/self/fd/5 >&9";
	char *argv[] = { sh, dash_c, line, NULL };
	int p[2], x, y;
	struct str out;
	struct err e;
	pid_t pid;

	/* ours 4 -> theirs 3, ours 3 -> theirs 4 */
	x = dup2(a, 30) == 30 ? 30 : -1;
	y = dup2(b, 31) == 31 ? 31 : -1;
	dup2(x, 3);
	dup2(y, 4);
	ck_assert_int_eq(pipe2(p, O_CLOEXEC), 0);
	const struct spawn_fd fds[] = { { 4, 3 }, { 3, 4 }, { 3, 5 },
	    { p[1], 9 } };
	const struct spawn s = { .path = "/bin/sh", .argv = argv, .envp = env,
	    .cwd_fd = -1, .fds = fds, .n_fds = 4 };

	ck_assert_int_eq(spawn(&s, &pid, &e), 0);
	close(p[1]);
	str_init(&out, 1000);
	ck_assert_int_eq(io_read_all(p[0], 900, &out, &e), 0);
	ck_assert_str_eq(out.s, "/etc\n/usr\n/usr\n");
	waitpid(pid, NULL, 0);
	str_clear(&out);
}
END_TEST

UNIT_MAIN("jail/spawn",
	tcase_add_test(tc, what_is_ignored_stays_so_where_that_is_asked_for);
	tcase_add_test(tc, environment_is_only_what_was_said);
	tcase_add_test(tc, descriptors_are_only_what_was_said);
	tcase_add_test(tc, signals_are_default_and_unblocked);
	tcase_add_test(tc, directory_is_the_descriptor);
	tcase_add_test(tc, exec_failure_is_told_and_leaves_no_child);
	tcase_add_test(tc, detached_has_another_parent_and_session);
	tcase_add_test(tc, targets_that_cross_do_not_clobber);)
