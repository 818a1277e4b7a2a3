#include "cmd/fire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

#define OUTPUT_MAX	(64 * 1024)

static int
input_fd(const char *input, struct err *e)
{
	auto_close int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd == -1)
		return err_sys(e, "cannot make a memory file");
	if (io_write_all(fd, input, strlen(input), e) == -1)
		return -1;
	if (lseek(fd, 0, SEEK_SET) == -1)
		return err_sys(e, "cannot rewind");
	return fd_steal(&fd);
}

/* Until end of file or the deadline; what is too long is cut. */
static int
collect(int fd, int64_t deadline, struct str *ret, struct err *e)
{
	char buf[4096];

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_boot_ms();
		int got = left <= 0 ? 0 : poll(&p, 1, (int)left);
		ssize_t n;

		if (got == -1 && errno == EINTR)
			continue;
		if (got == 0)
			return err_set(e, ERR_SYSTEM, "it did not answer in "
			    "time");
		n = read(fd, buf, sizeof buf);
		if (n == -1 && errno != EINTR)
			return err_sys(e, "cannot read its answer");
		if (n == 0)
			return 0;
		if (n > 0)
			str_addn(ret, buf, (size_t)n);
	}
}

int
fire(const char *path, char *const argv[], const char *input, int seconds,
    struct fired *ret, struct err *e)
{
	char *const envp[] = { NULL };
	auto_close int in = input_fd(input, e), out = -1;
	int pipefd[2], status, rc;
	pid_t pid;

	if (in == -1)
		return -1;
	if (pipe2(pipefd, O_CLOEXEC) == -1)
		return err_sys(e, "cannot make a pipe");
	out = pipefd[0];

	const struct spawn_fd fds[] = { { in, 0 }, { pipefd[1], 1 } };
	const struct spawn s = {
		.path = path, .argv = argv, .envp = envp, .cwd_fd = -1,
		.fds = fds, .n_fds = ARRAY_LEN(fds),
	};

	rc = spawn(&s, &pid, e);
	close(pipefd[1]);
	if (rc == -1)
		return -1;
	str_init(&ret->out, OUTPUT_MAX);
	rc = collect(out, clock_boot_ms() + seconds * 1000, &ret->out, e);
	if (rc == -1)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		;
	ret->exit = WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
	if (rc == -1)
		str_clear(&ret->out);
	return rc;
}
