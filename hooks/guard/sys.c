#include "hooks/guard/sys.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "common/banned.h"

#define CHILD_STACK	16384

void guard_start(long *sp) __attribute__((noreturn, used));
void guard_restorer(void);

static char child_stack[CHILD_STACK] __attribute__((aligned(16)));

#if defined(__x86_64__)

#define SA_RESTORER_FLAG	0x04000000UL

__asm__(
	".text\n.globl _start\n_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call guard_start\n"
	"	hlt\n"
	".globl guard_restorer\nguard_restorer:\n"
	"	mov $15, %eax\n"
	"	syscall\n");

long
sys_call(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(number), "D"(a), "S"(b),
	    "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
	return ret;
}

static long
clone_call(unsigned long flags, void *stack, void (*run)(void))
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	register void (*r9)(void) __asm__("r9") = run;
	long ret;

	__asm__ volatile(
	    "	syscall\n"
	    "	test %%rax, %%rax\n"
	    "	jnz 1f\n"
	    "	xor %%ebp, %%ebp\n"
	    "	call *%%r9\n"
	    "	hlt\n"
	    "1:\n"
	    : "=a"(ret) : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0L),
	    "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__)

#define SA_RESTORER_FLAG	0UL

__asm__(
	".text\n.globl _start\n_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl guard_start\n"
	".globl guard_restorer\nguard_restorer:\n"
	"	mov x8, #139\n"
	"	svc #0\n");

long
sys_call(long number, long a, long b, long c, long d, long e)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2),
	    "r"(x3), "r"(x4) : "memory");
	return x0;
}

static long
clone_call(unsigned long flags, void *stack, void (*run)(void))
{
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)flags;
	register void *x1 __asm__("x1") = stack;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;
	register void (*x9)(void) __asm__("x9") = run;

	__asm__ volatile(
	    "	svc #0\n"
	    "	cbnz x0, 1f\n"
	    "	blr x9\n"
	    "1:\n"
	    : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4),
	    "r"(x9) : "x30", "memory");
	return x0;
}

#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "hooks/guard/sys.c: no system calls for this processor yet"
#endif

void
guard_start(long *sp)
{
	char **argv = (char **)(sp + 1);

	sys_exit(guard_main((int)sp[0], argv, argv + sp[0] + 1));
}

#define P(x)	((long)(uintptr_t)(x))

ssize_t
sys_read(int fd, void *buf, size_t n)
{
	return sys_call(SYS_read, fd, P(buf), (long)n, 0, 0);
}

ssize_t
sys_write(int fd, const void *buf, size_t n)
{
	return sys_call(SYS_write, fd, P(buf), (long)n, 0, 0);
}

int
sys_open(const char *path, int flags)
{
	return (int)sys_call(SYS_openat, AT_FDCWD, P(path),
	    flags | O_CLOEXEC, 0, 0);
}

int
sys_close(int fd)
{
	return (int)sys_call(SYS_close, fd, 0, 0, 0, 0);
}

long
sys_readlink(const char *path, char *ret, size_t n)
{
	return sys_call(SYS_readlinkat, AT_FDCWD, P(path), P(ret), (long)n,
	    0);
}

int
sys_memfd(const char *name)
{
	return (int)sys_call(SYS_memfd_create, P(name), MFD_CLOEXEC, 0, 0, 0);
}

int
sys_rewind(int fd)
{
	return (int)sys_call(SYS_lseek, fd, 0, 0, 0, 0);
}

int
sys_pipe(int ret[2])
{
	return (int)sys_call(SYS_pipe2, P(ret), O_CLOEXEC, 0, 0, 0);
}

int
sys_fd_exists(int fd)
{
	return sys_call(SYS_fcntl, fd, F_GETFD, 0, 0, 0) >= 0;
}

int
sys_dup_above(int fd, int least)
{
	return (int)sys_call(SYS_fcntl, fd, F_DUPFD, least, 0, 0);
}

int
sys_dup_to(int fd, int to)
{
	return (int)sys_call(SYS_dup3, fd, to, 0, 0, 0);
}

int
sys_close_from(int least)
{
	return (int)sys_call(SYS_close_range, least, 0xffffffffL, 0, 0, 0);
}

int
sys_poll(struct pollfd *f, unsigned n, int64_t ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	return (int)sys_call(SYS_ppoll, P(f), n, ms < 0 ? 0 : P(&t), 0, 0);
}

int64_t
sys_boot_ms(void)
{
	struct timespec t = { 0 };

	sys_call(SYS_clock_gettime, CLOCK_BOOTTIME, P(&t), 0, 0, 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
sys_alarm(unsigned seconds)
{
	const struct { long every[2], first[2]; } t = { .first = {
	    (long)seconds, 0 } };

	sys_call(SYS_setitimer, 0, P(&t), 0, 0, 0);
}

pid_t
sys_pid(void)
{
	return (pid_t)sys_call(SYS_getpid, 0, 0, 0, 0, 0);
}

pid_t
sys_parent(void)
{
	return (pid_t)sys_call(SYS_getppid, 0, 0, 0, 0, 0);
}

int
sys_pidfd(pid_t pid)
{
	return (int)sys_call(SYS_pidfd_open, pid, 0, 0, 0, 0);
}

int
sys_kill(pid_t pid, int sig)
{
	return (int)sys_call(SYS_kill, pid, sig, 0, 0, 0);
}

int
sys_wait(pid_t pid, int *ret_status)
{
	return (int)sys_call(SYS_wait4, pid, P(ret_status), 0, 0, 0);
}

int
sys_die_with_parent(int sig)
{
	return (int)sys_call(SYS_prctl, PR_SET_PDEATHSIG, sig, 0, 0, 0);
}

int
sys_exec(const char *path, char *const argv[], char *const envp[])
{
	return (int)sys_call(SYS_execve, P(path), P(argv), P(envp), 0, 0);
}

void
sys_exit(int status)
{
	for (;;)
		sys_call(SYS_exit_group, status, 0, 0, 0, 0);
}

pid_t
sys_child(void (*run)(void))
{
	return (pid_t)clone_call(CLONE_VM | CLONE_VFORK | SIGCHLD,
	    child_stack + sizeof child_stack, run);
}

void
sys_block_signals(int all)
{
	const uint64_t set = all != 0 ? ~0ULL : 0;

	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, P(&set), 0, sizeof set, 0);
}

/* The kernel's own struct sigaction. */
struct action {
	void		(*handler)(int);
	unsigned long	flags;
	void		(*restorer)(void);
	uint64_t	mask;
};

void
sys_on_signal(int sig, void (*handler)(int))
{
	const struct action a = { handler, SA_ONSTACK | SA_RESTORER_FLAG,
	    guard_restorer, ~0ULL };

	sys_call(SYS_rt_sigaction, sig, P(&a), 0, sizeof a.mask, 0);
}

void
sys_signal_stack(void *p, size_t n)
{
	const stack_t s = { .ss_sp = p, .ss_size = n };

	sys_call(SYS_sigaltstack, P(&s), 0, 0, 0, 0);
}
