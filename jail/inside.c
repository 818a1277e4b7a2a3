#include "jail/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/env.h"
#include "jail/harden.h"
#include "jail/ids.h"
#include "jail/input.h"
#include "jail/mounts.h"
#include "jail/net.h"
#include "jail/pass.h"
#include "jail/prepare.h"
#include "jail/spawn.h"
#include "jail/sweep.h"

#include "common/banned.h"

struct running {
	const struct inside	*in;
	struct input		 input[INPUTS];
	int			 slave;		/* of the pty, or -1 */
	int			 signals;	/* signalfd: SIGCHLD */
	pid_t			 command;
	int			 status;
	bool			 ended;
};

int
said_send(int wire, enum said_kind kind, int value, const char *text)
{
	struct said s = { .kind = (int)kind, .value = value };

	snprintf(s.text, sizeof s.text, "%s", text == NULL ? "" : text);
	return send(wire, &s, sizeof s, MSG_NOSIGNAL) == (ssize_t)sizeof s ?
	    0 : -1;
}

int
said_send_fds(int wire, enum said_kind kind, const char *text,
    const int *fds, size_t n)
{
	struct said s = { .kind = (int)kind };

	snprintf(s.text, sizeof s.text, "%s", text);
	return pass_send(wire, &s, sizeof s, fds, n);
}

static void __attribute__((noreturn))
give_up(const struct inside *in, const struct err *e)
{
	said_send(in->wire, SAID_FAILED, e->sys, e->text);
	_exit(1);
}

static int
loopback_up(struct err *e)
{
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	if (fd == -1 || ioctl(fd, SIOCSIFFLAGS, &r) == -1)
		return err_sys(e, "cannot start the loopback interface");
	return 0;
}

/* A terminal of the jail's own /dev/pts; its master goes outside. */
static int
pty_open(struct running *r, struct err *e)
{
	auto_close int master = open("/dev/ptmx", O_RDWR | O_NOCTTY |
	    O_CLOEXEC);
	int unlocked = 0;

	if (master == -1 || ioctl(master, TIOCSPTLCK, &unlocked) == -1)
		return err_sys(e, "cannot make a terminal");
	r->slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (r->slave == -1 || ioctl(r->slave, TIOCSCTTY, 0) == -1)
		return err_sys(e, "cannot open the terminal");
	if (said_send_fds(r->in->wire, SAID_PTY, "", &master, 1) == -1)
		return err_sys(e, "cannot hand the terminal out");
	return 0;
}

/* Listeners of our network, for the proxy; outside while we go on. */
static int
open_network(const struct running *r, struct err *e)
{
	int fds[NET_FDS], n;
	char text[NET_TEXT];

	if ((r->in->jail->without & JAIL_HOST_NET) == 0 &&
	    loopback_up(e) == -1)
		return -1;
	if (!net_wanted(r->in->jail->spec))
		return 0;
	n = net_listen(r->in->jail->spec, fds, text, e);
	if (n == -1)
		return -1;
	if (said_send_fds(r->in->wire, SAID_NET, text, fds, (size_t)n) == -1)
		return err_sys(e, "cannot hand the listeners out");
	while (n > 0)
		close(fds[--n]);
	return 1;
}

/* What was handed out is served: one answer for each. */
static int
await(const struct running *r, int answers, struct err *e)
{
	struct said s;

	while (answers > 0) {
		if (recv(r->in->wire, &s, sizeof s, 0) != (ssize_t)sizeof s)
			return err_set(e, ERR_SYSTEM, "nobody outside");
		answers -= s.kind == SAID_GO;
	}
	return 0;
}

static int
build(struct running *r, struct err *e)
{
	const struct inside *in = r->in;
	const bool *tty = in->tty;
	bool nested = in->jail->spec->nested;
	int answers = open_network(r, e);

	if (answers == -1 || mounts_build(in->plan, nested, e) == -1 ||
	    (answers > 0 && net_names(e) == -1) ||
	    harden_session(in->jail->spec, e) == -1)
		return -1;
	if (tty[0] || tty[1] || tty[2]) {
		if (pty_open(r, e) == -1)
			return -1;
		answers++;	/* its size and modes are set by then */
	}
	if (harden_rights(e) == -1 || await(r, answers, e) == -1)
		return -1;
	/* No capability is left that could read us past this. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_sys(e, "cannot close this process");
	return 0;
}

/*
 * A job of its own in process 1's session, as under a shell: a session whose
 * leader it were would be an orphan, which Ctrl-Z does not stop.
 */
static int
become_job(const struct inside *in, struct err *e)
{
	sigset_t ttou;

	if (setpgid(0, 0) == -1)
		return err_sys(e, "cannot make a process group");
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, NULL);
	for (int fd = 0; fd < 3; fd++)
		if (in->tty[fd] && tcsetpgrp(fd, getpgrp()) == -1)
			return err_sys(e, "cannot take the terminal");
	sigprocmask(SIG_UNBLOCK, &ttou, NULL);
	return 0;
}

/* In the command's process, after everything else. */
static int
last_walls(void *arg, struct err *e)
{
	const struct running *r = arg;
	const struct inside *in = r->in;
	bool nested = in->jail->spec->nested;

	if (become_job(in, e) == -1 || (in->jail->spec->memory != 0 &&
	    !in->counted && harden_memory(in->jail->spec, e) == -1))
		return -1;
	/* Landlock would forbid the mounts of a jail inside. */
	if (!nested && (in->jail->without & JAIL_NO_LANDLOCK) == 0 &&
	    harden_files(in->plan, e) == -1)
		return -1;
	return (in->jail->without & JAIL_NO_FILTER) != 0 ? 0 :
	    harden_calls(nested, e);
}

static int
start(struct running *r, struct err *e)
{
	const struct inside *in = r->in;
	const struct jail *jail = in->jail;
	auto_free char *path = prepare_program(jail->place.cwd, in->env,
	    jail->argv[0], e);
	auto_close int root = open("/", O_PATH | O_CLOEXEC);
	auto_close int cwd = mounts_at(root, jail->place.cwd, NULL);
	struct spawn_fd fds[4];
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_free char **envp = xcalloc(in->env->n + 1, sizeof *envp);

	if (path == NULL)
		return -1;
	if (cwd == -1) {
		err_sys(e, "cannot enter '%.120s'", jail->place.cwd);
		e->sys = 0;
		return -1;
	}
	memcpy(envp, in->env->v, in->env->n * sizeof *envp);
	for (int fd = 0; fd < 3; fd++)
		fds[fd] = (struct spawn_fd){ in->tty[fd] ? r->slave : fd, fd };
	fds[3] = (struct spawn_fd){ null, jail->null_fd };

	const struct spawn s = {
		.path = path, .argv = jail->argv, .envp = envp, .cwd_fd = cwd,
		.fds = fds, .n_fds = jail->null_fd != 0 ? 4 : 3,
		.prepare = last_walls, .arg = r, .keep_ignored = true,
	};

	if (spawn(&s, &r->command, e) == -1)
		return -1;
	if (r->slave != -1)
		close(r->slave);
	r->slave = -1;
	return 0;
}

/* Everything that has ended or stopped since last time. */
static void
reap(struct running *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != r->command)
			continue;
		if (WIFSTOPPED(status)) {
			said_send(r->in->wire, SAID_STOPPED, WSTOPSIG(status),
			    NULL);
			continue;
		}
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) :
		    128 + WTERMSIG(status);
		r->ended = true;
	}
}

/* A signal from outside; false: nobody is there any more. */
static bool
hear(struct running *r)
{
	struct said s;
	ssize_t n = recv(r->in->wire, &s, sizeof s, 0);

	if (n == -1 && errno == EINTR)
		return true;
	if (n != (ssize_t)sizeof s)
		return false;
	if (s.kind == SAID_SIGNAL && !r->ended) {
		/* A stop or its end is for the whole job. */
		bool job = s.value == SIGCONT || s.value == SIGTSTP;

		kill(job ? -r->command : r->command, s.value);
	}
	return true;
}

static void
watch(struct running *r)
{
	struct pollfd p[2] = {
		{ .fd = r->in->wire, .events = POLLIN },
		{ .fd = r->signals, .events = POLLIN },
	};
	struct signalfd_siginfo si;

	while (!r->ended) {
		if (poll(p, 2, -1) == -1 && errno != EINTR)
			return;
		if (p[0].revents != 0 && !hear(r))
			return;
		if (p[1].revents != 0 &&
		    read(r->signals, &si, sizeof si) == (ssize_t)sizeof si)
			reap(r);
	}
}

/* Nobody else is in this pid namespace afterwards. */
static void
kill_all(void)
{
	do
		kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static void
say(void *arg, const char *line)
{
	const struct running *r = arg;

	said_send(r->in->wire, SAID_NOTE, 0, line);
}

static void
finish(struct running *r)
{
	struct err e = { 0 };

	kill_all();
	r->in->scene->held.mounts = (r->in->jail->without &
	    JAIL_NO_NAMES) == 0;
	if ((r->in->jail->without & JAIL_NO_SWEEP) == 0)
		sweep_and_say(r->in->jail->spec, r->in->scene, say, r, &e);
	said_send(r->in->wire, SAID_ENDED, r->status, e.text);
}

void
inside(const struct inside *in)
{
	struct running r = { .in = in, .slave = -1, .signals = -1 };
	struct err e = { 0 };
	sigset_t all, child;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	r.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r.signals == -1) {
		err_sys(&e, "cannot watch signals");
		give_up(in, &e);
	}
	if (ids_map(in->uid, in->gid, &e) == -1 ||
	    input_begin(r.input, &e) == -1 || build(&r, &e) == -1) {
		e.sys = 0;	/* that is for a missing program */
		give_up(in, &e);
	}
	if (start(&r, &e) == -1)
		give_up(in, &e);
	/* What it prints is its own: we must not hold its pipes open. */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	watch(&r);
	input_end(r.input);
	finish(&r);
	_exit(0);
}
