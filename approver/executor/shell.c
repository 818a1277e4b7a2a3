#include <sys/ioctl.h>
#include <unistd.h>

#include "approver/executor/executor.h"
#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

static int
take_terminal(void *arg, struct err *e)
{
	(void)arg;
	return ioctl(STDIN_FILENO, TIOCSCTTY, 0) == 0 ? 0 :
	    err_sys(e, "cannot take the terminal");
}

/* argv of exec is not const in C; nobody writes into these. */
static char arg_bash[] = "bash", arg_c[] = "-c", arg_end[] = "--";

int
execute_shell(const struct work *w, int out_fd, int err_fd, pid_t *ret,
    struct err *e)
{
	const char *text = json_str(w->input, "command");
	auto_free char *command = xstrdup(text);
	char *argv[] = { arg_bash, arg_c, arg_end, command, NULL };
	const struct spawn_fd fds[] = { { out_fd, 1 }, { err_fd, 2 },
		{ out_fd, 0 } };
	const struct spawn s = {
		.path = "/bin/bash",
		.argv = argv,
		.envp = w->envp,
		.cwd_fd = w->cwd_fd,
		.fds = fds,
		.n_fds = w->attached ? 3 : 2,
		.session = true,
		.prepare = w->attached ? take_terminal : NULL,
	};

	if (command == NULL)
		return err_set(e, ERR_FORMAT, "the call has no command");
	return spawn(&s, ret, e);
}
