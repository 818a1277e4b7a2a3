/* A page, by a program of its own: what the network says is not read here. */
#include <string.h>
#include <unistd.h>

#include "approver/executor/executor.h"
#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

/* Beside us, wherever we were installed. */
static char *
program(struct err *e)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	const char *slash = n <= 0 ? NULL : memrchr(path, '/', (size_t)n);

	if (slash == NULL) {
		err_set(e, ERR_SYSTEM, "there is no /proc");
		return NULL;
	}
	return xasprintf("%.*s/sandbox-fetch", (int)(slash - path), path);
}

int
execute_fetch(const struct work *w, int out_fd, int err_fd, pid_t *ret,
    struct err *e)
{
	const char *url = json_str(w->input, "url");
	auto_free char *path = program(e);
	const char *argv[] = { path, "--state", w->state, "--", url, NULL };
	const struct spawn_fd fds[] = { { out_fd, 1 }, { err_fd, 2 } };
	const struct spawn s = {
		.path = path,
		.argv = (char *const *)(void *)argv,
		.envp = w->envp,
		.cwd_fd = -1,
		.fds = fds,
		.n_fds = ARRAY_LEN(fds),
		.session = true,
	};

	if (url == NULL)
		return err_set(e, ERR_FORMAT, "the call has no URL");
	return path == NULL ? -1 : spawn(&s, ret, e);
}
