#include "jail/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define FDS_MAX		16
#define THEIRS_MAX	64	/* targets are below, our copies above */

/* What the child tells us if exec failed; of a detached one, first its pid. */
struct note {
	pid_t	pid;
	int	sys;
	int	step;
	char	why[200];	/* STEP_PREPARE: its own words */
};

enum step { STEP_FDS, STEP_CWD, STEP_EXEC, STEP_PREPARE };

static const char *const step_names[] = {
	"arrange descriptors for", "enter the directory of", "start"
};

/* Out of the way of every target number, so that no dup2 destroys another. */
static int
lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, THEIRS_MAX);
}

static int
arrange(const struct spawn *s)
{
	int high[FDS_MAX], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null == -1 || (null = lift(null)) == -1)
		return -1;
	for (size_t i = 0; i < s->n_fds; i++)
		if ((high[i] = lift(s->fds[i].ours)) == -1)
			return -1;
	/* Everything goes at exec; dup2 below makes the wanted ones stay. */
	if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) == -1)
		return -1;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) == -1)
			return -1;
	for (size_t i = 0; i < s->n_fds; i++)
		if (dup2(high[i], s->fds[i].theirs) == -1)
			return -1;
	return 0;
}

static void
reset_signals(bool keep_ignored)
{
	/* All zero is SIG_DFL, no flags, no mask, whatever the layout. */
	static const unsigned char by_default[64];
	struct sigaction now;
	sigset_t none;

	/*
	 * The raw call, because glibc keeps its signals 32 and 33 from us, and
	 * leaves them ignored in every program that posix_spawn started.
	 */
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		if (keep_ignored && sigaction(sig, NULL, &now) == 0 &&
		    now.sa_handler == SIG_IGN)
			continue;
		syscall(SYS_rt_sigaction, sig, by_default, NULL, _NSIG / 8);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
tell(int fd, int sys, enum step step)
{
	struct note n = { .pid = getpid(), .sys = sys, .step = (int)step };

	if (write(fd, &n, sizeof n) != (ssize_t)sizeof n)
		_exit(127);
}

static void
prepare(const struct spawn *s, int status)
{
	struct note n = { .pid = getpid(), .step = STEP_PREPARE };
	struct err e = { 0 };

	if (s->prepare(s->arg, &e) == 0)
		return;
	snprintf(n.why, sizeof n.why, "%.199s", e.text);
	if (write(status, &n, sizeof n) != (ssize_t)sizeof n)
		_exit(127);
	_exit(127);
}

static void __attribute__((noreturn))
child(const struct spawn *s, int status)
{
	int cwd = s->cwd_fd == -1 ? -1 : lift(s->cwd_fd);
	int high = lift(status);

	if (high == -1) {
		tell(status, errno, STEP_FDS);
		_exit(127);
	}
	status = high;
	if (s->detach)
		tell(status, 0, STEP_EXEC);
	if (s->session)
		setsid();
	if ((s->cwd_fd != -1 && cwd == -1) || arrange(s) == -1) {
		tell(status, errno, STEP_FDS);
		_exit(127);
	}
	if (cwd != -1 && fchdir(cwd) == -1) {
		tell(status, errno, STEP_CWD);
		_exit(127);
	}
	reset_signals(s->keep_ignored);
	if (s->prepare != NULL)
		prepare(s, status);
	execve(s->path, s->argv, s->envp);
	tell(status, errno, STEP_EXEC);
	_exit(127);
}

static ssize_t
read_note(int fd, struct note *n)
{
	ssize_t got;

	do
		got = read(fd, n, sizeof *n);
	while (got == -1 && errno == EINTR);
	return got;
}

/*
 * The exec closed its end of the pipe: nothing more to read is success.  A
 * child that was killed before it is like one that was killed after it.
 */
static int
hear(const struct spawn *s, int fd, pid_t pid, pid_t *ret_pid, struct err *e)
{
	struct note n = { .pid = pid }, bad;

	if (s->detach && read_note(fd, &n) != (ssize_t)sizeof n)
		return err_set(e, ERR_SYSTEM, "cannot start '%s'", s->path);
	if (read_note(fd, &bad) == 0) {
		*ret_pid = n.pid;
		return 0;
	}
	if (!s->detach)
		waitpid(n.pid, NULL, 0);
	if (bad.step == STEP_PREPARE) {
		bad.why[sizeof bad.why - 1] = '\0';
		return err_set(e, ERR_SYSTEM, "%s", bad.why);
	}
	errno = bad.sys;
	return err_sys(e, "cannot %s '%s'", step_names[bad.step], s->path);
}

int
spawn(const struct spawn *s, pid_t *ret_pid, struct err *e)
{
	int pipefd[2];
	pid_t pid;

	if (s->n_fds > FDS_MAX || s->path[0] != '/')
		BUG("spawn: bad arguments");
	for (size_t i = 0; i < s->n_fds; i++)
		if (s->fds[i].theirs < 0 || s->fds[i].theirs >= THEIRS_MAX)
			BUG("spawn: bad descriptor number");
	if (pipe2(pipefd, O_CLOEXEC) == -1)
		return err_sys(e, "cannot make a pipe");

	auto_close int in = pipefd[0];

	pid = fork();
	if (pid == 0) {
		if (s->detach && (pid = fork()) != 0)
			_exit(pid == -1 ? 1 : 0);
		child(s, pipefd[1]);
	}
	close(pipefd[1]);
	if (pid == -1)
		return err_sys(e, "cannot fork");
	if (s->detach)
		while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
			continue;
	return hear(s, in, pid, ret_pid, e);
}

int
spawn_become(const char *path, char *const argv[], char *const envp[],
    struct err *e)
{
	execve(path, argv, envp);
	return err_sys(e, "cannot start '%s'", path);
}
