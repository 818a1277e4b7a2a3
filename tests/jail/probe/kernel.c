/* tests/jail/probe/kernel.c - calls that no command needs. */
#include "tests/jail/probe/probe.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
io_ring(char **args)
{
	char setup[256] = { 0 };	/* struct io_uring_params and more */

	(void)args;
	return expect_failure(syscall(SYS_io_uring_setup, 4, setup),
	    "io_uring");
}

static int
load_map(char **args)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_HASH, .key_size = 4,
		.value_size = 4, .max_entries = 1 };

	(void)args;
	return expect_failure(syscall(SYS_bpf, BPF_MAP_CREATE, &map,
	    sizeof map), "bpf");
}

static int
count_events(char **args)
{
	struct perf_event_attr what = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof what, .config = PERF_COUNT_SW_CPU_CLOCK };

	(void)args;
	return expect_failure(syscall(SYS_perf_event_open, &what, 0, -1, -1,
	    0), "perf_event_open");
}

static int
fault_pages(char **args)
{
	(void)args;
	return expect_failure(syscall(SYS_userfaultfd, 0), "userfaultfd");
}

static int
unshare_user(char **args)
{
	(void)args;
	return expect_failure(become_root(0), "a new user namespace");
}

static int
clone_user(char **args)
{
	struct clone_args how = { .flags = CLONE_NEWUSER,
		.exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &how, sizeof how);

	(void)args;
	if (pid == 0)
		_exit(0);
	return expect_failure(pid, "a new user namespace by clone3");
}

/* FILE below /proc/sys; it is not written to. */
static int
open_setting(char **args)
{
	return expect_failure(open(args[0], O_WRONLY | O_CLOEXEC),
	    "opened a setting of the kernel");
}

const struct attack kernel_attacks[] = {
	{ "uring", 0, io_ring }, { "bpf", 0, load_map },
	{ "perf", 0, count_events }, { "uffd", 0, fault_pages },
	{ "userns", 0, unshare_user }, { "usernsclone3", 0, clone_user },
	{ "procsys", 1, open_setting }, { NULL, 0, NULL }
};
