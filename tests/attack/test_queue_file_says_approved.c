/*
 * Claim: nothing runs, and nobody is told that something ran, because a file
 * in the shared folder says so.
 */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

static void
forge(struct bed *b, const char *id, enum outcome o)
{
	char name[ANSWER_NAME];
	struct answer a;
	struct str s;

	bed_answer(b, id, o, &a);
	ok(b, answer_encode(&a, &s, &b->e));
	answer_clear(&a);
	queue_answer_name(id, name);
	bed_write(b, DIR_ANSWERED, name, s.s, s.len);
	str_clear(&s);
}

/* Perfect in form, but no human consumed that id. */
START_TEST(a_forged_answer_to_a_waiting_request)
{
	char id[ID_MAX + 1];
	struct entries l;
	struct await *w;
	struct claim *c;
	struct trace t;
	struct trace_key key = { .session = "s-1" };
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	digest_of("x", 1, NULL, &key.call_key);
	forge(&b, id, OUTCOME_ALLOW_ONCE);
	w = await_open(b.q);
	ck_assert_int_eq(await_wait(w, id, 0, -1), AWAIT_DEADLINE);
	await_free(w);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	ok(&b, queue_find_call(b.q, &key, &b.now, &t, &b.e));
	ck_assert_int_eq(t.state, TRACE_PENDING);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_int_eq(l.e[0].state, ENTRY_PENDING);
	entries_clear(&l);
	/* With the request moved as if it were over. */
	renameat(b.q->dir[DIR_PENDING], id, b.q->dir[DIR_CLOSED], id);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), -1);
	ok(&b, queue_find_call(b.q, &key, &b.now, &t, &b.e));
	ck_assert_int_eq(t.state, TRACE_NONE);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 1);
	ck_assert(!queue_ledger_has(b.q, id, LEDGER_COLLECTED));
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &c, &b.e), -1);
	bed_drop(&b);
}
END_TEST

/* While it runs: the forged answer is replaced by the true one. */
START_TEST(a_forged_answer_to_a_running_request)
{
	char id[ID_MAX + 1];
	struct answer a;
	struct claim *c;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	c = bed_consume(&b, id);
	forge(&b, id, OUTCOME_ALLOW_ONCE);
	bed_answer(&b, id, OUTCOME_DENIED, &a);
	ok(&b, claim_answer(c, &a, &b.e));
	answer_clear(&a);
	claim_close(c);
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_DENIED);
	answer_clear(&a);
	bed_drop(&b);
}
END_TEST

/* Moved to claimed/, it looks taken; no lock is held, so it waits again. */
START_TEST(a_request_moved_to_claimed)
{
	char id[ID_MAX + 1];
	struct claim *c;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	renameat(b.q->dir[DIR_PENDING], id, b.q->dir[DIR_CLAIMED], id);
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &c, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert(!queue_ledger_has(b.q, id, LEDGER_USED));
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	claim_close(c);
	bed_drop(&b);
}
END_TEST

/* Marks in the shared folder are names like any other: none. */
START_TEST(ledger_files_in_the_folder)
{
	static const char *const marks[] = { "used", "started", "collected" };
	char id[ID_MAX + 1], name[64];
	struct claim *c;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		snprintf(name, sizeof name, "%s.%s", id, marks[i]);
		bed_write(&b, DIR_PENDING, name, "x", 1);
		bed_write(&b, DIR_ANSWERED, name, "x", 1);
	}
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	claim_close(c);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 2 * ARRAY_LEN(marks));
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	bed_drop(&b);
}
END_TEST

/* A lock on the file in the folder is a badge, and never a claim. */
START_TEST(a_lock_on_the_shared_file_blocks_nobody)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char id[ID_MAX + 1];
	struct claim *c;
	struct bed b;
	int fd;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	fd = openat(b.q->dir[DIR_PENDING], id, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &l), 0);
	c = bed_consume(&b, id);
	claim_close(c);
	close(fd);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("something runs because a file says \"approved\"",
	tcase_add_test(tc, a_forged_answer_to_a_waiting_request);
	tcase_add_test(tc, a_forged_answer_to_a_running_request);
	tcase_add_test(tc, a_request_moved_to_claimed);
	tcase_add_test(tc, ledger_files_in_the_folder);
	tcase_add_test(tc, a_lock_on_the_shared_file_blocks_nobody);)
