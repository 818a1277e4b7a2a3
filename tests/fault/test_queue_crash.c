/*
 * kill -9 at every system call of every step: never lost silently, never
 * runnable twice, and the state table holds.
 */
#include "tests/fault/crash.h"
#include "tests/fault/queue_states.h"
#include "tests/unit/unit.h"

struct step {
	struct bed	*b;
	const char	*command;
	char		 id[ID_MAX + 1];
	char		 mark[32];	/* file that counts the runs */
};

static void
raise_limits(struct bed *b)
{
	b->lim.pending_max = b->lim.pending_session_max = 100000;
	b->lim.new_per_minute = 100000;
	queue_free(b->q);
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
}

/* What is in tmp/ for ten minutes has no writer any more. */
static struct clock
later(const struct bed *b)
{
	struct clock c = b->now;

	c.wall_ms += 1000 * 1000;
	c.boot_ms += 1000 * 1000;
	return c;
}

static int
do_submit(void *arg)
{
	struct step *s = arg;
	struct request r;
	struct ticket t;

	bed_request(&r, s->command);
	return queue_submit(s->b->q, &r, &s->b->now, &t, &s->b->e) == -1;
}

static void
publish_crash(const char *command)
{
	struct bed b;
	struct step s = { .b = &b, .command = command };
	size_t before = 0, had = 0;
	long k = 0;
	bool killed;

	bed_make(&b);
	b.lim.bytes_max = INT64_MAX / 2;
	raise_limits(&b);
	do {
		struct entries l;
		struct clock c = later(&b);

		killed = crash_at(k++, do_submit, &s);
		reopen(&b);
		ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
		ck_assert_uint_le(l.n, before + 1);
		ck_assert_uint_ge(l.n, before);
		had += l.n > before;
		before = l.n;
		/* Whole or not at all, and its blob with it. */
		for (size_t i = 0; i < l.n; i++)
			ok(&b, queue_get_blob(b.q, &l.e[i].req, &b.e));
		entries_clear(&l);
		ok(&b, queue_sweep(b.q, &c, NULL, NULL, &b.e));
		ck_assert_uint_eq(bed_count(&b, DIR_TMP), 0);
		ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 0);
		ck_assert_uint_eq(bed_count(&b, DIR_PENDING), before);
	} while (killed);
	ck_assert_int_gt(k, 10);
	ck_assert_uint_ge(had, 1);	/* undisturbed, it does arrive */
	bed_drop(&b);
}

START_TEST(publish)
{
	publish_crash("make install");
}
END_TEST

START_TEST(publish_with_a_blob)
{
	auto_free char *big = xcalloc(400001, 1);

	memset(big, 'x', 400000);
	publish_crash(big);
}
END_TEST

static struct claim *
take(struct step *s)
{
	struct claim *c;

	if (queue_lock(s->b->q, s->id, &s->b->now, &c, &s->b->e) == -1 ||
	    claim_take(c, &s->b->e) == -1)
		_exit(1);
	return c;
}

static int
do_claim(void *arg)
{
	claim_close(take(arg));
	return 0;
}

static int
do_consume(void *arg)
{
	struct step *s = arg;
	struct claim *c = take(s);

	if (claim_consume(c, "stmt\n", "sig", &s->b->e) == -1)
		return 1;
	claim_close(c);
	return 0;
}

static int
do_run(void *arg)
{
	struct step *s = arg;
	struct claim *c = take(s);
	struct answer a;

	if (claim_consume(c, "stmt\n", "sig", &s->b->e) == -1 ||
	    claim_started(c, &s->b->e) == -1)
		return 1;
	run_once(s->b, s->mark);
	bed_answer(s->b, s->id, OUTCOME_DONE, &a);
	if (claim_answer(c, &a, &s->b->e) == -1)
		return 1;
	claim_close(c);
	return 0;
}

static void
approver_crash(crash_fn *fn)
{
	struct bed b;
	struct step s = { .b = &b };
	int over = 0, waiting = 0;
	long k = 0;
	bool killed;

	bed_make(&b);
	raise_limits(&b);
	do {
		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		snprintf(s.mark, sizeof s.mark, "ran.%ld", k);
		killed = crash_at(k++, fn, &s);
		check_settled(&b, s.id, times_run(&b, s.mark));
		if (queue_ledger_has(b.q, s.id, LEDGER_USED))
			over++;
		else
			waiting++;
		/* One at a time: what waits would be listed again. */
		unlinkat(b.q->dir[DIR_PENDING], s.id, 0);
	} while (killed);
	ck_assert_int_gt(waiting, 5);
	ck_assert(fn == do_claim ? over == 0 : over > 3);
	if (fn == do_run)
		ck_assert_int_eq(times_run(&b, s.mark), 1);
	bed_drop(&b);
}

START_TEST(claim)
{
	approver_crash(do_claim);
}
END_TEST

START_TEST(consume)
{
	approver_crash(do_consume);
}
END_TEST

START_TEST(run_and_answer)
{
	approver_crash(do_run);
}
END_TEST

static int
do_collect(void *arg)
{
	struct step *s = arg;
	struct answer a;

	if (queue_read_answer(s->b->q, s->id, &a, &s->b->e) == -1)
		return 1;
	if (queue_collect(s->b->q, s->id, &s->b->e) == 1)
		run_once(s->b, s->mark);	/* hands it to the model */
	return 0;
}

START_TEST(collect)
{
	struct bed b;
	struct step s = { .b = &b };
	struct answer a;
	int by_us = 0;
	long k = 0;
	bool killed;

	bed_make(&b);
	raise_limits(&b);
	do {
		int told, mine;

		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		bed_decide(&b, s.id);
		snprintf(s.mark, sizeof s.mark, "told.%ld", k);
		killed = crash_at(k++, do_collect, &s);
		reopen(&b);
		told = times_run(&b, s.mark);
		mine = queue_collect(b.q, s.id, &b.e);
		ck_assert_int_ne(mine, -1);
		ck_assert_int_le(told + mine, 1);
		by_us += mine;
		ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
		ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 0);
		ck_assert_int_eq(queue_collect(b.q, s.id, &b.e), 0);
		/* Told or not, what came of it can still be read. */
		ok(&b, queue_read_answer(b.q, s.id, &a, &b.e));
		answer_clear(&a);
	} while (killed);
	ck_assert_int_gt(by_us, 3);
	ck_assert_int_eq(times_run(&b, s.mark), 1);
	bed_drop(&b);
}
END_TEST

static void
empty(int dirfd)
{
	struct fs_names l = { 0 };

	fs_list(dirfd, NULL, QUEUE_NAMES_MAX, &l, NULL, NULL);
	for (size_t i = 0; i < l.n; i++)
		unlinkat(dirfd, l.names[i], 0);
	fs_names_clear(&l);
}

static int
do_sweep(void *arg)
{
	struct step *s = arg;

	return queue_sweep(s->b->q, &s->b->now, NULL, NULL, &s->b->e) == -1;
}

struct dead {
	struct step	*s;
	bool		 consumed, started;
};

/* An approver (or runner) that got this far and is gone. */
static int
do_die(void *arg)
{
	struct dead *d = arg;
	struct claim *c = take(d->s);

	if (d->consumed && claim_consume(c, "stmt\n", "sig", &d->s->b->e)
	    == -1)
		return 1;
	return d->started && claim_started(c, &d->s->b->e) == -1;
}

/* A sweep asks about every id it still knows: forget this one. */
static void
forget(struct bed *b, const char *id)
{
	int dir, lock;

	unlinkat(b->q->dir[DIR_PENDING], id, 0);
	unlinkat(b->q->dir[DIR_CLOSED], id, 0);
	ck_assert_int_eq(queue_run_lock(b->q, id, &dir, &lock, &b->e), 1);
	queue_run_remove(b->q, id, dir);
	close(dir);
	close(lock);
	empty(b->q->dir[DIR_ANSWERED]);
	empty(b->q->dir[DIR_TMP]);
}

/* The sweeper is a program like any other: it may be killed too. */
static void
sweep_crash(bool consumed, bool started)
{
	struct bed b;
	struct step s = { .b = &b };
	struct dead d = { &s, consumed, started };
	long k = 0;
	bool killed;

	bed_make(&b);
	raise_limits(&b);
	do {
		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		ck_assert(!crash_at(1000000, do_die, &d));
		ck_assert(queue_has(b.q->dir[DIR_CLAIMED], s.id));
		killed = crash_at(k++, do_sweep, &s);
		check_settled(&b, s.id, 0);
		ck_assert(queue_ledger_has(b.q, s.id, LEDGER_USED) ==
		    consumed);
		forget(&b, s.id);
	} while (killed);
	ck_assert_int_gt(k, 20);
	bed_drop(&b);
}

START_TEST(sweep_of_a_claim)
{
	sweep_crash(false, false);
}
END_TEST

START_TEST(sweep_of_not_started)
{
	sweep_crash(true, false);
}
END_TEST

START_TEST(sweep_of_unknown)
{
	sweep_crash(true, true);
}
END_TEST

static int
do_lock(void *arg)
{
	struct step *s = arg;
	struct stat st;
	int dir, lock;

	/* Held means: under the name where the next one will look. */
	return queue_run_lock(s->b->q, s->id, &dir, &lock, &s->b->e) == 1 &&
	    fstatat(dir, "lock", &st, 0) == 0 && fstat(lock, &st) == 0 &&
	    st.st_nlink == 1 ? 0 : 1;
}

/* The holder gives up, and removes the lock, between our open and flock. */
START_TEST(a_lock_removed_under_us)
{
	struct bed b;
	struct step s = { .b = &b };
	struct claim *c;
	int status;
	pid_t pid;
	long nr;

	bed_make(&b);
	memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
	pid = crash_start(do_lock, &s);
	ok(&b, queue_lock(b.q, s.id, &b.now, &c, &b.e));
	do
		ck_assert(crash_next(pid, false, &nr, &status));
	while (nr != SYS_flock);
	claim_close(c);
	ck_assert(!queue_has(b.home.run, s.id));
	ck_assert_int_eq(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/crash",
	tcase_add_test(tc, publish);
	tcase_add_test(tc, publish_with_a_blob);
	tcase_add_test(tc, claim);
	tcase_add_test(tc, consume);
	tcase_add_test(tc, run_and_answer);
	tcase_add_test(tc, collect);
	tcase_add_test(tc, a_lock_removed_under_us);
	tcase_add_test(tc, sweep_of_a_claim);
	tcase_add_test(tc, sweep_of_not_started);
	tcase_add_test(tc, sweep_of_unknown);)
