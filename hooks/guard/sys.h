/*
 * hooks/guard/sys.h - the system calls of the guard, without a C library.
 *
 * The guard links nothing at all.  A libc would read GLIBC_TUNABLES, run its
 * constructors and ask the processor for its features before main: more than
 * half of what the rest of the guard costs, and code that a repository's
 * settings can reach.
 *
 * Every call returns its result or a negative errno; nothing here sets errno.
 * Interrupted calls return -EINTR.
 */
#ifndef HOOKS_GUARD_SYS_H
#define HOOKS_GUARD_SYS_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the guard begins; what it returns is its exit status. */
int	guard_main(int argc, char **argv, char **envp);

long	sys_call(long number, long a, long b, long c, long d, long e);

ssize_t	sys_read(int fd, void *, size_t);
ssize_t	sys_write(int fd, const void *, size_t);
int	sys_open(const char *path, int flags);
int	sys_close(int fd);
long	sys_readlink(const char *path, char *ret, size_t);
int	sys_memfd(const char *name);
int	sys_rewind(int fd);
int	sys_pipe(int ret[2]);
int	sys_fd_exists(int fd);		/* 1: it is open */
int	sys_dup_above(int fd, int least);
int	sys_dup_to(int fd, int to);
int	sys_close_from(int least);
int	sys_poll(struct pollfd *, unsigned n, int64_t ms);
int64_t	sys_boot_ms(void);
void	sys_alarm(unsigned seconds);

pid_t	sys_pid(void);
pid_t	sys_parent(void);
int	sys_pidfd(pid_t);
int	sys_kill(pid_t, int sig);
int	sys_wait(pid_t, int *ret_status);
int	sys_die_with_parent(int sig);
int	sys_exec(const char *path, char *const argv[], char *const envp[]);
void	sys_exit(int status) __attribute__((noreturn));

/*
 * A child that shares our memory, on a stack of its own, while we stand still
 * until it has exec'ed or ended.  `run` must not return.
 */
pid_t	sys_child(void (*run)(void));

/* Every signal, or none, is blocked. */
void	sys_block_signals(int all);
/* `handler` runs on the alternate stack with everything blocked. */
void	sys_on_signal(int sig, void (*handler)(int));
void	sys_signal_stack(void *, size_t);

#endif
