/* The way of one request, step by step, and who may take which step. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#include <sys/file.h>

static int
find(struct bed *b, const struct request *r, const char *agent_id,
    struct trace *ret)
{
	const struct trace_key key = { r->call_key, "s-1", agent_id };

	return queue_find_call(b->q, &key, &b->now, ret, &b->e);
}

START_TEST(ask_decide_collect)
{
	struct bed b;
	struct request r;
	struct ticket t;
	struct answer a;
	struct await *w;
	struct entries l;
	struct trace tr;
	struct claim *c;

	bed_make(&b);
	w = await_open(b.q);
	bed_request(&r, "npm install -g x");
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	ck_assert(t.owner);
	ck_assert_int_eq(await_wait(w, t.id, 0, -1), AWAIT_DEADLINE);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_str_eq(l.e[0].req.id, t.id);
	ck_assert_int_eq(l.e[0].state, ENTRY_PENDING);
	ck_assert(l.e[0].waiter);
	entries_clear(&l);
	ok(&b, find(&b, &r, NULL, &tr));
	ck_assert_int_eq(tr.state, TRACE_PENDING);
	ok(&b, find(&b, &r, "sub", &tr));
	ck_assert_int_eq(tr.state, TRACE_NONE);

	c = bed_consume(&b, t.id);
	ck_assert_uint_eq(claim_request(c)->bytes.len, r.bytes.len);
	ck_assert_str_eq(claim_request(c)->bytes.s, r.bytes.s);
	ck_assert_int_eq(await_wait(w, t.id, 0, -1), AWAIT_DEADLINE);
	ok(&b, claim_started(c, &b.e));
	bed_answer(&b, t.id, OUTCOME_DONE, &a);
	ok(&b, claim_answer(c, &a, &b.e));
	ck_assert_int_eq(claim_answer(c, &a, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	answer_clear(&a);
	claim_close(c);

	ck_assert_int_eq(await_wait(w, t.id, INT64_MAX, -1), AWAIT_ANSWER);
	ok(&b, find(&b, &r, "", &tr));
	ck_assert_int_eq(tr.state, TRACE_ANSWERED);
	ck_assert_str_eq(tr.id, t.id);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_int_eq(l.e[0].state, ENTRY_ANSWERED);
	entries_clear(&l);
	ok(&b, queue_read_answer(b.q, t.id, &a, &b.e));
	ck_assert_str_eq(a.output, "hello\n");
	answer_clear(&a);
	ck_assert_int_eq(queue_collect(b.q, t.id, &b.e), 1);
	ck_assert_int_eq(queue_collect(b.q, t.id, &b.e), 0);
	ok(&b, queue_read_answer(b.q, t.id, &a, &b.e));	/* the copy */
	answer_clear(&a);
	ok(&b, find(&b, &r, "", &tr));
	ck_assert_int_eq(tr.state, TRACE_COLLECTED);
	ck_assert_uint_eq(bed_count(&b, DIR_CLOSED), 2);
	ck_assert_uint_eq(bed_count(&b, DIR_TMP), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 0);
	await_free(w);
	ticket_close(&t);
	request_clear(&r);
	bed_drop(&b);
}
END_TEST

START_TEST(only_one_holds_it)
{
	struct bed b;
	struct claim *c, *d;
	const char *id;

	bed_make(&b);
	id = bed_submit(&b, "x");
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &d, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	ok(&b, claim_take(c, &b.e));
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &d, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	claim_close(c);			/* gives it back */
	ck_assert(queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert(!queue_has(b.home.run, id));
	c = bed_consume(&b, id);
	claim_close(c);			/* consumed: never again */
	ck_assert(!queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &d, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	ck_assert_int_eq(queue_lock(b.q, "0000000000000000-000000000000-1",
	    &b.now, &d, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	ck_assert_int_eq(queue_lock(b.q, "../x", &b.now, &d, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	claim_close(NULL);
	bed_drop(&b);
}
END_TEST

START_TEST(runner_inherits_the_lock)
{
	struct bed b;
	struct claim *c, *r, *d;
	const char *id;
	int fd, other;

	bed_make(&b);
	id = bed_submit(&b, "x");
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	fd = dup(claim_lock_fd(c));
	ck_assert_int_eq(claim_adopt(b.q, id, fd, &r, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_PERMITTED);
	ok(&b, claim_consume(c, "stmt\n", "sig", &b.e));
	other = openat(claim_run_dir(c), "lock", O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(claim_adopt(b.q, id, other, &r, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	close(other);
	/* Nor does a lock on something else make a runner. */
	other = openat(b.home.run, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(claim_adopt(b.q, id, other, &r, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	close(other);
	ok(&b, claim_adopt(b.q, id, fd, &r, &b.e));
	ck_assert_ptr_null(claim_request(r));
	claim_close(c);			/* the approver leaves */
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], id));
	ok(&b, claim_started(r, &b.e));
	ck_assert_int_eq(claim_started(r, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	claim_close(r);			/* and the runner dies */
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &d, &b.e), -1);
	bed_drop(&b);
}
END_TEST

START_TEST(withdraw_and_attach)
{
	struct bed b;
	struct request r;
	struct ticket t, u;
	struct await *w;
	struct claim *c;
	bool waiter;
	enum entry_state s;
	struct request seen;

	bed_make(&b);
	bed_request(&r, "x");
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	ok(&b, queue_attach(b.q, t.id, &u, &b.e));
	ck_assert(!u.owner);
	ok(&b, queue_withdraw(b.q, &u, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_PENDING], t.id));
	ticket_close(&t);
	ok(&b, queue_read(b.q, u.id, &seen, &s, &waiter, &b.e));
	ck_assert(waiter);		/* the second asker still waits */
	request_clear(&seen);
	ticket_close(&u);
	ok(&b, queue_read(b.q, u.id, &seen, &s, &waiter, &b.e));
	ck_assert(!waiter);
	ck_assert_int_eq(s, ENTRY_PENDING);
	request_clear(&seen);

	w = await_open(b.q);
	ok(&b, queue_lock(b.q, t.id, &b.now, &c, &b.e));
	ok(&b, queue_withdraw(b.q, &t, &b.e));
	ck_assert_int_eq(await_wait(w, t.id, INT64_MAX, -1), AWAIT_OVER);
	ck_assert_int_eq(claim_take(c, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	claim_close(c);
	ok(&b, queue_withdraw(b.q, &t, &b.e));	/* again: nothing to do */
	ck_assert_int_eq(queue_attach(b.q, t.id, &u, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	await_free(w);
	request_clear(&r);

	/* What is claimed cannot be withdrawn. */
	bed_request(&r, "y");
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	c = bed_consume(&b, t.id);
	ok(&b, queue_withdraw(b.q, &t, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_CLAIMED], t.id));
	claim_close(c);
	ticket_close(&t);
	request_clear(&r);
	bed_drop(&b);
}
END_TEST

START_TEST(a_large_value_travels_as_a_blob)
{
	size_t n = 3 << 20;
	auto_free char *big = xcalloc(n + 1, 1);
	struct request r, seen;
	struct ticket t, t2;
	struct claim *c;
	enum entry_state s;
	struct bed b;
	bool waiter;

	bed_make(&b);
	memset(big, 'x', n);
	bed_request(&r, "cat");
	json_add_str(r.input, "content", big);
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	ck_assert(r.has_blob);
	ck_assert_str_eq(r.blob_field, "content");
	ck_assert_ptr_null(json_get(r.input, "content"));
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);
	ok(&b, queue_read(b.q, t.id, &seen, &s, &waiter, &b.e));
	ck_assert_str_eq(json_str(seen.input, "content"), big);
	ck_assert_str_eq(json_str(seen.input, "command"), "cat");
	request_clear(&seen);
	request_clear(&r);

	/* The same content again shares the blob. */
	bed_request(&r, "cat");
	json_add_str(r.input, "content", big);
	ok(&b, queue_submit(b.q, &r, &b.now, &t2, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);

	ok(&b, queue_lock(b.q, t.id, &b.now, &c, &b.e));
	ck_assert_str_eq(json_str(claim_request(c)->input, "content"), big);
	claim_close(c);
	ticket_close(&t);
	ticket_close(&t2);
	request_clear(&r);
	bed_drop(&b);
}
END_TEST

START_TEST(prefixes_name_one)
{
	static const char *const ids[] = {
		"aaaa000000000000-000000000001-1",
		"aaab000000000000-000000000002-1",
		"bbbb000000000000-000000000003-1" };
	enum entry_state s;
	char id[ID_MAX + 1];
	struct bed b;

	bed_make(&b);
	bed_write(&b, DIR_PENDING, ids[0], "", 0);
	bed_write(&b, DIR_CLAIMED, ids[1], "", 0);
	bed_write(&b, DIR_CLOSED, ids[2], "", 0);
	ok(&b, queue_resolve(b.q, "aaaa", id, &s, &b.e));
	ck_assert_str_eq(id, ids[0]);
	ck_assert_int_eq(s, ENTRY_PENDING);
	ok(&b, queue_resolve(b.q, "aaab", id, &s, &b.e));
	ck_assert_int_eq(s, ENTRY_CLAIMED);
	ok(&b, queue_resolve(b.q, ids[2], id, &s, &b.e));
	ck_assert_int_eq(s, ENTRY_CLOSED);
	ck_assert_int_eq(queue_resolve(b.q, "aaa", id, &s, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	ck_assert_ptr_nonnull(strstr(b.e.text, "ambiguous"));
	ck_assert_int_eq(queue_resolve(b.q, "c", id, &s, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);
	ck_assert_int_eq(queue_resolve(b.q, "", id, &s, &b.e), -1);
	ck_assert_int_eq(queue_resolve(b.q, "../a", id, &s, &b.e), -1);
	bed_drop(&b);
}
END_TEST

START_TEST(a_gone_client_ends_the_wait)
{
	struct bed b;
	struct await *w;
	const char *id;
	int p[2];

	bed_make(&b);
	id = bed_submit(&b, "x");
	ck_assert_int_eq(pipe2(p, O_CLOEXEC), 0);
	w = await_open(b.q);
	close(p[1]);
	ck_assert_int_eq(await_wait(w, id, INT64_MAX, p[0]), AWAIT_FD);
	close(p[0]);
	await_free(w);
	await_free(NULL);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/flow",
	tcase_add_test(tc, ask_decide_collect);
	tcase_add_test(tc, only_one_holds_it);
	tcase_add_test(tc, runner_inherits_the_lock);
	tcase_add_test(tc, withdraw_and_attach);
	tcase_add_test(tc, a_large_value_travels_as_a_blob);
	tcase_add_test(tc, prefixes_name_one);
	tcase_add_test(tc, a_gone_client_ends_the_wait);)
