/*
 * Every system call that can meet a full disk, a dying disk or a full table
 * fails once: the caller is told, nothing is lost, nothing can run twice.
 */
#include "tests/fault/crash.h"
#include "tests/fault/queue_states.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>

static const long io_calls[] = {
	SYS_openat, SYS_openat2, SYS_read, SYS_write, SYS_fsync,
	SYS_fdatasync, SYS_renameat2, SYS_mkdirat, SYS_unlinkat, SYS_flock,
	SYS_fcntl, SYS_getdents64,
};

struct step {
	struct bed	*b;
	char		 id[ID_MAX + 1];
	char		 mark[32];
};

static int
do_submit(void *arg)
{
	struct step *s = arg;
	struct request r;
	struct ticket t;

	bed_request(&r, "x");
	return queue_submit(s->b->q, &r, &s->b->now, &t, &s->b->e) == -1;
}

/* An error is an orderly end: what is held is given back. */
static int
do_run(void *arg)
{
	struct step *s = arg;
	struct err *e = &s->b->e;
	struct claim *c = NULL;
	struct answer a;
	int bad = queue_lock(s->b->q, s->id, &s->b->now, &c, e) == -1 ||
	    claim_take(c, e) == -1 ||
	    claim_consume(c, "stmt\n", "sig", e) == -1 ||
	    claim_started(c, e) == -1;

	if (!bad) {
		run_once(s->b, s->mark);
		bed_answer(s->b, s->id, OUTCOME_DONE, &a);
		bad = claim_answer(c, &a, e) == -1;
		answer_clear(&a);
	}
	claim_close(c);
	return bad;
}

static int
do_collect(void *arg)
{
	struct step *s = arg;
	struct answer a;

	if (queue_read_answer(s->b->q, s->id, &a, &s->b->e) == -1)
		return 1;
	answer_clear(&a);
	if (queue_collect(s->b->q, s->id, &s->b->e) == 1)
		run_once(s->b, s->mark);
	return 0;
}

static void
make(struct bed *b)
{
	bed_make(b);
	b->lim.pending_max = b->lim.pending_session_max = 100000;
	b->lim.new_per_minute = 100000;
	queue_free(b->q);
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
}

static void
submit_fails(int error)
{
	struct bed b;
	struct step s = { .b = &b };
	size_t before = 0;
	int status, told = 0;
	long k = 0;
	bool hit;

	make(&b);
	do {
		size_t now;

		hit = fail_at(k++, error, io_calls, ARRAY_LEN(io_calls),
		    do_submit, &s, &status);
		ck_assert(WIFEXITED(status));
		now = bed_count(&b, DIR_PENDING);
		/* Exactly what it was told is what happened. */
		ck_assert_uint_eq(now, before +
		    (WEXITSTATUS(status) == 0));
		told += WEXITSTATUS(status) != 0;
		before = now;
	} while (hit);
	ck_assert_int_gt(told, 5);
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	bed_drop(&b);
}

static void
run_fails(int error)
{
	struct bed b;
	struct step s = { .b = &b };
	int status, told = 0;
	long k = 0;
	bool hit;

	make(&b);
	do {
		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		snprintf(s.mark, sizeof s.mark, "ran.%ld", k);
		hit = fail_at(k++, error, io_calls, ARRAY_LEN(io_calls),
		    do_run, &s, &status);
		ck_assert(WIFEXITED(status));
		told += WEXITSTATUS(status) != 0;
		if (WEXITSTATUS(status) == 99)	/* the test's own write */
			ck_assert_int_eq(times_run(&b, s.mark), 0);
		check_settled(&b, s.id, times_run(&b, s.mark));
		unlinkat(b.q->dir[DIR_PENDING], s.id, 0);
	} while (hit);
	ck_assert_int_gt(told, 10);
	ck_assert_int_eq(times_run(&b, s.mark), 1);
	bed_drop(&b);
}

static void
collect_fails(int error)
{
	struct bed b;
	struct step s = { .b = &b };
	int status, told, mine;
	long k = 0;
	bool hit;

	make(&b);
	do {
		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		bed_decide(&b, s.id);
		snprintf(s.mark, sizeof s.mark, "told.%ld", k);
		hit = fail_at(k++, error, io_calls, ARRAY_LEN(io_calls),
		    do_collect, &s, &status);
		told = times_run(&b, s.mark);
		mine = queue_collect(b.q, s.id, &b.e);
		ck_assert_int_ne(mine, -1);
		ck_assert_int_le(told + mine, 1);
	} while (hit);
	ck_assert_int_eq(told, 1);
	bed_drop(&b);
}

static const int errors[] = { ENOSPC, EIO, EMFILE };

START_TEST(submit)
{
	submit_fails(errors[_i]);
}
END_TEST

START_TEST(run)
{
	run_fails(errors[_i]);
}
END_TEST

START_TEST(collect)
{
	collect_fails(errors[_i]);
}
END_TEST

/* No byte can be written, names can: a full disk, as far as we can see. */
START_TEST(full_disk)
{
	struct rlimit none = { 0, RLIM_INFINITY };
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct claim *c = NULL;
	struct request r;
	struct ticket t, u;
	struct clock late;
	struct bed b;
	const char *id;

	make(&b);
	bed_request(&r, "first");
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	request_clear(&r);
	id = bed_submit(&b, "second");
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);

	bed_request(&r, "third");
	ck_assert_int_eq(queue_submit(b.q, &r, &b.now, &u, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(b.e.text, "queue unavailable"));
	ck_assert_uint_eq(bed_count(&b, DIR_TMP), 0);
	request_clear(&r);

	ok(&b, queue_withdraw(b.q, &t, &b.e));
	ticket_close(&t);
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	ck_assert_int_eq(claim_consume(c, "stmt\n", "sig", &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_SYSTEM);
	claim_close(c);			/* not consumed: it waits again */
	ck_assert(!queue_ledger_has(b.q, id, LEDGER_USED));
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	late = b.now;
	late.boot_ms += 3600 * 1000;
	ok(&b, queue_sweep(b.q, &late, NULL, NULL, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	bed_drop(&b);
}
END_TEST

/* A process without descriptors left is not a folder that is not set up. */
START_TEST(no_descriptors)
{
	struct home h = HOME_INIT;
	struct rlimit old, few;
	struct queue *q;
	struct bed b;
	rlim_t opened = 0;

	make(&b);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (rlim_t n = 3; n < 64; n++) {
		few = (struct rlimit){ n, old.rlim_max };
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
		if (home_open(b.root, NULL, b.base, &h, &b.e) == -1) {
			ck_assert_int_eq(b.e.code, ERR_SYSTEM);
			continue;
		}
		if (queue_open(&h, &b.lim, &q, &b.e) == 0) {
			opened = n;
			queue_free(q);
		} else
			ck_assert_int_eq(b.e.code, ERR_SYSTEM);
		home_close(&h);
		if (opened != 0)
			break;
	}
	ck_assert_int_gt((int)opened, 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	bed_drop(&b);
}
END_TEST

static int
do_await(void *arg)
{
	struct step *s = arg;
	struct await *w = await_open(s->b->q);
	pid_t pid = fork();
	enum await_result got;

	if (pid == 0) {
		/* Later than the first look: the asker really has to wait. */
		poll(NULL, 0, 150);
		bed_decide(s->b, s->id);
		_exit(0);
	}
	got = await_wait(w, s->id, clock_boot_ms() + 20000, -1);
	waitpid(pid, NULL, 0);
	await_free(w);
	return got == AWAIT_ANSWER ? 0 : 1;
}

/* Without inotify, or with its watches used up, the asker polls and works. */
START_TEST(no_inotify)
{
	static const long calls[] = { SYS_inotify_init1,
		SYS_inotify_add_watch };
	struct bed b;
	struct step s = { .b = &b };
	int status;
	long k = 0;
	bool hit;

	make(&b);
	do {
		memcpy(s.id, bed_submit(&b, "x"), sizeof s.id);
		hit = fail_at(k++, EMFILE, calls, ARRAY_LEN(calls), do_await,
		    &s, &status);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	} while (hit);
	ck_assert_int_eq(k, 4);		/* init, two watches, none */
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/fail",
	tcase_add_loop_test(tc, submit, 0, 3);
	tcase_add_loop_test(tc, run, 0, 3);
	tcase_add_loop_test(tc, collect, 0, 3);
	tcase_add_test(tc, full_disk);
	tcase_add_test(tc, no_descriptors);
	tcase_add_test(tc, no_inotify);)
