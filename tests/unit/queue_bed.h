/*
 * tests/unit/queue_bed.h - a project with a queue in a temporary folder, for
 * every test of the queue.
 *
 *	struct bed b;
 *	bed_make(&b);		root, state, home, queue, limits, clock
 *	id = bed_submit(&b, "cmd");
 *	bed_drop(&b);
 */
#ifndef TESTS_QUEUE_BED_H
#define TESTS_QUEUE_BED_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "queue/inside.h"
#include "queue/queue.h"

struct bed {
	char			 dir[64], root[80], base[80];
	struct home		 home;
	struct queue_limits	 lim;
	struct queue		*q;
	struct clock		 now;
	struct err		 e;
};

#define ok(b, call) ck_assert_msg((call) != -1, "%s: %s", #call, (b)->e.text)

__attribute__((unused)) static void
bed_open(struct bed *b)
{
	ok(b, home_open(b->root, NULL, b->base, &b->home, &b->e));
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
}

__attribute__((unused)) static void
bed_make_at(struct bed *b, const char *where)
{
	*b = (struct bed){ .home = HOME_INIT, .lim = { .pending_max = 64,
		.pending_session_max = 8, .new_per_minute = 10,
		.bytes_max = 16 << 20, .ttl_max_s = 28800,
		.answer_keep_s = 28800 } };
	umask(077);
	ok(b, digest_setup(&b->e));
	auto_free char *real = realpath(where, NULL);

	ck_assert(real != NULL && strlen(real) < 40);
	snprintf(b->dir, sizeof b->dir, "%.40s/queue.XXXXXX", real);
	ck_assert_ptr_nonnull(mkdtemp(b->dir));
	snprintf(b->root, sizeof b->root, "%s/project", b->dir);
	snprintf(b->base, sizeof b->base, "%s/state", b->dir);
	ck_assert_int_eq(mkdir(b->root, 0700), 0);
	ok(b, home_create(b->root, b->base, &b->home, &b->e));
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
	ok(b, clock_now(&b->now, &b->e));
}

__attribute__((unused)) static void
bed_make(struct bed *b)
{
	const char *tmp = getenv("TMPDIR");

	bed_make_at(b, tmp == NULL ? "/tmp" : tmp);
}

__attribute__((unused)) static void
bed_remove(const char *dir)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execlp("rm", "rm", "-rf", dir, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

__attribute__((unused)) static void
bed_drop(struct bed *b)
{
	queue_free(b->q);
	home_close(&b->home);
	bed_remove(b->dir);
}

__attribute__((unused)) static void
bed_request(struct request *r, const char *command)
{
	request_init(r);
	r->origin = xstrdup("hook");
	r->agent = xstrdup("claude");
	r->session = xstrdup("s-1");
	r->tool = xstrdup("Bash");
	r->cwd = xstrdup("/");
	r->ttl_s = 3600;
	r->input = json_object();
	json_add_str(r->input, "command", command);
	digest_of(command, strlen(command), NULL, &r->call_key);
}

/* Publish; the asker's lock goes with the ticket, which is closed here. */
__attribute__((unused)) static const char *
bed_submit(struct bed *b, const char *command)
{
	static char id[ID_MAX + 1];
	struct request r;
	struct ticket t;

	bed_request(&r, command);
	ok(b, queue_submit(b->q, &r, &b->now, &t, &b->e));
	memcpy(id, t.id, sizeof id);
	ticket_close(&t);
	request_clear(&r);
	return id;
}

__attribute__((unused)) static void
bed_answer(struct bed *b, const char *id, enum outcome o, struct answer *a)
{
	answer_init(a);
	memcpy(a->id, id, strlen(id) + 1);
	memcpy(a->project, b->home.project, sizeof a->project);
	a->outcome = o;
	a->approval = xstrdup("sandbox-approval-v1\n");
	a->approval_sig = xstrdup("00");
	if (o == OUTCOME_DONE)
		a->output = xstrdup("hello\n");
}

/* Lock, take, consume: what an approver does before the runner starts. */
__attribute__((unused)) static struct claim *
bed_consume(struct bed *b, const char *id)
{
	struct claim *c = NULL;

	ok(b, queue_lock(b->q, id, &b->now, &c, &b->e));
	ok(b, claim_take(c, &b->e));
	ok(b, claim_consume(c, "stmt\n", "sig", &b->e));
	return c;
}

/* All of it: the request ends answered. */
__attribute__((unused)) static void
bed_decide(struct bed *b, const char *id)
{
	struct claim *c = bed_consume(b, id);
	struct answer a;

	ok(b, claim_started(c, &b->e));
	bed_answer(b, id, OUTCOME_DONE, &a);
	ok(b, claim_answer(c, &a, &b->e));
	answer_clear(&a);
	claim_close(c);
}

/* How many names does a folder of the queue hold? */
__attribute__((unused)) static size_t
bed_count(struct bed *b, enum queue_dir d)
{
	struct fs_names l = { 0 };
	size_t n;

	ok(b, fs_list(b->q->dir[d], NULL, 100000, &l, NULL, &b->e));
	n = l.n;
	fs_names_clear(&l);
	return n;
}

__attribute__((unused)) static void
bed_write(struct bed *b, enum queue_dir d, const char *name, const char *text,
    size_t len)
{
	ok(b, fs_write_new(b->q->dir[d], name, text, len, false, &b->e));
}

#endif
