/*
 * 8 approvers, 2,000 requests: one winner and one consume each, whoever
 * crosses whose way, with a sweeper and a withdrawing asker among them.
 */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#define CLAIMERS	8
#define REQUESTS	2000

static char ids[REQUESTS][ID_MAX + 1];

/* One byte appended is one execution. */
static void
run(struct bed *b, const char *id)
{
	char path[200];
	int fd;

	snprintf(path, sizeof path, "%s/ran.%.38s", b->dir, id);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd == -1 || write(fd, "x", 1) != 1)
		_exit(2);
	close(fd);
}

static void
claimer(struct bed *b, int number)
{
	struct home h = HOME_INIT;
	struct queue *q;
	struct err e;

	if (home_open(b->root, NULL, b->base, &h, &e) == -1 ||
	    queue_open(&h, &b->lim, &q, &e) == -1)
		_exit(3);
	for (int i = 0; i < REQUESTS; i++) {
		/* Half of them run the other way: all kinds of meetings. */
		const char *id = ids[number % 2 ? i : REQUESTS - 1 - i];
		struct claim *c;
		struct answer a;

		if (queue_lock(q, id, &b->now, &c, &e) == -1) {
			if (e.code != ERR_LOST)
				_exit(4);
			continue;
		}
		if (claim_take(c, &e) == -1) {
			if (e.code != ERR_LOST)
				_exit(5);
			claim_close(c);
			continue;
		}
		/* Some think better of it: it must come back for others. */
		if ((i + number) % 7 == 0 ||
		    claim_consume(c, "stmt\n", "sig", &e) == -1) {
			claim_close(c);
			continue;
		}
		run(b, id);
		bed_answer(b, id, OUTCOME_DONE, &a);
		if (claim_answer(c, &a, &e) == -1)
			_exit(6);
		answer_clear(&a);
		claim_close(c);
	}
	_exit(0);
}

static void
sweeper(struct bed *b)
{
	for (int i = 0; i < 20; i++)
		if (queue_sweep(b->q, &b->now, NULL, NULL, NULL) == -1)
			_exit(7);
	_exit(0);
}

static pid_t
start(struct bed *b, int number)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (number < CLAIMERS)
		claimer(b, number);
	sweeper(b);
	return 0;
}

static void
make(struct bed *b)
{
	/* In memory where there is some: 2,000 syncs are not the subject. */
	if (access("/dev/shm", W_OK) == 0)
		bed_make_at(b, "/dev/shm");
	else
		bed_make(b);
	b->lim.pending_max = b->lim.pending_session_max = 1 << 20;
	b->lim.new_per_minute = 1 << 20;
	b->lim.bytes_max = INT64_MAX / 2;
	queue_free(b->q);
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
	for (int i = 0; i < REQUESTS; i++)
		memcpy(ids[i], bed_submit(b, "x"), sizeof ids[i]);
}

START_TEST(one_winner_each)
{
	int status, ran = 0;
	struct claim *c;
	struct bed b;

	make(&b);
	for (int i = 0; i <= CLAIMERS; i++)
		ck_assert_int_ne(start(&b, i), -1);
	for (int i = 0; i <= CLAIMERS; i++) {
		ck_assert_int_ne(wait(&status), -1);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(bed_count(&b, DIR_CLAIMED), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 0);
	for (int i = 0; i < REQUESTS; i++) {
		char path[200];
		struct stat st;
		bool used = queue_ledger_has(b.q, ids[i], LEDGER_USED);

		snprintf(path, sizeof path, "%s/ran.%.38s", b.dir, ids[i]);
		ck_assert_int_eq(stat(path, &st) == 0, used);
		if (!used) {		/* everybody thought better of it */
			ck_assert(queue_has(b.q->dir[DIR_PENDING], ids[i]));
			continue;
		}
		ran++;
		ck_assert_int_eq(st.st_size, 1);
		ck_assert(queue_has(b.q->dir[DIR_CLOSED], ids[i]));
		ck_assert_int_eq(queue_lock(b.q, ids[i], &b.now, &c, &b.e),
		    -1);
		ck_assert_int_eq(b.e.code, ERR_LOST);
		ck_assert_int_eq(queue_collect(b.q, ids[i], &b.e), 1);
	}
	ck_assert_int_gt(ran, REQUESTS / 2);
	bed_drop(&b);
}
END_TEST

/* Eight askers attached to one call: one of them tells the model. */
START_TEST(one_collector_each)
{
	enum { ANSWERS = 200 };
	int status, got = 0;
	struct bed b;

	make(&b);
	for (int i = 0; i < ANSWERS; i++)
		bed_decide(&b, ids[i]);
	for (int i = 0; i < CLAIMERS; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			int mine = 0;

			for (int k = 0; k < ANSWERS; k++)
				mine += queue_collect(b.q, ids[k], NULL) == 1;
			_exit(mine);
		}
	}
	for (int i = 0; i < CLAIMERS; i++) {
		ck_assert_int_ne(wait(&status), -1);
		ck_assert(WIFEXITED(status));
		got += WEXITSTATUS(status);
	}
	ck_assert_int_eq(got, ANSWERS);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/races",
	tcase_add_test(tc, one_winner_each);
	tcase_add_test(tc, one_collector_each);)
