#include "approver/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/mem.h"
#include "common/proc.h"

#include "common/banned.h"

#define PIDS_MAX	65536
#define KILL_MS		10000	/* then somebody's processes resist */
#define TICK_NS		2000000

struct member {
	struct proc_id	id;
	pid_t		parent;
	bool		ours;
};

int
reap_setup(struct err *e)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) == -1)
		return err_sys(e, "cannot become the reaper of what is run");
	return 0;
}

bool
reap_ended(pid_t pid, int *ret_status)
{
	bool found = false;
	int status;
	pid_t got;

	while ((got = waitpid(-1, &status, WNOHANG)) > 0) {
		if (got == pid) {
			*ret_status = status;
			found = true;
		}
	}
	return found;
}

static bool
is_pid(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

/* All processes of the machine with their parents. */
static size_t
snapshot(struct member **ret)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_names names = { 0 };
	struct member *m;
	size_t n = 0;

	*ret = NULL;
	if (proc == -1 || fs_list(proc, is_pid, PIDS_MAX, &names, NULL,
	    NULL) == -1)
		return 0;
	m = xcalloc(names.n, sizeof *m);
	for (size_t i = 0; i < names.n; i++) {
		pid_t pid = (pid_t)strtol(names.names[i], NULL, 10);

		if (proc_read(pid, &m[n].id, &m[n].parent, NULL) == 0)
			n++;
	}
	fs_names_clear(&names);
	*ret = m;
	return n;
}

static bool
parent_is_ours(const struct member *m, size_t n, pid_t parent)
{
	if (parent == getpid())
		return true;
	for (size_t i = 0; i < n; i++)
		if (m[i].id.pid == parent)
			return m[i].ours;
	return false;
}

static void
mark(struct member *m, size_t n)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (m[i].ours || !parent_is_ours(m, n, m[i].parent))
				continue;
			m[i].ours = true;
			more = true;
		}
	}
}

/* Returns how many are alive below us and did not take the signal. */
static size_t
signal_all(int sig, size_t *ret_alive)
{
	auto_free struct member *m = NULL;
	size_t n = snapshot(&m), alive = 0, resist = 0;

	mark(m, n);
	for (size_t i = 0; i < n; i++) {
		if (!m[i].ours || !proc_alive(&m[i].id))
			continue;
		alive++;
		if (kill(m[i].id.pid, sig) == -1 && errno == EPERM)
			resist++;
	}
	*ret_alive = alive;
	return resist;
}

bool
reap_none(void)
{
	siginfo_t info;
	int status;

	reap_ended(-1, &status);
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1 &&
	    errno == ECHILD;
}

static bool
any_child(pid_t pid, int *ret_status)
{
	reap_ended(pid, ret_status);
	return !reap_none();
}

size_t
reap_all(pid_t pid, int grace_ms, int *ret_status)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	int64_t end = clock_boot_ms() + grace_ms;
	size_t resist = 0, alive;

	if (any_child(pid, ret_status) && grace_ms > 0)
		signal_all(SIGTERM, &alive);
	while (any_child(pid, ret_status) && clock_boot_ms() < end)
		nanosleep(&tick, NULL);
	end = clock_boot_ms() + KILL_MS;
	while (any_child(pid, ret_status)) {
		resist = signal_all(SIGKILL, &alive);
		if (clock_boot_ms() > end || (resist > 0 && resist == alive))
			return resist > 0 ? resist : alive;
		nanosleep(&tick, NULL);
	}
	return 0;
}
