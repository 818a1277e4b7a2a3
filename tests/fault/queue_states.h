/*
 * tests/fault/queue_states.h - is an id in a state that docs/QUEUE.md lists?
 *
 * After a crash and a sweep a request is either still waiting and was not run,
 * or it is over, has an answer that says what is known, and cannot be run.
 */
#ifndef TESTS_FAULT_QUEUE_STATES_H
#define TESTS_FAULT_QUEUE_STATES_H

#include "tests/unit/queue_bed.h"

/* The runner's side effect: one byte in a file for every time it ran. */
__attribute__((unused)) static void
run_once(struct bed *b, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", b->dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd == -1 || write(fd, "x", 1) != 1)
		_exit(99);
	close(fd);
}

__attribute__((unused)) static int
times_run(struct bed *b, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", b->dir, name);
	struct stat st;

	return stat(path, &st) == -1 ? 0 : (int)st.st_size;
}

/* Like another process would see it. */
__attribute__((unused)) static void
reopen(struct bed *b)
{
	queue_free(b->q);
	home_close(&b->home);
	bed_open(b);
}

__attribute__((unused)) static size_t
folders_with(struct bed *b, const char *id)
{
	return (size_t)queue_has(b->q->dir[DIR_PENDING], id) +
	    queue_has(b->q->dir[DIR_CLAIMED], id) +
	    queue_has(b->q->dir[DIR_CLOSED], id);
}

__attribute__((unused)) static void
check_waiting(struct bed *b, const char *id, int ran)
{
	struct claim *c = NULL;

	ck_assert_int_eq(ran, 0);
	ck_assert(queue_has(b->q->dir[DIR_PENDING], id));
	ok(b, queue_lock(b->q, id, &b->now, &c, &b->e));
	ok(b, claim_take(c, &b->e));
	claim_close(c);
	ck_assert(queue_has(b->q->dir[DIR_PENDING], id));
}

__attribute__((unused)) static void
check_over(struct bed *b, const char *id, int ran)
{
	struct await *w = await_open(b->q);
	struct claim *c = NULL;
	struct answer a;

	ck_assert(queue_has(b->q->dir[DIR_CLOSED], id));
	ck_assert_int_eq(queue_lock(b->q, id, &b->now, &c, &b->e), -1);
	ck_assert_int_eq(b->e.code, ERR_LOST);
	ck_assert_int_eq(await_wait(w, id, INT64_MAX, -1), AWAIT_ANSWER);
	ok(b, queue_read_answer(b->q, id, &a, &b->e));
	if (a.outcome == OUTCOME_NOT_STARTED)
		ck_assert_int_eq(ran, 0);
	else if (a.outcome == OUTCOME_UNKNOWN)
		ck_assert_int_le(ran, 1);
	else
		ck_assert_int_eq(ran, 1);
	answer_clear(&a);
	await_free(w);
}

/* Sweep, then check; a second sweep finds nothing left to do. */
__attribute__((unused)) static void
count_said(void *arg, enum sweep_kind kind, const char *id)
{
	(void)kind;
	(void)id;
	++*(int *)arg;
}

__attribute__((unused)) static void
check_settled(struct bed *b, const char *id, int ran)
{
	int said = 0;

	reopen(b);
	ok(b, queue_sweep(b->q, &b->now, NULL, NULL, &b->e));
	ok(b, queue_sweep(b->q, &b->now, count_said, &said, &b->e));
	ck_assert_int_eq(said, 0);
	ck_assert_uint_eq(folders_with(b, id), 1);
	ck_assert_uint_eq(bed_count(b, DIR_CLAIMED), 0);
	ck_assert_uint_eq(bed_count(b, DIR_ASIDE), 0);
	if (queue_ledger_has(b->q, id, LEDGER_USED))
		check_over(b, id, ran);
	else
		check_waiting(b, id, ran);
}

#endif
