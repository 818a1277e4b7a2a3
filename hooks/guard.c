/*
 * hooks/guard.c - the program an agent starts: pretooluse, posttooluse,
 * sessionstart, configchange.
 *
 * It decides nothing.  It prepares a complete denial, drains stdin, starts
 * the worker `sandbox-gate` that lies beside it with an emptied environment
 * and a pipe, and writes once: the worker's whole answer or the denial.  It is
 * static, links no library and allocates nothing, so that neither a library
 * path nor a tunable nor an empty memory can change what it says.
 *
 * The worker gets: the call as 0 (a memfd), the pipe as 1, /dev/null as 2, a
 * pidfd of the client as 3, our arguments plus --client-pid and --locale.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/guard/caller.h"
#include "hooks/guard/denial.h"
#include "hooks/guard/sys.h"
#include "hooks/wire.h"

#include "common/banned.h"

#define QUIET_S		10	/* without an answer or a W */
#define GRACE_MS	2000	/* for the worker to withdraw its request */
#define SPARE_S		5	/* the alarm strikes behind every other limit */
#define ARGS_MAX	32

struct start {
	char  path[4096];
	char *argv[ARGS_MAX + 5];
	char  pid[12];
	char  locale[1024];	/* "LANG=C.UTF-8 TZ=Europe/Berlin" */
	int   in, out, null, client;
	pid_t guard;
};

static struct start start;
static char reply[WIRE_REPLY];

/*
 * All of stdin is read, also what is too much: a client that cannot write
 * its call may take that for a failure and go on.
 */
static int
drain(void)
{
	static char chunk[65536];
	int mem = sys_memfd("call");
	bool kept = mem >= 0;
	size_t total = 0;
	ssize_t n;

	while ((n = sys_read(0, chunk, sizeof chunk)) != 0) {
		struct pollfd f = { 0, POLLIN, 0 };

		if (n == -EAGAIN)
			sys_poll(&f, 1, -1);
		else if (n < 0 && n != -EINTR)
			deny("stdin cannot be read");
		if (n <= 0)
			continue;
		total += (size_t)n;
		kept = kept && total <= WIRE_INPUT &&
		    guard_write(mem, chunk, (size_t)n) == 0;
	}
	if (total > WIRE_INPUT)
		deny("the call is larger than 8 MiB");
	if (!kept || sys_rewind(mem) != 0)
		deny("the call cannot be kept in memory");
	return mem;
}

/* Of the environment, only how the human reads and what time it is there. */
static void
add_locale(char **envp)
{
	size_t at = 0;

	for (; *envp != NULL; envp++) {
		size_t n = strlen(*envp);

		if (!wire_locale_ok(*envp) || at + n + 2 > sizeof start.locale)
			continue;
		if (at > 0)
			start.locale[at++] = ' ';
		memcpy(start.locale + at, *envp, n + 1);
		at += n;
	}
}

static void
add_arguments(int argc, char **argv, pid_t client)
{
	static char name[] = "sandbox-gate", pid[] = "--client-pid",
	    locale[] = "--locale";
	int n = 0;

	if (argc < 1 || argc > ARGS_MAX)
		deny("too many arguments");
	start.argv[n++] = name;
	for (int i = 1; i < argc; i++)
		start.argv[n++] = argv[i];
	wire_put((uint32_t)client, start.pid);
	start.argv[n++] = pid;
	start.argv[n++] = start.pid;
	start.argv[n++] = locale;
	start.argv[n++] = start.locale;
}

/* The worker is the file beside us, wherever we were called from. */
static void
find_worker(void)
{
	static const char name[] = "sandbox-gate";
	long n = sys_readlink("/proc/self/exe", start.path, sizeof start.path);
	char *slash = n <= 0 ? NULL : memrchr(start.path, '/', (size_t)n);

	if (slash == NULL)
		deny("there is no /proc");
	if ((size_t)(slash - start.path) + 1 + sizeof name > sizeof start.path)
		deny("the path of the gate is too long");
	memcpy(slash + 1, name, sizeof name);
}

static void __attribute__((noreturn))
become_worker(void)
{
	int from[] = { start.in, start.out, start.null, start.client };
	char *none[] = { NULL };

	/* Guard gone, by whatever: the worker takes its request back. */
	if (sys_die_with_parent(SIGTERM) != 0 || sys_parent() != start.guard)
		sys_exit(127);
	/* Away from 0..3 first, so that no dup2 overwrites a later one. */
	for (int i = 0; i < 4; i++) {
		from[i] = sys_dup_above(from[i], 10);
		if (from[i] < 0)
			sys_exit(127);
	}
	for (int i = 0; i < 4; i++)
		if (sys_dup_to(from[i], i) < 0)
			sys_exit(127);
	if (sys_close_from(4) != 0)
		sys_exit(127);
	denial_disarm();
	sys_exec(start.path, start.argv, none);
	sys_exit(127);
}

/* Returns the worker's pid; its answers come from *ret_answers. */
static pid_t
start_worker(int *ret_answers)
{
	int ends[2];
	pid_t pid;

	start.guard = sys_pid();
	start.null = sys_open("/dev/null", O_RDWR);
	if (start.null < 0 || sys_pipe(ends) != 0)
		deny("no descriptor is free");
	start.out = ends[1];
	/* Our handlers must not run in the child: it would deny as well. */
	sys_block_signals(1);
	pid = sys_child(become_worker);
	denial_worker(pid);
	sys_block_signals(0);
	if (pid < 0)
		deny("no process can be started");
	sys_close(ends[1]);
	*ret_answers = ends[0];
	return pid;
}

/* One poll towards a deadline; 0: it has passed. */
static int
poll_until(struct pollfd *f, unsigned n, int64_t deadline)
{
	int64_t left = deadline - sys_boot_ms();

	return left <= 0 ? 0 : sys_poll(f, n, left);
}

/* SIGTERM lets the worker take its request back; then it has to go. */
static void __attribute__((noreturn))
end_worker(pid_t pid, int worker_fd, const char *why)
{
	struct pollfd f = { worker_fd, POLLIN, 0 };
	int64_t deadline = sys_boot_ms() + GRACE_MS;

	sys_alarm(GRACE_MS / 1000 + SPARE_S);
	sys_kill(pid, SIGTERM);
	while (poll_until(&f, 1, deadline) < 0)
		continue;
	sys_kill(pid, SIGKILL);
	denial_worker(0);
	deny(why);
}

/* Everything the worker writes until it is gone. */
static size_t
listen_to(pid_t pid, int answers)
{
	int worker_fd = sys_pidfd(pid);
	struct pollfd f[] = { { answers, POLLIN, 0 }, { start.client, POLLIN,
	    0 }, { worker_fd, POLLIN, 0 } };
	int64_t deadline = sys_boot_ms() + QUIET_S * 1000;
	bool waiting = false;
	size_t have = 0, skip;

	if (worker_fd < 0) {
		sys_kill(pid, SIGKILL);
		deny("no descriptor is free");
	}
	for (;;) {
		int n = poll_until(f, 3, deadline);

		if (n == 0)
			end_worker(pid, worker_fd,
			    "the gate did not answer in time");
		if (n > 0 && f[1].revents != 0)
			end_worker(pid, worker_fd, "the client is gone");
		/* Its end is only news once the pipe is empty. */
		if (n > 0 && (f[0].revents & POLLIN) == 0 &&
		    f[2].revents != 0)
			return have;
		if (n < 0 || f[0].revents == 0)
			continue;

		ssize_t k = sys_read(answers, reply + have,
		    sizeof reply - have);

		if (k > 0)
			have += (size_t)k;
		else if (k != -EINTR)
			f[0].fd = -1;
		if (have == sizeof reply)
			end_worker(pid, worker_fd, "the gate said too much");

		long wait_s = waiting ? 0 : wire_wait(reply, have, &skip);

		if (wait_s > 0) {
			waiting = true;
			deadline = sys_boot_ms() + wait_s * 1000;
			sys_alarm((unsigned)wait_s + SPARE_S);
		}
	}
}

int
guard_main(int argc, char **argv, char **envp)
{
	struct wire_reply r;
	int answers, status;
	pid_t caller = sys_parent(), client, pid;
	size_t have;

	denial_choose(argv);
	denial_arm();
	sys_alarm(QUIET_S + SPARE_S);
	start.in = drain();
	find_worker();
	client = caller_client(envp);
	start.client = sys_pidfd(client);
	/* Whoever adopted us is no agent; and no pid was used again. */
	if (start.client < 0 || sys_parent() != caller)
		deny("the client is gone");
	add_arguments(argc, argv, client);
	add_locale(envp);
	pid = start_worker(&answers);
	have = listen_to(pid, answers);
	denial_worker(0);
	if (sys_wait(pid, &status) != pid || status != 0)
		deny("the gate failed");
	if (!wire_reply(reply, have, &r))
		deny("the gate gave no complete answer");
	denial_answer(r.status, r.out, r.n_out, r.err, r.n_err);
}
