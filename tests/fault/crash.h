/*
 * tests/fault/crash.h - stop a function at its k-th system call.
 *
 * The function runs in a child under ptrace(2).  crash_at kills the child as
 * it enters call number k, before the kernel does anything; fail_at lets call
 * number k out of a set return an error instead of being done.  Nothing of
 * this is known to the code under test.
 *
 *	for (long k = 0; crash_at(k, fn, arg); k++)
 *		... the child died before call k: is the world in order? ...
 *
 *	for (long k = 0; fail_at(k, ENOSPC, set, n, fn, arg, &status); k++)
 *		... fn went on after the error; status is waitpid's ...
 *
 * Both return false when fn ended before call k was reached: then every place
 * was tried, and fn ran wholly and undisturbed once.
 */
#ifndef TESTS_FAULT_CRASH_H
#define TESTS_FAULT_CRASH_H

#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int crash_fn(void *arg);	/* its value is the exit status */

/* There when coverage is counted: what a child ran counts as well. */
extern void __gcov_dump(void) __attribute__((weak));
/* A call that none of our code makes: behind it the child is left alone. */
#define CRASH_END	SYS_sched_yield

static inline void
crash_must(bool good, const char *what)
{
	if (!good) {
		perror(what);
		abort();
	}
}

static inline pid_t
crash_start(crash_fn *fn, void *arg)
{
	int status;
	pid_t pid = fork();

	crash_must(pid != -1, "fork");
	if (pid == 0) {
		crash_must(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0,
		    "ptrace(PTRACE_TRACEME): the fault tests need ptrace");
		raise(SIGSTOP);
		status = fn(arg);
		syscall(CRASH_END);
		if (__gcov_dump != NULL)
			__gcov_dump();
		_exit(status);
	}
	crash_must(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
	    PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0, "ptrace");
	return pid;
}

/*
 * Go on to the next entry of a system call; false when fn has ended, or the
 * child has.
 * Exits of calls pass by unless `exits`.
 */
static inline bool
crash_next(pid_t pid, bool exits, long *ret_nr, int *ret_status)
{
	int sig = 0, status;

	for (;;) {
		struct __ptrace_syscall_info info = { 0 };

		crash_must(ptrace(PTRACE_SYSCALL, pid, NULL, sig) == 0 &&
		    waitpid(pid, &status, 0) == pid, "ptrace");
		if (!WIFSTOPPED(status)) {
			*ret_status = status;
			return false;
		}
		sig = WSTOPSIG(status);
		if (sig != (SIGTRAP | 0x80))
			continue;
		sig = 0;
		crash_must(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info,
		    &info) > 0, "PTRACE_GET_SYSCALL_INFO");
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY &&
		    info.entry.nr == CRASH_END) {
			crash_must(ptrace(PTRACE_DETACH, pid, NULL, 0) == 0 &&
			    waitpid(pid, ret_status, 0) == pid, "detach");
			return false;
		}
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
			*ret_nr = (long)info.entry.nr;
			return true;
		}
		if (exits)
			return true;
	}
}

/* At an entry: the call becomes none.  At its exit: this is its result. */
static inline void
crash_change(pid_t pid, bool entry, long value)
{
#if defined(__x86_64__)
	struct user_regs_struct r;

	crash_must(ptrace(PTRACE_GETREGS, pid, NULL, &r) == 0, "GETREGS");
	if (entry)
		r.orig_rax = (unsigned long long)value;
	else
		r.rax = (unsigned long long)value;
	crash_must(ptrace(PTRACE_SETREGS, pid, NULL, &r) == 0, "SETREGS");
#elif defined(__aarch64__)
	struct user_regs_struct r;
	int nr = (int)value;
	struct iovec v = { entry ? (void *)&nr : (void *)&r,
		entry ? sizeof nr : sizeof r };

	if (!entry) {
		crash_must(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &v)
		    == 0, "GETREGSET");
		r.regs[0] = (unsigned long long)value;
	}
	crash_must(ptrace(PTRACE_SETREGSET, pid,
	    entry ? 0x404 /* NT_ARM_SYSTEM_CALL */ : NT_PRSTATUS, &v) == 0,
	    "SETREGSET");
#else
#error "teach crash_change this machine's registers"
#endif
}

static inline bool
crash_at(long k, crash_fn *fn, void *arg)
{
	pid_t pid = crash_start(fn, arg);
	int status;
	long nr;

	for (long i = 0; crash_next(pid, false, &nr, &status); i++) {
		if (i < k)
			continue;
		kill(pid, SIGKILL);
		crash_must(waitpid(pid, &status, 0) == pid &&
		    WIFSIGNALED(status), "waitpid");
		return true;
	}
	crash_must(WIFEXITED(status), "the child died by itself");
	return false;
}

static inline bool
crash_is_in(long nr, const long *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (set[i] == nr)
			return true;
	return false;
}

static inline bool
fail_at(long k, int error, const long *set, size_t n, crash_fn *fn, void *arg,
    int *ret_status)
{
	pid_t pid = crash_start(fn, arg);
	bool hit = false;
	long nr, i = 0;

	while (crash_next(pid, false, &nr, ret_status)) {
		if (!crash_is_in(nr, set, n) || i++ != k)
			continue;
		hit = true;
		crash_change(pid, true, -1);
		if (!crash_next(pid, true, &nr, ret_status))
			break;
		crash_change(pid, false, -(long)error);
	}
	return hit;
}

#endif
