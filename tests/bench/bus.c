/*
 * tests/bench/bus.c [N [DIR]] - one round trip of the bus: publish; another
 * process wakes, locks, takes, consumes and answers; the asker wakes, reads
 * and collects.  Everything the real programs do, limits and private ledger
 * included, but policy, signatures and audit.
 *
 * Without DIR in /dev/shm, where fdatasync costs nothing: that is the time
 * "without sync"; on a disk the sync of ledger/<id>.used comes on top.
 * closed/ is emptied outside the measured time, as a sweep would.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "queue/inside.h"
#include "queue/queue.h"
#include "tests/bench/clock.h"

static struct err e;

static void __attribute__((noreturn))
die(const char *what)
{
	fprintf(stderr, "bus: %s: %s\n", what, e.text);
	exit(1);
}

static void
decide(struct queue *q, const char *project, const char *id)
{
	struct claim *c = NULL;
	struct answer a;
	struct clock now;

	if (clock_now(&now, &e) == -1 ||
	    queue_lock(q, id, &now, &c, &e) == -1 ||
	    claim_take(c, &e) == -1 ||
	    claim_consume(c, "sandbox-approval-v1\n", "00", &e) == -1)
		die("claim");
	answer_init(&a);
	memcpy(a.id, id, strlen(id) + 1);
	memcpy(a.project, project, sizeof a.project);
	a.outcome = OUTCOME_DONE;
	a.output = xstrdup("hello\n");
	if (claim_answer(c, &a, &e) == -1)
		die("answer");
	answer_clear(&a);
	claim_close(c);
}

static void
approver(const struct home *h, const struct queue_limits *lim, int n,
    int ready)
{
	char buf[4096] __attribute__((aligned(8))), path[40];
	int bell = inotify_init1(IN_CLOEXEC);
	struct queue *q;

	if (queue_open(h, lim, &q, &e) == -1)
		die("open");
	snprintf(path, sizeof path, "/proc/self/fd/%d", q->dir[DIR_PENDING]);
	if (inotify_add_watch(bell, path, IN_MOVED_TO) == -1 ||
	    write(ready, "r", 1) != 1)
		exit(1);
	while (n > 0) {
		ssize_t got = read(bell, buf, sizeof buf);

		for (ssize_t at = 0; at < got; n--) {
			struct inotify_event *ev =
			    (struct inotify_event *)(void *)(buf + at);

			decide(q, h->project, ev->name);
			at += (ssize_t)(sizeof *ev + ev->len);
		}
	}
	_exit(0);
}

static void
empty(int dirfd)
{
	struct fs_names l = { 0 };

	fs_list(dirfd, NULL, QUEUE_NAMES_MAX, &l, NULL, NULL);
	for (size_t i = 0; i < l.n; i++)
		unlinkat(dirfd, l.names[i], 0);
	fs_names_clear(&l);
}

static void
round_trip(struct queue *q, struct await *w, double *ret_submit,
    double *ret_all)
{
	struct request r;
	struct ticket t;
	struct answer a;
	struct clock now;
	double start;

	request_init(&r);
	r.origin = xstrdup("hook");
	r.agent = xstrdup("claude");
	r.tool = xstrdup("Bash");
	r.cwd = xstrdup("/");
	r.ttl_s = 60;
	r.input = json_object();
	json_add_str(r.input, "command", "npm install -g typescript");
	if (clock_now(&now, &e) == -1)
		die("clock");
	start = now_us();
	if (queue_submit(q, &r, &now, &t, &e) == -1)
		die("submit");
	*ret_submit = now_us() - start;
	if (await_wait(w, t.id, INT64_MAX, -1) != AWAIT_ANSWER ||
	    queue_read_answer(q, t.id, &a, &e) == -1 ||
	    queue_collect(q, t.id, &e) != 1)
		die("await");
	*ret_all = now_us() - start;
	answer_clear(&a);
	request_clear(&r);
	ticket_close(&t);
	empty(q->dir[DIR_CLOSED]);
}

static void
measure(const struct home *h, const struct queue_limits *lim, int n,
    const char *where)
{
	double *submit = xcalloc((size_t)n, sizeof *submit);
	double *all = xcalloc((size_t)n, sizeof *all);
	double open_us = now_us();
	struct queue *q;
	int p[2];
	char c;

	if (queue_open(h, lim, &q, &e) == -1)
		die("open");
	open_us = now_us() - open_us;
	if (pipe(p) == -1)
		die("pipe");
	pid_t pid = fork();
	if (pid == 0)
		approver(h, lim, n, p[1]);
	if (read(p[0], &c, 1) != 1)
		die("approver");
	/* One doorbell for all: closing one takes the kernel 10 ms. */
	struct await *w = await_open(q);

	for (int i = 0; i < n; i++)
		round_trip(q, w, &submit[i], &all[i]);
	await_free(w);
	waitpid(pid, NULL, 0);
	times_sort(submit, (size_t)n);
	times_sort(all, (size_t)n);
	printf("bus %s n=%d: round trip median %.1f us p10 %.1f p90 %.1f "
	    "p99 %.1f, submit median %.1f us, queue_open %.1f us\n", where, n,
	    all[n / 2], all[n / 10], all[n * 9 / 10], all[n * 99 / 100],
	    submit[n / 2], open_us);
	fflush(stdout);
	free(submit);
	free(all);
	queue_free(q);
}

int
main(int argc, char **argv)
{
	struct queue_limits lim = { 64, 8, 1000000, 16 << 20, 28800, 28800 };
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 2000;
	const char *where = argc > 2 ? argv[2] : "/dev/shm";
	auto_free char *dir = xasprintf("%s/bus.XXXXXX", where);
	auto_free char *root = NULL;
	auto_free char *base = NULL;
	auto_home struct home h = HOME_INIT;

	umask(077);
	if (digest_setup(&e) == -1 || n < 1 || mkdtemp(dir) == NULL)
		die(dir);
	root = xasprintf("%s/project", dir);
	base = xasprintf("%s/state", dir);
	if (mkdir(root, 0700) == -1 || home_create(root, base, &h, &e) == -1)
		die("home");
	measure(&h, &lim, n, where);
	execlp("rm", "rm", "-rf", dir, (char *)NULL);
	return 1;
}
