/*
 * tests/unit/guard_fake.h - a kernel for the guard that does as it is told.
 *
 * The guard links nothing, so it can be compiled here as it is, over a
 * hooks/guard/sys.h whose every call is scripted: which call fails how, what
 * the descriptors say, what time it is, which signal arrives where.
 *
 *	fake_fails("pipe", 0, -EMFILE);
 *	fake_run(argv, envp);			until the guard exits
 *	fake.out, fake.err, fake.status
 */
#ifndef TESTS_GUARD_FAKE_H
#define TESTS_GUARD_FAKE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "hooks/guard/sys.h"

#define FAKE_SCRIPT	16
#define FAKE_FD_MEM	10
#define FAKE_FD_ANSWERS	20
#define FAKE_FD_STAT	30
#define FAKE_PID	500	/* the guard; its parent is 400 */
#define FAKE_PARENT	400
#define FAKE_WORKER	600

/* n > 0: that many bytes of s, or of 'x'; 0: the end; < 0: an error. */
struct feed {
	ssize_t		 n;
	const char	*s;
};

/* One poll of the loop that listens: which descriptors are ready. */
struct ring {
	int	ret;
	short	ready[3];
};

struct fake {
	struct feed	 in[FAKE_SCRIPT], said[FAKE_SCRIPT];
	struct feed	 stat[FAKE_SCRIPT];
	struct ring	 rings[FAKE_SCRIPT];
	int		 repeat_in;	/* full reads of stdin before `in` */
	int		 n_in, n_said, n_stat, n_rings;
	struct { const char *call; int nth; long value; } fails[FAKE_SCRIPT];
	struct { const char *call; int nth; int sig; } raises[FAKE_SCRIPT];
	struct { const char *call; int n; } seen[64];
	void		(*handler[65])(int);
	int64_t		 now, tick;
	int		 worker_status;
	bool		 in_child;	/* the guard plays its own child */
	bool		 is_child;	/* and does so from here on */
	const char	*self;		/* /proc/self/exe */
	/* what came of it */
	jmp_buf		 over;
	char		 out[1 << 20], err[4096];
	size_t		 n_out, n_err, n_mem;
	int		 status, killed[FAKE_SCRIPT], n_killed;
	char		 path[4096], *argv[40];
	unsigned	 alarm;
};

static struct fake fake = { .self = "/usr/lib/sandbox/pretooluse" };

static inline void
fake_fails(const char *call, int nth, long value)
{
	for (int i = 0; i < FAKE_SCRIPT; i++)
		if (fake.fails[i].call == NULL) {
			fake.fails[i].call = call;
			fake.fails[i].nth = nth;
			fake.fails[i].value = value;
			return;
		}
	abort();
}

static inline void
fake_raises(const char *call, int nth, int sig)
{
	fake.raises[0].call = call;
	fake.raises[0].nth = nth;
	fake.raises[0].sig = sig;
}

/* The n-th call of that name: what was scripted for it, else `good`. */
static long
outcome(const char *call, long good)
{
	int n, i = 0;

	while (fake.seen[i].call != NULL &&
	    strcmp(fake.seen[i].call, call) != 0)
		i++;
	fake.seen[i].call = call;
	n = fake.seen[i].n++;
	for (i = 0; i < FAKE_SCRIPT; i++)
		if (fake.raises[i].call != NULL &&
		    strcmp(fake.raises[i].call, call) == 0 &&
		    fake.raises[i].nth == n)
			fake.handler[fake.raises[i].sig](fake.raises[i].sig);
	for (i = 0; i < FAKE_SCRIPT; i++)
		if (fake.fails[i].call != NULL &&
		    strcmp(fake.fails[i].call, call) == 0 &&
		    fake.fails[i].nth == n)
			return fake.fails[i].value;
	return good;
}

static ssize_t
feed_next(const struct feed *f, int *n, char *buf, size_t max)
{
	const struct feed *now = &f[*n];

	if (now->n > 0) {
		if ((size_t)now->n > max)
			abort();
		if (now->s != NULL)
			memcpy(buf, now->s, (size_t)now->n);
		else
			memset(buf, 'x', (size_t)now->n);
	}
	(*n)++;
	return now->n;
}

ssize_t
sys_read(int fd, void *buf, size_t max)
{
	switch (fd) {
	case 0:
		if (fake.repeat_in > 0) {
			fake.repeat_in--;
			memset(buf, 'x', max);
			return (ssize_t)max;
		}
		return feed_next(fake.in, &fake.n_in, buf, max);
	case FAKE_FD_ANSWERS:
		return feed_next(fake.said, &fake.n_said, buf, max);
	case FAKE_FD_STAT:
		return feed_next(fake.stat, &fake.n_stat, buf, max);
	default:
		abort();
	}
}

ssize_t
sys_write(int fd, const void *buf, size_t n)
{
	static const char *const names[] = { "write0", "write1", "write2" };
	ssize_t done = outcome(fd <= 2 ? names[fd] : "write", (long)n);

	if (done <= 0)
		return done;
	if (fd == 1) {
		memcpy(fake.out + fake.n_out, buf, (size_t)done);
		fake.n_out += (size_t)done;
	} else if (fd == 2) {
		memcpy(fake.err + fake.n_err, buf, (size_t)done);
		fake.n_err += (size_t)done;
	} else {
		fake.n_mem += (size_t)done;
	}
	return done;
}

int
sys_open(const char *path, int flags)
{
	(void)flags;
	if (strncmp(path, "/proc/", 6) == 0)
		return (int)outcome("open stat", FAKE_FD_STAT);
	return (int)outcome("open null", 11);
}

long
sys_readlink(const char *path, char *ret, size_t max)
{
	long n = outcome("readlink", (long)strlen(fake.self));

	(void)path;
	if (n > 0)
		memcpy(ret, fake.self, (size_t)n < max ? (size_t)n : max);
	return n;
}

int
sys_pipe(int ret[2])
{
	ret[0] = FAKE_FD_ANSWERS;
	ret[1] = FAKE_FD_ANSWERS + 1;
	return (int)outcome("pipe", 0);
}

int
sys_poll(struct pollfd *f, unsigned n, int64_t ms)
{
	const struct ring *r = &fake.rings[fake.n_rings];

	(void)ms;
	if (n == 3 && r->ret == 0 && r->ready[0] == 0) {
		/* Nothing scripted: words while there are, then the end. */
		bool more = fake.said[fake.n_said].n != 0;

		f[0].revents = more ? POLLIN : 0;
		f[1].revents = 0;
		f[2].revents = more ? 0 : POLLIN;
		return 1;
	}
	if (n != 3)
		return (int)outcome("poll", 1);
	fake.n_rings++;
	for (unsigned i = 0; i < n; i++)
		f[i].revents = r->ready[i];
	return r->ret;
}

int64_t
sys_boot_ms(void)
{
	return fake.now += fake.tick;
}

pid_t
sys_child(void (*run)(void))
{
	pid_t pid = (pid_t)outcome("child", FAKE_WORKER);

	if (fake.in_child) {
		fake.is_child = true;
		run();
	}
	return pid;
}

int
sys_exec(const char *path, char *const argv[], char *const envp[])
{
	snprintf(fake.path, sizeof fake.path, "%s", path);
	for (int i = 0; argv[i] != NULL; i++)
		fake.argv[i] = argv[i];
	if (envp[0] != NULL)
		abort();
	return -ENOENT;
}

int
sys_wait(pid_t pid, int *ret_status)
{
	*ret_status = fake.worker_status;
	return (int)outcome("wait", pid);
}

void
sys_exit(int status)
{
	fake.status = status;
	longjmp(fake.over, 1);
}

int
sys_kill(pid_t pid, int sig)
{
	if (pid != FAKE_WORKER)
		abort();
	fake.killed[fake.n_killed++] = sig;
	return 0;
}

void
sys_on_signal(int sig, void (*handler)(int))
{
	fake.handler[sig] = handler;
}

#define ANSWERS(name, params, good)					\
int									\
sys_##name params							\
{									\
	return (int)outcome(#name, good);				\
}
ANSWERS(close, (int fd), fd * 0)
ANSWERS(memfd, (const char *name), name == NULL ? -1 : FAKE_FD_MEM)
ANSWERS(rewind, (int fd), fd * 0)
ANSWERS(fd_exists, (int fd), fd < 3)
ANSWERS(dup_above, (int fd, int least), fd + least)
ANSWERS(dup_to, (int fd, int to), to + fd * 0)
ANSWERS(close_from, (int least), least * 0)
ANSWERS(pid, (void), FAKE_PID)
ANSWERS(parent, (void), fake.is_child ? FAKE_PID : FAKE_PARENT)
ANSWERS(pidfd, (pid_t pid), pid == FAKE_WORKER ? 41 : 40)
ANSWERS(die_with_parent, (int sig), sig * 0)

void
sys_alarm(unsigned seconds)
{
	fake.alarm = seconds;
}

void
sys_block_signals(int all)
{
	(void)all;
}

void
sys_signal_stack(void *stack, size_t n)
{
	(void)stack;
	(void)n;
}

/* Strings of one's own, as the kernel gives them to a program; twice a test. */
static char **
fake_copy(const char *const list[], int *ret_n)
{
	static struct { char *list[80], text[8192]; } places[2], *p = places;
	char *at = p->text;
	int n = 0;

	for (; list[n] != NULL; n++) {
		size_t len = strlen(list[n]) + 1;

		if (n == 79 || p == places + 2 ||
		    at + len > p->text + sizeof p->text)
			abort();
		p->list[n] = memcpy(at, list[n], len);
		at += len;
	}
	*ret_n = n;
	return (p++)->list;
}

static void
fake_run(const char *const argv[], const char *const envp[])
{
	int argc, envc;
	char **args = fake_copy(argv, &argc), **env = fake_copy(envp, &envc);

	if (setjmp(fake.over) == 0)
		fake.status = guard_main(argc, args, env);
	fake.out[fake.n_out] = '\0';
	fake.err[fake.n_err] = '\0';
}

/* --- what most tests begin and end with --- */

static const char *const before[] = { "pretooluse", "--client", "claude",
	"--event", "PreToolUse", "--root", "/p", "--state", "/s", NULL };
static const char *const no_env[] = { NULL };

#define GOOD	"A 0 2 0\n{}E\n"

static void
worker_says(const char *text)
{
	fake.said[0] = (struct feed){ (ssize_t)strlen(text), text };
}

static void
asked(void)
{
	fake.in[0] = (struct feed){ 5, "{\"a\":" };
	fake.in[1] = (struct feed){ 2, "1}" };
	worker_says(GOOD);
}

static inline void
ck_denied(const char *why)
{
	ck_assert_int_eq(fake.status, 0);
	ck_assert_ptr_nonnull(strstr(fake.out,
	    "\"permissionDecision\":\"deny\""));
	ck_assert_msg(strstr(fake.out, why) != NULL, "'%s' is not in '%s'",
	    why, fake.out);
	ck_assert_str_eq(fake.out + fake.n_out - 3, "\"}}");
}

#endif
