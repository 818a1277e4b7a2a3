#include "jail/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/env.h"
#include "jail/inside.h"
#include "jail/pty.h"
#include "jail/reason.h"

#include "common/banned.h"

#define NAMESPACES	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | \
			 CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
			 CLONE_NEWCGROUP)

/* Not passed on: our own faults, and what is about us alone. */
static const int ours[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGCHLD,
	SIGTTIN, SIGTTOU, SIGPIPE,
};

struct outside {
	const struct jail	*jail;
	const bool		*tty;
	int			 wire, signals;
	pid_t			 pid;
	struct pty		 pty;
	int			 status;
	bool			 ended, failed;
};

static int
write_map(pid_t pid, const char *file, const char *text, struct err *e)
{
	auto_free char *path = xasprintf("/proc/%d/%s", (int)pid, file);
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		return err_sys(e, "cannot write '%s'", path);
	return 0;
}

static int
map_ids(pid_t pid, struct err *e)
{
	auto_free char *uid = xasprintf("%u %u 1", geteuid(), geteuid());
	auto_free char *gid = xasprintf("%u %u 1", getegid(), getegid());

	if (write_map(pid, "setgroups", "deny", e) == -1 ||
	    write_map(pid, "uid_map", uid, e) == -1 ||
	    write_map(pid, "gid_map", gid, e) == -1)
		return reason_add(e);
	return 0;
}

/* Start the inside; it waits for SAID_GO. */
static int
divide(struct inside *in, struct outside *out, struct err *e)
{
	struct clone_args a = { .flags = NAMESPACES, .exit_signal = SIGCHLD };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return err_sys(e, "cannot make a socket pair");
	out->pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
	if (out->pid == 0) {
		in->wire = pair[1];
		/* Ours alone: the end of the other side must be seen. */
		close_range(3, (unsigned)pair[1] - 1, 0);
		close_range((unsigned)pair[1] + 1, UINT_MAX, 0);
		inside(in);
	}
	out->wire = pair[0];
	close(pair[1]);
	if (out->pid == -1) {
		close(pair[0]);
		err_sys(e, "cannot make namespaces");
		return reason_add(e);
	}
	return 0;
}

static void
note(struct outside *o, const char *line)
{
	pty_cooked(&o->pty);
	if (o->jail->note != NULL)
		o->jail->note(o->jail->note_arg, line);
}

/* One packet, and the descriptor it carries if any; 0 at the end. */
static ssize_t
take(int wire, struct said *s, int *ret_fd)
{
	struct iovec io = { s, sizeof *s };
	union {
		struct cmsghdr	head;
		char		room[CMSG_SPACE(sizeof(int))];
	} c;
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
	    .msg_control = &c, .msg_controllen = sizeof c };
	ssize_t n;

	do
		n = recvmsg(wire, &m, MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);

	struct cmsghdr *h = n <= 0 ? NULL : CMSG_FIRSTHDR(&m);

	*ret_fd = -1;
	if (h != NULL && h->cmsg_type == SCM_RIGHTS &&
	    h->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(h), sizeof(int));
	s->text[sizeof s->text - 1] = '\0';
	return n == (ssize_t)sizeof *s ? n : 0;
}

static void
stop(struct outside *o)
{
	pty_cooked(&o->pty);
	raise(SIGSTOP);
	/* Somebody continued us; SIGCONT itself comes by the signalfd. */
	pty_resume(&o->pty);
}

/* False when the wire has ended. */
static bool
listen_inside(struct outside *o, struct err *e)
{
	struct said s = { 0 };
	int fd;

	if (take(o->wire, &s, &fd) == 0)
		return false;
	switch ((enum said_kind)s.kind) {
	case SAID_PTY:
		pty_begin(&o->pty, fd, o->tty);
		said_send(o->wire, SAID_GO, 0, NULL);
		break;
	case SAID_STOPPED:
		stop(o);
		break;
	case SAID_NOTE:
		pty_drain(&o->pty);
		note(o, s.text);
		break;
	case SAID_ENDED:
		o->ended = true;
		o->status = s.value;
		break;
	case SAID_FAILED:
		o->failed = true;
		err_set(e, ERR_SYSTEM, "%s", s.text);
		e->sys = s.value;
		break;
	case SAID_RUNS:
	case SAID_GO:
	case SAID_SIGNAL:
		break;
	}
	return true;
}

static void
listen_signals(struct outside *o)
{
	struct signalfd_siginfo si;

	if (read(o->signals, &si, sizeof si) != (ssize_t)sizeof si)
		return;
	if (si.ssi_signo == SIGWINCH)
		pty_size(&o->pty);
	else if (si.ssi_signo == SIGCONT)
		pty_resume(&o->pty);
	said_send(o->wire, SAID_SIGNAL, (int)si.ssi_signo, NULL);
}

static int
attend(struct outside *o, struct err *e)
{
	bool open = true;

	while (open) {
		struct pollfd p[4] = {
			{ .fd = o->wire, .events = POLLIN },
			{ .fd = o->signals, .events = POLLIN },
		};

		pty_wants(&o->pty, p + 2);
		if (poll(p, 4, -1) == -1 && errno != EINTR)
			return err_sys(e, "cannot wait for the jail");
		pty_copy(&o->pty, p + 2);
		if (p[1].revents != 0)
			listen_signals(o);
		if (p[0].revents != 0)
			open = listen_inside(o, e);
	}
	pty_drain(&o->pty);
	if (o->failed)
		return -1;
	if (!o->ended)
		return err_set(e, ERR_LOST, "the jail was killed from "
		    "outside, with everything in it");
	return 0;
}

static int
take_signals(sigset_t *ret_before, struct err *e)
{
	sigset_t set;
	int fd;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		sigdelset(&set, ours[i]);
	sigprocmask(SIG_BLOCK, &set, ret_before);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd == -1 ? err_sys(e, "cannot watch signals") : fd;
}

static int
run(struct inside *in, int *ret_status, struct err *e)
{
	struct outside o = { .jail = in->jail, .tty = in->tty, .wire = -1,
	    .pty = { .master = -1 } };
	sigset_t before;
	int rc = -1;

	o.signals = take_signals(&before, e);
	if (o.signals != -1 && divide(in, &o, e) == 0) {
		if (map_ids(o.pid, e) == 0 &&
		    said_send(o.wire, SAID_GO, 0, NULL) == 0)
			rc = attend(&o, e);
		close(o.wire);	/* to the inside: it is over */
		while (waitpid(o.pid, NULL, 0) == -1 && errno == EINTR)
			continue;
	}
	pty_cooked(&o.pty);
	if (o.pty.master != -1)
		close(o.pty.master);
	if (o.signals != -1)
		close(o.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		*ret_status = o.status;
	return rc;
}

static void
debug_plan(const struct plan *p)
{
	static const char *const names[] = {
		[OP_HIDE] = "hide", [OP_PRIVATE] = "private",
		[OP_READ] = "read", [OP_WRITE] = "write", [OP_DIR] = "dir",
	};

	for (size_t i = 0; i < p->n; i++) {
		auto_free char *shown = visible_line(p->v[i].path);

		fprintf(stderr, "sandbox: %-7s %s\n", names[p->v[i].kind],
		    shown);
	}
}

/* Our own variables; TMPDIR stays where its place is private or writable. */
static void
make_env(const struct jail *jail, const struct scene *scene, struct list *ret)
{
	const struct list all = { (char **)(uintptr_t)jail->environ, 0 };
	struct list set = { 0 }, from = all;
	const char *tmp;
	auto_free char *real = NULL;
	bool keep = false;

	while (jail->environ[from.n] != NULL)
		from.n++;
	tmp = env_get(&from, "TMPDIR");
	real = tmp == NULL ? NULL : realpath(tmp, NULL);
	for (size_t i = 0; real != NULL && i < scene->marks.n; i++) {
		const struct mark *m = &scene->marks.v[i];

		keep |= ((m->why & MARK_PRIVATE) != 0 &&
		    strcmp(m->path, real) == 0) ||
		    ((m->why & MARK_WRITE) != 0 && path_in(real, m->path));
	}
	list_add(&set, xasprintf("TMPDIR=%s", keep ? real : "/tmp"));
	list_add(&set, xasprintf("HOME=%s", jail->place.home));
	list_add(&set, xasprintf("PWD=%s", jail->place.cwd));
	list_add(&set, xstrdup("SANDBOX_JAIL=1"));
	if (jail->user != NULL) {
		list_add(&set, xasprintf("USER=%s", jail->user));
		list_add(&set, xasprintf("LOGNAME=%s", jail->user));
	}
	env_make(jail->spec, jail->environ, &set, ret);
	list_clear(&set);
}

/* A closed 0, 1 or 2 would be the number of the next thing we open. */
static int
fill_stdio(struct err *e)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", O_RDWR) != fd)
			return err_sys(e, "cannot open '/dev/null'");
	return 0;
}

int
jail_run(const struct jail *jail, int *ret_status, struct err *e)
{
	const struct scan_place place = {
		.cwd = jail->place.cwd, .home = jail->place.home,
		.tmpdir = getenv("TMPDIR"), .closed = jail->closed,
	};
	struct scene scene = { 0 };
	struct plan plan = { 0 };
	struct list env = { 0 };
	struct inside in = { .jail = jail, .scene = &scene, .plan = &plan,
	    .env = &env };
	int rc = -1;

	if (geteuid() == 0)
		return err_set(e, ERR_PERMITTED, "root cannot be jailed");
	if (jail->spec->list[SPEC_ALLOW_DOMAINS].n > 0)
		return err_set(e, ERR_USAGE, "network.allowedDomains is not in "
		    "this version: there is no proxy yet, and without one "
		    "nothing leads out of a jail; leave the list empty");
	if (fill_stdio(e) == -1) {
		e->sys = 0;
		return -1;
	}
	for (int fd = 0; fd < 3; fd++)
		in.tty[fd] = isatty(fd) == 1;
	if (scan(jail->spec, &place, &scene, e) == 0 &&
	    plan_make(&scene.marks, &plan, e) == 0) {
		make_env(jail, &scene, &env);
		if (jail->debug)
			debug_plan(&plan);
		for (size_t i = 0; i < scene.notes.n && jail->note != NULL; i++)
			jail->note(jail->note_arg, scene.notes.v[i]);
		rc = run(&in, ret_status, e);
	}
	list_clear(&env);
	plan_clear(&plan);
	scene_clear(&scene);
	return rc;
}
