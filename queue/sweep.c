/*
 * After crashes: bring every id back to a state of the table in
 * docs/QUEUE.md.  The private side says what is true; the folder follows.
 */
#include "queue/inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define TMP_KEEP_S	600
#define RUN_KEEP_S	60
#define CLOSED_KEEP_S	(7 * 24 * 3600)

struct sweep {
	struct queue		*q;
	const struct clock	*now;
	sweep_fn		*said;
	void			*arg;
};

static void
say(const struct sweep *s, enum sweep_kind kind, const char *id)
{
	if (s->said != NULL)
		s->said(s->arg, kind, id);
}

static void
aside(const struct sweep *s, enum queue_dir from, const char *name)
{
	/* Gone meanwhile: somebody honest moved it on. */
	if (queue_set_aside(s->q, from, name))
		say(s, SWEEP_DAMAGED, name);
}

/* Further from now than `keep_s`, in either direction: times can be forged. */
static bool
is_old(const struct sweep *s, int dirfd, const char *name, int64_t keep_s)
{
	struct stat st;
	int64_t age;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return false;
	age = s->now->wall_ms / 1000 - st.st_mtime;
	return age > keep_s || age < -keep_s;
}

typedef void step_fn(const struct sweep *, enum queue_dir, const char *name);

/* Every name of a folder: those `want` accepts to `step`, others aside. */
static int
each(const struct sweep *s, enum queue_dir from, bool (*want)(const char *),
    step_fn *step, struct err *e)
{
	struct fs_names l = { 0 };

	if (fs_list(s->q->dir[from], NULL, QUEUE_NAMES_MAX, &l, NULL, e) == -1)
		return -1;
	for (size_t i = 0; i < l.n; i++)
		if (want(l.names[i]))
			step(s, from, l.names[i]);
		else
			aside(s, from, l.names[i]);
	fs_names_clear(&l);
	return 0;
}

static void
sweep_tmp(const struct sweep *s, enum queue_dir from, const char *name)
{
	int fd = s->q->dir[from];

	if (!is_old(s, fd, name, TMP_KEEP_S))
		return;
	if (unlinkat(fd, name, 0) == 0)
		say(s, SWEEP_TMP, name);
	else
		aside(s, from, name);		/* a directory */
}

/*
 * Is the file one that may wait?  False: it was dealt with.
 */
static bool
still_waits(const struct sweep *s, enum queue_dir from, const char *id)
{
	struct request r;
	struct err e;
	bool over;

	if (queue_get(s->q, from, id, &r, NULL, &e) == -1) {
		if (e.code == ERR_FORMAT)
			aside(s, from, id);
		return false;
	}
	if (queue_admit(s->q, &r, s->now, NULL) == -1) {
		request_clear(&r);
		aside(s, from, id);
		return false;
	}
	over = request_expired(&r, s->now);
	request_clear(&r);
	if (over && queue_move(s->q, from, DIR_CLOSED, id, NULL) == 0)
		say(s, SWEEP_EXPIRED, id);
	return !over;
}

static void
sweep_pending(const struct sweep *s, enum queue_dir from, const char *id)
{
	if (queue_ledger_has(s->q, id, LEDGER_USED))
		aside(s, from, id);		/* put back by someone */
	else
		still_waits(s, from, id);
}

/*
 * Consumed, and nobody holds it.  The private copy of an answer is the truth
 * about what came of it; without one, a denial that was consumed is one, and
 * `.started` says what is known of a run.
 */
static void
finish_used(const struct sweep *s, const char *id, int rundir)
{
	struct answer a;
	struct err e;
	enum sweep_kind kind = SWEEP_DELIVERED;

	if (queue_has(rundir, RUN_ANSWER)) {
		if (queue_republish(s->q, id, rundir, &e) == 0)
			say(s, kind, id);
		return;
	}
	if (queue_get_denial(s->q, id, rundir, &a)) {
		kind = SWEEP_DENIED;
	} else {
		bool ran = queue_ledger_has(s->q, id, LEDGER_STARTED);

		answer_init(&a);
		memcpy(a.id, id, strlen(id) + 1);
		memcpy(a.project, s->q->home->project, sizeof a.project);
		a.outcome = ran ? OUTCOME_UNKNOWN : OUTCOME_NOT_STARTED;
		kind = ran ? SWEEP_UNKNOWN : SWEEP_NOT_STARTED;
	}
	if (queue_publish(s->q, rundir, &a, &e) == 0)
		say(s, kind, id);
	answer_clear(&a);
}

/* Not consumed: its approver is gone, it waits again. */
static void
release(const struct sweep *s, const char *id, int rundir)
{
	if (queue_has(s->q->dir[DIR_CLAIMED], id) &&
	    still_waits(s, DIR_CLAIMED, id) &&
	    queue_move(s->q, DIR_CLAIMED, DIR_PENDING, id, NULL) == 0)
		say(s, SWEEP_RELEASED, id);
	queue_run_remove(s->q, id, rundir);
}

/* Answered, closed, and the answer is where its asker will look for it. */
static bool
is_settled(const struct sweep *s, const char *id)
{
	char copy[ID_MAX + sizeof "/" RUN_ANSWER], answer[ANSWER_NAME];

	snprintf(copy, sizeof copy, "%s/" RUN_ANSWER, id);
	queue_answer_name(id, answer);
	return queue_has(s->q->home->run, copy) &&
	    !queue_has(s->q->dir[DIR_CLAIMED], id) &&
	    (queue_ledger_has(s->q, id, LEDGER_COLLECTED) ||
	    queue_has(s->q->dir[DIR_ANSWERED], answer));
}

static void
sweep_claim(const struct sweep *s, const char *id)
{
	auto_close int dir = -1;
	auto_close int lock = -1;
	bool used = queue_ledger_has(s->q, id, LEDGER_USED);

	/* Somebody may be about to take it: no lock of ours in their way. */
	if (!used && !queue_has(s->q->dir[DIR_CLAIMED], id) &&
	    !is_old(s, s->q->home->run, id, RUN_KEEP_S))
		return;
	if (is_settled(s, id) ||
	    queue_run_lock(s->q, id, &dir, &lock, NULL) != 1)
		return;
	used = queue_ledger_has(s->q, id, LEDGER_USED);	/* now it counts */
	if (!used)
		release(s, id, dir);
	else if (queue_has(dir, RUN_ANSWER) ||
	    !queue_ledger_has(s->q, id, LEDGER_COLLECTED))
		finish_used(s, id, dir);
	else
		aside(s, DIR_CLAIMED, id);	/* long over, put back */
}

static void
sweep_claimed(const struct sweep *s, enum queue_dir from, const char *id)
{
	(void)from;
	sweep_claim(s, id);
}

/* By the private side too: a file moved out of claimed/ hides nothing. */
static int
sweep_runs(const struct sweep *s, struct err *e)
{
	struct fs_names l = { 0 };

	if (fs_list(s->q->home->run, id_ok, QUEUE_NAMES_MAX, &l, NULL, e)
	    == -1)
		return -1;
	for (size_t i = 0; i < l.n; i++)
		sweep_claim(s, l.names[i]);
	fs_names_clear(&l);
	return 0;
}

static void
sweep_answer(const struct sweep *s, enum queue_dir from, const char *name)
{
	char id[ID_MAX + 1];
	size_t n = strlen(name) - 2;

	memcpy(id, name, n);
	id[n] = '\0';
	if (!queue_ledger_has(s->q, id, LEDGER_USED)) {
		aside(s, from, name);		/* nobody decided that */
		return;
	}
	if (queue_ledger_has(s->q, id, LEDGER_COLLECTED)) {
		/* Its collector died before the rename, or it was put back. */
		queue_move(s->q, from, DIR_CLOSED, name, NULL);
		return;
	}
	if (!is_old(s, s->q->dir[from], name, s->q->lim.answer_keep_s))
		return;
	/* The mark first: from here on nobody can collect it. */
	if (queue_ledger_add(s->q, id, LEDGER_COLLECTED, "", false, NULL)
	    == 0 &&
	    queue_move(s->q, from, DIR_CLOSED, name, NULL) == 0)
		say(s, SWEEP_UNCOLLECTED, id);
}

static bool
is_closed_name(const char *name)
{
	return id_ok(name) || queue_is_answer(name);
}

/* The ledger stays for ever: it is what "at most once" rests on. */
static void
sweep_closed(const struct sweep *s, enum queue_dir from, const char *name)
{
	auto_close int dir = -1;
	auto_close int lock = -1;

	if (!is_old(s, s->q->dir[from], name, CLOSED_KEEP_S))
		return;
	/* Decided, and its asker was not told yet: not over. */
	if (id_ok(name) && queue_ledger_has(s->q, name, LEDGER_USED) &&
	    !queue_ledger_has(s->q, name, LEDGER_COLLECTED))
		return;
	if (unlinkat(s->q->dir[from], name, 0) == -1) {
		aside(s, from, name);
		return;
	}
	if (!id_ok(name))
		return;
	if (queue_has(s->q->home->run, name) &&
	    queue_run_lock(s->q, name, &dir, &lock, NULL) == 1)
		queue_run_remove(s->q, name, dir);
	say(s, SWEEP_REMOVED, name);
}

int
queue_sweep(struct queue *q, const struct clock *now, sweep_fn *said,
    void *arg, struct err *e)
{
	const struct sweep s = { q, now, said, arg };

	if (each(&s, DIR_TMP, id_ok, sweep_tmp, e) == -1 ||
	    each(&s, DIR_PENDING, id_ok, sweep_pending, e) == -1 ||
	    each(&s, DIR_CLAIMED, id_ok, sweep_claimed, e) == -1 ||
	    sweep_runs(&s, e) == -1 ||
	    each(&s, DIR_ANSWERED, queue_is_answer, sweep_answer, e) == -1 ||
	    each(&s, DIR_CLOSED, is_closed_name, sweep_closed, e) == -1)
		return err_add(e, "sweep");
	queue_drop_blobs(q, now);
	queue_forget_clients(q->home);
	return 0;
}
