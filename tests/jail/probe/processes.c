/* tests/jail/probe/processes.c - other processes, and being another user. */
#include "tests/jail/probe/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PID_TRIED	400	/* by number, whether or not /proc shows it */
#define FD_TRIED	40

static pid_t
number(const char *text)
{
	return (pid_t)strtol(text, NULL, 10);
}

/* PID SIGNAL */
static int
send_signal(char **args)
{
	return expect_failure(kill(number(args[0]), number(args[1])),
	    "sent a signal");
}

static int
trace(char **args)
{
	pid_t pid = number(args[0]);

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == -1)
		return held("ptrace");
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return escaped("ptrace attached");
}

/* Does `try` succeed with a process that is not ours? */
static int
each(bool family, bool (*try)(pid_t, char **), char **args, const char *what)
{
	struct pids *all = pids_open(family);
	pid_t found = 0, pid;

	while (found == 0 && (pid = pids_next(all)) > 0)
		if (try(pid, args))
			found = pid;
	pids_close(all);
	if (found == 0)
		return held(what);
	printf("process %d\n", found);
	return escaped(what);
}

static bool
can_trace(pid_t pid, char **args)
{
	(void)args;
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == -1)
		return false;
	waitpid(pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return true;
}

static int
trace_all(char **args)
{
	return each(false, can_trace, args, "ptrace of the jail's own");
}

static bool
can_write(pid_t pid, char **args)
{
	char path[64];
	int fd;

	(void)args;
	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd != -1)
		close(fd);
	return fd != -1;
}

static int
write_memory(char **args)
{
	return each(false, can_write, args, "another's memory");
}

/* MARK: a `sleep` of the host whose name has it. */
static bool
is_marked(pid_t pid, char **args)
{
	char path[64], name[512];

	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	return read_file(path, name, sizeof name) > 0 &&
	    strstr(name, args[0]) != NULL && strstr(name, "sleep") != NULL;
}

static int
find_mark(char **args)
{
	return each(true, is_marked, args, "a process of the host");
}

static bool
environ_has(pid_t pid, char **args)
{
	static char text[262144];
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/environ", pid);
	n = read_file(path, text, sizeof text);
	for (char *p = text; n > 0 && p < text + n; p += strlen(p) + 1)
		if (strstr(p, args[0]) != NULL)
			return true;
	return false;
}

static int
read_environ(char **args)
{
	return each(true, environ_has, args, "a secret in an environment");
}

/* PATH TEXT: is it seen from where another process stands? */
static bool
root_has(pid_t pid, char **args)
{
	char path[512];

	snprintf(path, sizeof path, "/proc/%d/root%s", pid, args[0]);
	if (file_has(path, args[1]))
		return true;
	snprintf(path, sizeof path, "/proc/%d/cwd/../%s", pid,
	    args[0] + strspn(args[0], "/"));
	return file_has(path, args[1]);
}

static int
read_root(char **args)
{
	return each(true, root_has, args, "a hidden file behind /proc");
}

/* A descriptor of another process, taken out of it. */
static int
steal(char **args)
{
	(void)args;
	for (pid_t pid = 1; pid < PID_TRIED; pid++) {
		int of = pid == getpid() || pid == getppid() ? -1 :
		    (int)syscall(SYS_pidfd_open, pid, 0);

		for (int fd = 0; of != -1 && fd < FD_TRIED; fd++)
			if (syscall(SYS_pidfd_getfd, of, fd, 0) != -1)
				return escaped("pidfd_getfd");
		if (of != -1)
			close(of);
	}
	return held("pidfd_getfd");
}

static int
become_user(char **args)
{
	(void)args;
	return expect_failure(setuid(0), "setuid");
}

static int
show_rights(char **args)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	(void)args;
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, "Cap", 3) == 0 ||
		    strncmp(line, "NoNewPrivs", 10) == 0)
			fputs(line, stdout);
	return f == NULL;
}

/* COUNT processes at once. */
static int
fill(char **args)
{
	int want = number(args[0]), have = 0;

	for (; have < want; have++) {
		pid_t pid = fork();

		if (pid == -1)
			break;
		if (pid == 0) {
			pause();
			_exit(0);
		}
	}
	(void)(have == want ? escaped("no limit of processes") :
	    held("limited"));
	return kill(0, SIGKILL);
}

static int
crash(char **args)
{
	(void)args;
	return raise(SIGSEGV);
}

const struct attack process_attacks[] = {
	{ "kill", 2, send_signal }, { "ptrace", 1, trace },
	{ "ptraceall", 0, trace_all }, { "procmem", 0, write_memory },
	{ "findmark", 1, find_mark }, { "procenv", 1, read_environ },
	{ "procroot", 2, read_root }, { "pidfdgetfd", 0, steal },
	{ "setuid0", 0, become_user }, { "caps", 0, show_rights },
	{ "fork", 1, fill }, { "oops", 0, crash }, { NULL, 0, NULL }
};
