/* The rare ways through the queue, one by one. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

/* A real wait: the answer comes from another process, later. */
START_TEST(an_asker_that_sleeps_is_woken)
{
	struct await *w;
	struct bed b;
	char id[ID_MAX + 1];
	int64_t start;
	int status;
	pid_t pid;

	bed_make(&b);
	w = await_open(b.q);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	start = clock_boot_ms();
	pid = fork();
	if (pid == 0) {
		poll(NULL, 0, 100);	/* so that the asker is asleep */
		bed_decide(&b, id);
		_exit(0);
	}
	ck_assert_int_eq(await_wait(w, id, start + 30000, -1), AWAIT_ANSWER);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	/* A deadline is kept, not rounded up to the next look. */
	start = clock_boot_ms();
	memcpy(id, bed_submit(&b, "y"), sizeof id);
	ck_assert_int_eq(await_wait(w, id, start + 50, -1), AWAIT_DEADLINE);
	ck_assert_int_ge(clock_boot_ms() - start, 50);
	await_free(w);
	bed_drop(&b);
}
END_TEST

START_TEST(what_is_no_id_is_no_path)
{
	static const char *const odd[] = { "", ".", "..", "../x", "/etc/x",
		"00000000000000aa-000000000001-1/", "x" };
	enum entry_state s;
	struct request r;
	struct answer a;
	struct ticket t;
	struct claim *c;
	struct bed b;
	bool waiter;

	bed_make(&b);
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		ck_assert_int_eq(queue_read(b.q, odd[i], &r, &s, &waiter,
		    NULL), -1);
		ck_assert_int_eq(queue_read_answer(b.q, odd[i], &a, NULL), -1);
		ck_assert_int_eq(queue_collect(b.q, odd[i], NULL), -1);
		ck_assert_int_eq(queue_attach(b.q, odd[i], &t, NULL), -1);
		ck_assert_int_eq(queue_lock(b.q, odd[i], &b.now, &c, NULL),
		    -1);
		ck_assert_int_eq(claim_adopt(b.q, odd[i], 0, &c, NULL), -1);
	}
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 0);
	bed_drop(&b);
}
END_TEST

START_TEST(long_texts_are_not_published)
{
	struct request r;
	struct ticket t;
	struct bed b;

	bed_make(&b);
	bed_request(&r, "x");
	r.agent_says = xcalloc(5001, 1);
	memset(r.agent_says, 'z', 5000);
	ck_assert_int_eq(queue_submit(b.q, &r, &b.now, &t, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_FORMAT);
	ck_assert_uint_eq(bed_count(&b, DIR_PENDING), 0);
	request_clear(&r);
	bed_drop(&b);
}
END_TEST

/* Every call may be made without an error to fill. */
START_TEST(nobody_needs_the_error)
{
	char id[ID_MAX + 1];
	struct entries l;
	struct answer a;
	struct request r;
	struct ticket t;
	struct claim *c;
	struct bed b;

	bed_make(&b);
	bed_request(&r, "x");
	ck_assert_int_eq(queue_submit(b.q, &r, &b.now, &t, NULL), 0);
	request_clear(&r);
	memcpy(id, t.id, sizeof id);
	ck_assert_int_eq(queue_list(b.q, &b.now, false, &l, NULL), 0);
	entries_clear(&l);
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &c, NULL), 0);
	ck_assert_int_eq(claim_take(c, NULL), 0);
	ck_assert_int_eq(claim_consume(c, "", "", NULL), 0);
	ck_assert_int_eq(claim_started(c, NULL), 0);
	bed_answer(&b, id, OUTCOME_DONE, &a);
	ck_assert_int_eq(claim_answer(c, &a, NULL), 0);
	ck_assert_int_eq(claim_started(c, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	answer_clear(&a);
	claim_close(c);
	ck_assert_int_eq(queue_withdraw(b.q, &t, NULL), 0);
	ticket_close(&t);
	ck_assert_int_eq(queue_collect(b.q, id, NULL), 1);
	bed_drop(&b);
}
END_TEST

/* The order of a claim's steps is ours to keep: a broken one stops us. */
static struct claim *
locked(struct bed *b)
{
	const struct rlimit none = { 0, 0 };
	struct claim *c = NULL;

	ck_assert_int_eq(setrlimit(RLIMIT_CORE, &none), 0);
	bed_make(b);
	ok(b, queue_lock(b->q, bed_submit(b, "x"), &b->now, &c, &b->e));
	bed_remove(b->dir);
	/* The message is for a person; here it is expected. */
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	return c;
}

START_TEST(consume_before_take)
{
	struct bed b;

	claim_consume(locked(&b), "", "", &b.e);
}
END_TEST

START_TEST(start_before_consume)
{
	struct bed b;

	claim_started(locked(&b), &b.e);
}
END_TEST

START_TEST(answer_before_consume)
{
	struct bed b;
	struct answer a = { 0 };

	claim_answer(locked(&b), &a, &b.e);
}
END_TEST

START_TEST(the_ledger_decides_when_two_consume)
{
	char id[ID_MAX + 1];
	struct claim *c, *d;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	ok(&b, queue_ledger_add(b.q, id, LEDGER_USED, "", false, &b.e));
	ck_assert_int_eq(claim_consume(c, "stmt\n", "sig", &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	claim_close(c);			/* and it is not given back */
	ck_assert(!queue_has(b.q->dir[DIR_PENDING], id));
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &d, &b.e), -1);
	bed_drop(&b);
}
END_TEST

START_TEST(an_answer_of_another_project)
{
	char id[ID_MAX + 1], name[ANSWER_NAME];
	struct answer a;
	struct str s;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	queue_answer_name(id, name);
	bed_answer(&b, id, OUTCOME_DENIED, &a);
	memset(a.project, '0', 32);
	ok(&b, answer_encode(&a, &s, &b.e));
	answer_clear(&a);
	bed_write(&b, DIR_ANSWERED, name, s.s, s.len);
	str_clear(&s);
	ck_assert_int_eq(queue_read_answer(b.q, id, &a, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_FORMAT);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 1);
	bed_drop(&b);
}
END_TEST

/* The newest 200 of what is over, oldest of them first. */
START_TEST(closed_lists_end_somewhere)
{
	char last[ID_MAX + 1] = "";
	struct ticket t = { .owner = true, .fd = -1 };
	struct trace_key key = { .session = "s-1" };
	struct entries l;
	struct trace tr;
	struct bed b;

	bed_make(&b);
	b.lim.new_per_minute = 1000;
	queue_free(b.q);
	ok(&b, queue_open(&b.home, &b.lim, &b.q, &b.e));
	for (int i = 0; i < 210; i++) {
		b.now.boot_ms++;
		b.now.wall_ms++;
		memcpy(t.id, bed_submit(&b, "x"), sizeof t.id);
		ok(&b, queue_withdraw(b.q, &t, &b.e));
	}
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 0);
	entries_clear(&l);
	ok(&b, queue_list(b.q, &b.now, true, &l, &b.e));
	ck_assert_uint_eq(l.n, 200);
	for (size_t i = 1; i < l.n; i++)
		ck_assert_int_lt(l.e[i - 1].req.created_wall_ms,
		    l.e[i].req.created_wall_ms);
	memcpy(last, l.e[199].req.id, sizeof last);
	ck_assert_str_eq(last, t.id);
	ck_assert_int_eq(l.e[199].state, ENTRY_CLOSED);
	entries_clear(&l);
	digest_of("x", 1, NULL, &key.call_key);
	ok(&b, queue_find_call(b.q, &key, &b.now, &tr, &b.e));
	ck_assert_int_eq(tr.state, TRACE_NONE);
	bed_drop(&b);
}
END_TEST

START_TEST(states_as_people_see_them)
{
	char id[ID_MAX + 1];
	enum entry_state s;
	struct request r;
	struct trace_key key = { .session = "s-1" };
	struct trace tr;
	struct claim *c;
	struct bed b;
	bool waiter;

	bed_make(&b);
	digest_of("x", 1, NULL, &key.call_key);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	ok(&b, queue_read(b.q, id, &r, &s, &waiter, &b.e));
	ck_assert_int_eq(s, ENTRY_CLAIMED);
	request_clear(&r);
	ok(&b, claim_consume(c, "stmt\n", "sig", &b.e));
	ok(&b, queue_read(b.q, id, &r, &s, &waiter, &b.e));
	ck_assert_int_eq(s, ENTRY_RUNNING);
	request_clear(&r);
	ok(&b, queue_find_call(b.q, &key, &b.now, &tr, &b.e));
	ck_assert_int_eq(tr.state, TRACE_CLAIMED);
	claim_close(c);
	bed_drop(&b);
}
END_TEST

/* Requests in claimed/ that no honest approver can have taken. */
START_TEST(odd_files_in_claimed)
{
	char id[ID_MAX + 1], over[ID_MAX + 1];
	auto_str struct str bytes = { 0 };
	struct clock late;
	struct bed b;

	bed_make(&b);
	/* Of another project. */
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	renameat(b.q->dir[DIR_PENDING], id, b.q->dir[DIR_CLAIMED], id);
	b.home.project[0] ^= 1;
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	b.home.project[0] ^= 1;
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 1);
	/* Long over, forgotten by the folder, put back. */
	memcpy(over, bed_submit(&b, "y"), sizeof over);
	str_init(&bytes, REQUEST_MAX);
	ok(&b, fs_read_own(b.q->dir[DIR_PENDING], over, REQUEST_MAX, &bytes,
	    &b.e));
	bed_decide(&b, over);
	ck_assert_int_eq(queue_collect(b.q, over, &b.e), 1);
	late = b.now;
	late.wall_ms += 1000LL * 3600 * 24 * 8;
	ok(&b, queue_sweep(b.q, &late, NULL, NULL, &b.e));
	ck_assert(!queue_has(b.home.run, over));
	bed_write(&b, DIR_CLAIMED, over, bytes.s, bytes.len);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_CLAIMED), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 2);
	bed_drop(&b);
}
END_TEST

/* Decided but not told: age alone does not make it over. */
START_TEST(an_old_file_may_still_be_wanted)
{
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	char id[ID_MAX + 1];
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	bed_decide(&b, id);
	ck_assert_int_eq(utimensat(b.q->dir[DIR_CLOSED], id, old, 0), 0);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert(!queue_has(b.q->dir[DIR_CLOSED], id));
	bed_drop(&b);
}
END_TEST

/* What cannot be looked at counts as there, what cannot be opened as bad. */
START_TEST(when_it_cannot_be_told)
{
	static const int bad[] = { ELOOP, ENXIO, EACCES };
	static const int innocent[] = { EMFILE, EIO, ENOSPC };
	char longer[NAME_MAX + 2];
	struct bed b;

	bed_make(&b);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	ck_assert(queue_has(b.q->dir[DIR_PENDING], longer));
	ck_assert(!queue_has(b.q->dir[DIR_PENDING], "x"));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct err e = { .code = ERR_SYSTEM, .sys = bad[i] };

		ck_assert(queue_is_damage(&e));
	}
	for (size_t i = 0; i < ARRAY_LEN(innocent); i++) {
		const struct err e = { .code = ERR_SYSTEM,
			.sys = innocent[i] };

		ck_assert(!queue_is_damage(&e));
	}
	queue_free(NULL);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/edges",
	tcase_add_test(tc, when_it_cannot_be_told);
	tcase_add_test(tc, an_asker_that_sleeps_is_woken);
	tcase_add_test(tc, what_is_no_id_is_no_path);
	tcase_add_test(tc, long_texts_are_not_published);
	tcase_add_test(tc, nobody_needs_the_error);
	tcase_add_test_raise_signal(tc, consume_before_take, SIGABRT);
	tcase_add_test_raise_signal(tc, start_before_consume, SIGABRT);
	tcase_add_test_raise_signal(tc, answer_before_consume, SIGABRT);
	tcase_add_test(tc, the_ledger_decides_when_two_consume);
	tcase_add_test(tc, an_answer_of_another_project);
	tcase_add_test(tc, closed_lists_end_somewhere);
	tcase_add_test(tc, states_as_people_see_them);
	tcase_add_test(tc, odd_files_in_claimed);
	tcase_add_test(tc, an_old_file_may_still_be_wanted);)
