/* What a sweep does, and what it leaves alone. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

struct said {
	int	n[16];
	char	last[300];
};

static void
listen(void *arg, enum sweep_kind kind, const char *name)
{
	struct said *s = arg;

	s->n[kind]++;
	snprintf(s->last, sizeof s->last, "%s", name);
}

static struct said
sweep(struct bed *b, int64_t later_s)
{
	struct clock c = b->now;
	struct said s = { 0 };
	int all = 0;

	c.boot_ms += later_s * 1000;
	c.wall_ms += later_s * 1000;
	ok(b, queue_sweep(b->q, &c, listen, &s, &b->e));
	for (size_t i = 0; i < ARRAY_LEN(s.n); i++)
		all += s.n[i];
	s.n[15] = all;
	return s;
}

static void
expect(const struct said *s, enum sweep_kind kind, int n)
{
	ck_assert_int_eq(s->n[kind], n);
	ck_assert_int_eq(s->n[15], n);
}

START_TEST(a_live_queue_is_left_alone)
{
	char first[ID_MAX + 1], second[ID_MAX + 1], third[ID_MAX + 1];
	struct claim *c, *d;
	struct said s;
	struct bed b;

	bed_make(&b);
	memcpy(first, bed_submit(&b, "waits"), sizeof first);
	memcpy(second, bed_submit(&b, "claimed"), sizeof second);
	memcpy(third, bed_submit(&b, "runs"), sizeof third);
	bed_decide(&b, bed_submit(&b, "answered"));
	ok(&b, queue_lock(b.q, second, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	d = bed_consume(&b, third);
	ok(&b, claim_started(d, &b.e));
	bed_write(&b, DIR_TMP, "00000000000000aa-000000000001-1", "", 0);
	s = sweep(&b, 0);
	ck_assert_int_eq(s.n[15], 0);
	ck_assert(queue_has(b.q->dir[DIR_PENDING], first));
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], second));
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], third));
	ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 1);
	/* Held ones stay held even when their time is over. */
	s = sweep(&b, 4000);
	ck_assert_int_eq(s.n[SWEEP_EXPIRED], 1);
	ck_assert_str_eq(s.last, first);
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], second));
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], third));
	claim_close(c);
	claim_close(d);
	s = sweep(&b, 0);
	expect(&s, SWEEP_UNKNOWN, 1);
	ck_assert_str_eq(s.last, third);
	bed_drop(&b);
}
END_TEST

START_TEST(tmp_after_ten_minutes)
{
	struct said s;
	struct bed b;

	bed_make(&b);
	bed_write(&b, DIR_TMP, "00000000000000aa-000000000001-1", "", 0);
	s = sweep(&b, 500);
	expect(&s, SWEEP_TMP, 0);
	s = sweep(&b, 700);
	expect(&s, SWEEP_TMP, 1);
	/* A time in the future does not keep a file for ever. */
	bed_write(&b, DIR_TMP, "00000000000000aa-000000000001-1", "", 0);
	s = sweep(&b, -700);
	expect(&s, SWEEP_TMP, 1);
	bed_drop(&b);
}
END_TEST

START_TEST(expiry_by_either_clock_and_reboot)
{
	struct clock c;
	struct said s;
	struct bed b;

	bed_make(&b);
	for (int how = 0; how < 3; how++) {
		s = (struct said){ 0 };
		bed_submit(&b, "x");
		c = b.now;
		if (how == 0)
			c.boot_ms += 3600 * 1000;
		else if (how == 1)
			c.wall_ms += 3600 * 1000;
		else
			c.boot_id[0] = c.boot_id[0] == 'f' ? '0' : 'f';
		ok(&b, queue_sweep(b.q, &c, listen, &s, &b.e));
		ck_assert_int_eq(s.n[SWEEP_EXPIRED], 1);
		ck_assert_uint_eq(bed_count(&b, DIR_PENDING), 0);
	}
	ck_assert_uint_eq(bed_count(&b, DIR_CLOSED), 3);
	bed_drop(&b);
}
END_TEST

static void
die_at(struct bed *b, const char *id, bool consumed, bool started)
{
	struct claim *c;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (queue_lock(b->q, id, &b->now, &c, &b->e) == -1 ||
		    claim_take(c, &b->e) == -1 || (consumed &&
		    claim_consume(c, "stmt\n", "sig", &b->e) == -1) ||
		    (started && claim_started(c, &b->e) == -1))
			_exit(1);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(what_a_dead_approver_leaves)
{
	char id[ID_MAX + 1];
	struct answer a;
	struct said s;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	die_at(&b, id, false, false);
	s = sweep(&b, 0);
	expect(&s, SWEEP_RELEASED, 1);
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert(!queue_has(b.home.run, id));

	die_at(&b, id, true, false);
	s = sweep(&b, 0);
	expect(&s, SWEEP_NOT_STARTED, 1);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_NOT_STARTED);
	ck_assert_str_eq(a.text, "");
	answer_clear(&a);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);

	memcpy(id, bed_submit(&b, "y"), sizeof id);
	die_at(&b, id, true, true);
	s = sweep(&b, 0);
	expect(&s, SWEEP_UNKNOWN, 1);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_UNKNOWN);
	answer_clear(&a);
	/* An expired one that was only claimed does not wait again. */
	memcpy(id, bed_submit(&b, "z"), sizeof id);
	die_at(&b, id, false, false);
	s = sweep(&b, 3600);
	expect(&s, SWEEP_EXPIRED, 1);
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	bed_drop(&b);
}
END_TEST

/* Consumed with this statement, after what a deny keeps of its own. */
static void
deny_half(struct bed *b, const char *id, const char *stmt, bool consume)
{
	struct claim *c = NULL;
	struct answer a;

	bed_answer(b, id, OUTCOME_DENIED, &a);
	a.text = xstrdup("use staging");
	ok(b, queue_lock(b->q, id, &b->now, &c, &b->e));
	ok(b, claim_take(c, &b->e));
	ok(b, claim_deny(c, &a, &b->e));
	answer_clear(&a);
	if (consume)
		ok(b, claim_consume(c, stmt, "00", &b->e));
	claim_close(c);
}

/* What a human said is not lost with the approver, nor told as its opposite. */
START_TEST(a_deny_half_done_is_a_deny)
{
	char id[ID_MAX + 1], name[64];
	struct answer a;
	struct said s;
	struct bed b;
	int fd;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	deny_half(&b, id, "sandbox-approval-v1\n", true);
	s = sweep(&b, 0);
	expect(&s, SWEEP_DENIED, 1);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_DENIED);
	ck_assert_str_eq(a.text, "use staging");
	ck_assert_str_eq(a.approval, "sandbox-approval-v1\n");
	answer_clear(&a);
	s = sweep(&b, 0);
	ck_assert_int_eq(s.n[15], 0);
	/* It died while it wrote the mark. */
	memcpy(id, bed_submit(&b, "z"), sizeof id);
	deny_half(&b, id, "", false);
	deny_half(&b, id, "sandbox-approval-v1\n", true);
	snprintf(name, sizeof name, "%s.used", id);
	fd = openat(b.home.ledger, name, O_WRONLY | O_TRUNC);
	ck_assert_int_ne(fd, -1);
	close(fd);
	s = sweep(&b, 0);
	expect(&s, SWEEP_DENIED, 1);
	/* Given up before: it waits, and nothing of the deny is left. */
	memcpy(id, bed_submit(&b, "y"), sizeof id);
	deny_half(&b, id, "", false);
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert(!queue_has(b.home.run, id));
	/* Consumed by another statement: what lies there is not the answer. */
	deny_half(&b, id, "another\n", true);
	s = sweep(&b, 0);
	expect(&s, SWEEP_NOT_STARTED, 1);
	bed_drop(&b);
}
END_TEST

/* An approver died between its lock and the rename: an empty run folder. */
START_TEST(a_lock_nobody_holds)
{
	char id[ID_MAX + 1];
	struct said s;
	struct bed b;
	int dir, lock;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	ck_assert_int_eq(queue_run_lock(b.q, id, &dir, &lock, &b.e), 1);
	close(dir);
	s = sweep(&b, 100);
	ck_assert(queue_has(b.home.run, id));	/* held */
	close(lock);
	s = sweep(&b, 0);
	ck_assert(queue_has(b.home.run, id));	/* perhaps just about to be */
	s = sweep(&b, 100);
	ck_assert_int_eq(s.n[15], 0);
	ck_assert(!queue_has(b.home.run, id));
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	bed_drop(&b);
}
END_TEST

START_TEST(an_answer_half_out_is_delivered)
{
	char id[ID_MAX + 1], name[ANSWER_NAME];
	struct answer a;
	struct said s;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	bed_decide(&b, id);
	queue_answer_name(id, name);
	/* Its runner died after the private copy. */
	ck_assert_int_eq(unlinkat(b.q->dir[DIR_ANSWERED], name, 0), 0);
	ok(&b, queue_move(b.q, DIR_CLOSED, DIR_CLAIMED, id, &b.e));
	s = sweep(&b, 0);
	expect(&s, SWEEP_DELIVERED, 1);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_DONE);
	answer_clear(&a);
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	/* Deleted by an agent before it was collected: it comes again. */
	ck_assert_int_eq(unlinkat(b.q->dir[DIR_ANSWERED], name, 0), 0);
	s = sweep(&b, 0);
	expect(&s, SWEEP_DELIVERED, 1);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	s = sweep(&b, 0);
	expect(&s, SWEEP_DELIVERED, 0);
	/* Collected, and its request put back: closed, not told again. */
	ok(&b, queue_move(b.q, DIR_CLOSED, DIR_CLAIMED, id, &b.e));
	sweep(&b, 0);
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 0);
	ok(&b, queue_move(b.q, DIR_CLOSED, DIR_PENDING, id, &b.e));
	s = sweep(&b, 0);
	expect(&s, SWEEP_DAMAGED, 1);
	ck_assert_uint_eq(bed_count(&b, DIR_PENDING), 0);
	bed_drop(&b);
}
END_TEST

START_TEST(answers_wait_and_closed_files_go)
{
	char id[ID_MAX + 1];
	struct answer a;
	struct said s;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	bed_decide(&b, id);
	s = sweep(&b, 28000);
	ck_assert_int_eq(s.n[15], 0);
	s = sweep(&b, 29000);
	expect(&s, SWEEP_UNCOLLECTED, 1);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 0);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	answer_clear(&a);
	s = sweep(&b, 8 * 24 * 3600);
	expect(&s, SWEEP_REMOVED, 1);
	ck_assert_uint_eq(bed_count(&b, DIR_CLOSED), 0);
	ck_assert(!queue_has(b.home.run, id));
	/* The ledger stays: the id is used up for ever. */
	ck_assert(queue_ledger_has(b.q, id, LEDGER_USED));
	ck_assert(queue_ledger_has(b.q, id, LEDGER_COLLECTED));
	s = sweep(&b, 8 * 24 * 3600);
	ck_assert_int_eq(s.n[15], 0);
	bed_drop(&b);
}
END_TEST

START_TEST(blobs_go_with_their_requests)
{
	auto_free char *big = xcalloc(400001, 1);
	char id[ID_MAX + 1];
	struct ticket t = { .owner = true, .fd = -1 };
	struct said s;
	struct bed b;

	bed_make(&b);
	memset(big, 'x', 400000);
	memcpy(id, bed_submit(&b, big), sizeof id);
	s = sweep(&b, 700);
	ck_assert_int_eq(s.n[15], 0);
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);
	memcpy(t.id, id, sizeof id);
	ok(&b, queue_withdraw(b.q, &t, &b.e));
	sweep(&b, 100);
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);
	sweep(&b, 700);
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 0);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/sweep",
	tcase_add_test(tc, a_live_queue_is_left_alone);
	tcase_add_test(tc, tmp_after_ten_minutes);
	tcase_add_test(tc, expiry_by_either_clock_and_reboot);
	tcase_add_test(tc, what_a_dead_approver_leaves);
	tcase_add_test(tc, a_deny_half_done_is_a_deny);
	tcase_add_test(tc, a_lock_nobody_holds);
	tcase_add_test(tc, an_answer_half_out_is_delivered);
	tcase_add_test(tc, answers_wait_and_closed_files_go);
	tcase_add_test(tc, blobs_go_with_their_requests);)
