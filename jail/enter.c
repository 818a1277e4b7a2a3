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
#include "jail/cgroup.h"
#include "jail/cmdline.h"
#include "jail/inside.h"
#include "jail/net.h"
#include "jail/pass.h"
#include "jail/prepare.h"
#include "jail/pty.h"
#include "jail/reason.h"
#include "jail/sweep.h"

#include "common/banned.h"

#define NAMESPACES	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | \
			 CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
			 CLONE_NEWCGROUP)

#define REFUSALS_SHOWN	20
#define OURS		5	/* descriptors of our own to wait for */

struct outside {
	const struct jail	*jail;
	const bool		*tty;
	int			 wire, signals;
	pid_t			 pid;
	struct pty		 pty;
	struct net		 net;
	struct cgroup		 cgroup;
	int			 status;
	bool			 over, ended, failed, swept;
};

static void
note(struct outside *o, const char *line)
{
	pty_cooked(&o->pty);
	if (o->jail->note != NULL)
		o->jail->note(o->jail->note_arg, line);
}

/* Where memory cannot be counted together, that is said. */
static void
not_counted(struct inside *in, struct outside *out, struct err *why)
{
	in->counted = false;
	err_add(why, "limits.memory holds for each process by itself, not for "
	    "all together");
	note(out, why->text);
}

static pid_t
divide_into(struct inside *in, struct outside *out, struct clone_args *a)
{
	struct err why = { 0 };
	pid_t pid;

	if (!in->counted)
		return (pid_t)syscall(SYS_clone3, a, sizeof *a);
	a->flags |= CLONE_INTO_CGROUP;
	a->cgroup = (unsigned)out->cgroup.fd;
	pid = (pid_t)syscall(SYS_clone3, a, sizeof *a);
	if (pid != -1)
		return pid;
	a->flags &= ~(unsigned long long)CLONE_INTO_CGROUP;
	err_sys(&why, "cannot start in a control group");
	not_counted(in, out, &why);
	return (pid_t)syscall(SYS_clone3, a, sizeof *a);
}

/* Start the inside. */
static int
divide(struct inside *in, struct outside *out, struct err *e)
{
	struct clone_args a = { .flags = NAMESPACES, .exit_signal = SIGCHLD };
	struct err why = { 0 };
	int pair[2];

	in->counted = cgroup_make(in->jail->spec, &out->cgroup, &why) == 1;
	if (why.code != 0)
		not_counted(in, out, &why);

	if ((in->jail->without & JAIL_HOST_NET) != 0)
		a.flags &= ~(unsigned long long)CLONE_NEWNET;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return err_sys(e, "cannot make a socket pair");
	out->pid = divide_into(in, out, &a);
	if (out->pid == 0) {
		static struct jail own;

		own = *in->jail;
		own.argv = cmdline_clear(own.argv);
		in->jail = &own;
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

/* What was set aside. */
static void
kept(void *arg, const char *line)
{
	struct outside *o = arg;
	const struct jail_beside *b = o->jail->beside;

	if (b == NULL || b->kept == NULL) {
		note(o, line);
		return;
	}
	pty_cooked(&o->pty);
	b->kept(b->arg, line);
}

/* The inside waits until the proxy serves its listeners. */
static int
relay(struct outside *o, const struct said *s, const int *fds, size_t n,
    struct err *e)
{
	int rc = net_relay(&o->net, s->text, fds, n, e);

	while (n > 0)
		close(fds[--n]);
	if (rc == 0)
		said_send(o->wire, SAID_GO, 0, NULL);
	return rc;
}

static void
stop(struct outside *o)
{
	pty_cooked(&o->pty);
	raise(SIGSTOP);
	/* Somebody continued us; SIGCONT itself comes by the signalfd. */
	pty_resume(&o->pty);
}

/* False when the wire has ended, or should. */
static bool
listen_inside(struct outside *o, struct err *e)
{
	struct said s = { 0 };
	int fds[PASS_MAX];
	size_t n;

	if (pass_receive(o->wire, &s, sizeof s, fds, &n) !=
	    (ssize_t)sizeof s)
		return false;
	s.text[sizeof s.text - 1] = '\0';
	switch ((enum said_kind)s.kind) {
	case SAID_PTY:
		pty_begin(&o->pty, n == 1 ? fds[0] : -1, o->tty);
		said_send(o->wire, SAID_GO, 0, NULL);
		break;
	case SAID_NET:
		o->failed = relay(o, &s, fds, n, e) == -1;
		return !o->failed;
	case SAID_STOPPED:
		if (!o->over)
			stop(o);
		break;
	case SAID_NOTE:
		pty_drain(&o->pty);
		kept(o, s.text);
		break;
	case SAID_ENDED:
		/* Nothing comes after it but the process's own end. */
		o->ended = true;
		o->status = s.value;
		o->swept = s.text[0] == '\0';
		return false;
	case SAID_FAILED:
		o->failed = true;
		err_set(e, ERR_SYSTEM, "%s", s.text);
		e->sys = s.value;
		break;
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

static void
listen_proxy(struct outside *o)
{
	if (net_hear(&o->net) == 0)
		return;
	close(o->net.control);
	o->net.control = -1;
	note(o, "the proxy has died: nothing leads out of the jail any more");
}

static int
attend(struct outside *o, struct err *e)
{
	bool open = true;

	while (open) {
		const struct jail_beside *b = o->jail->beside;
		struct pollfd p[OURS + JAIL_BESIDE] = {
			{ .fd = o->wire, .events = POLLIN },
			{ .fd = o->signals, .events = POLLIN },
			{ .fd = o->net.control, .events = POLLIN },
		};
		size_t more = 0;
		int ms = -1;

		pty_wants(&o->pty, p + 3);
		if (b != NULL && b->wants != NULL)
			more = b->wants(b->arg, p + OURS, &ms);
		if (poll(p, OURS + more, ms) == -1 && errno != EINTR)
			return err_sys(e, "cannot wait for the jail");
		pty_copy(&o->pty, p + 3);
		if (b != NULL && b->turn != NULL &&
		    b->turn(b->arg, &o->net, p + OURS, more, e) == -1)
			return -1;
		if (p[2].revents != 0)
			listen_proxy(o);
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

/* The proxy starts while the inside builds. */
static int
accompany(struct outside *o, struct err *e)
{
	if (net_wanted(o->jail->spec) && net_start(o->jail->spec,
	    o->jail->proxy, &o->net, e) == -1)
		return -1;
	return attend(o, e);
}

/* To the inside: it is over.  It still says what it sets aside. */
static void
hear_out(struct outside *o)
{
	struct err late = { 0 };

	o->over = true;
	shutdown(o->wire, SHUT_WR);
	while (!o->ended && listen_inside(o, &late))
		continue;
}

static void
tell_refused(struct outside *o)
{
	struct list lines = { 0 };

	net_notes(&o->net, REFUSALS_SHOWN, &lines);
	for (size_t i = 0; i < lines.n; i++)
		note(o, lines.v[i]);
	list_clear(&lines);
	net_end(&o->net);
}

/*
 * Process 1 was killed, or could not do it: everything inside is dead, so that
 * it can be done from here.  The command's status must not hide that it failed.
 */
static int
sweep_instead(struct outside *o, const struct scene *scene, struct err *e)
{
	const struct jail *jail = o->jail;
	struct err why = { 0 };

	if (o->swept || o->failed || (jail->without & JAIL_NO_SWEEP) != 0 ||
	    sweep_and_say(jail->spec, scene, kept, o, &why) == 0)
		return 0;
	return err_set(e, ERR_LOST, "WHAT THE COMMAND LEFT COULD NOT BE LOOKED "
	    "THROUGH (%.120s): look for new names before you go on", why.text);
}

static int
run(struct inside *in, int *ret_status, struct err *e)
{
	struct outside o = { .jail = in->jail, .tty = in->tty, .wire = -1,
	    .pty = { .master = -1 }, .net = { .control = -1,
	    .beside = in->jail->beside }, .cgroup = CGROUP_NONE };
	sigset_t before;
	int rc = -1;

	o.signals = prepare_signals(&before, e);
	if (o.signals != -1 && divide(in, &o, e) == 0) {
		rc = accompany(&o, e);
		hear_out(&o);
		close(o.wire);
		while (waitpid(o.pid, NULL, 0) == -1 && errno == EINTR)
			continue;
		if (sweep_instead(&o, in->scene, e) == -1)
			rc = -1;
	}
	cgroup_end(&o.cgroup);
	pty_cooked(&o.pty);
	tell_refused(&o);
	if (o.pty.master != -1)
		close(o.pty.master);
	if (o.signals != -1)
		close(o.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		*ret_status = o.status;
	return rc;
}

int
jail_run(const struct jail *jail, int *ret_status, struct err *e)
{
	const struct scan_place place = {
		.cwd = jail->place.cwd, .home = jail->place.home,
		.account = jail->place.account, .environ = jail->environ,
		.tmpdir = getenv("TMPDIR"), .closed = jail->closed,
		.gifts = jail->gifts,
	};
	struct scene scene = { 0 };
	struct plan plan = { 0 };
	struct list env = { 0 };
	struct inside in = { .jail = jail, .scene = &scene, .plan = &plan,
	    .env = &env, .uid = geteuid(), .gid = getegid() };
	int rc = -1;

	if (geteuid() == 0)
		return err_set(e, ERR_PERMITTED, "root cannot be jailed");
	if (net_wanted(jail->spec) && jail->proxy == NULL)
		BUG("a way out without a proxy");
	if (prepare_stdio(e) == -1) {
		e->sys = 0;
		return -1;
	}
	for (int fd = 0; fd < 3; fd++)
		in.tty[fd] = isatty(fd) == 1;
	if (scan(jail->spec, &place, &scene, e) == 0 &&
	    plan_make(prepare_marks(jail, &scene.marks), &plan, e) == 0) {
		prepare_env(jail, &scene, &env);
		if (jail->debug)
			prepare_debug(&plan);
		for (size_t i = 0; i < scene.notes.n && jail->note != NULL; i++)
			jail->note(jail->note_arg, scene.notes.v[i]);
		rc = run(&in, ret_status, e);
	}
	list_clear(&env);
	plan_clear(&plan);
	scene_clear(&scene);
	return rc;
}
