/*
 * Claim: an approval is never used twice, late, or for something else.  Here
 * is the queue's part; the attacker writes everything below .sandbox/.
 */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

static const enum queue_dir all[] = { DIR_TMP, DIR_PENDING, DIR_CLAIMED,
	DIR_ANSWERED, DIR_CLOSED };

static void
copy(struct bed *b, enum queue_dir from, const char *name, struct str *ret)
{
	str_init(ret, ANSWER_MAX);
	ok(b, fs_read_own(b->q->dir[from], name, ANSWER_MAX, ret, &b->e));
}

/* Wherever the file of a used id is put: it never waits, never runs. */
static void
expect_spent(struct bed *b, const char *id)
{
	struct entries l;
	struct claim *c;

	for (int pass = 0; pass < 2; pass++) {
		ck_assert_int_eq(queue_lock(b->q, id, &b->now, &c, &b->e), -1);
		ck_assert_int_eq(b->e.code, ERR_LOST);
		ok(b, queue_list(b->q, &b->now, false, &l, &b->e));
		for (size_t i = 0; i < l.n; i++)
			ck_assert_int_ne(l.e[i].state, ENTRY_PENDING);
		entries_clear(&l);
		ok(b, queue_sweep(b->q, &b->now, NULL, NULL, &b->e));
	}
}

START_TEST(a_used_request_put_back_anywhere)
{
	auto_str struct str bytes = { 0 };
	char id[ID_MAX + 1];
	struct answer a;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	copy(&b, DIR_PENDING, id, &bytes);
	bed_decide(&b, id);
	for (size_t d = 0; d < ARRAY_LEN(all); d++) {
		/* A copy beside the true one, then the true one moved. */
		fs_write_new(b.q->dir[all[d]], id, bytes.s, bytes.len, false,
		    NULL);
		expect_spent(&b, id);
		renameat(b.q->dir[DIR_CLOSED], id, b.q->dir[all[d]], id);
		expect_spent(&b, id);
	}
	/* What came of it is still what came of it. */
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_DONE);
	answer_clear(&a);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	for (size_t d = 0; d < ARRAY_LEN(all); d++) {
		fs_write_new(b.q->dir[all[d]], id, bytes.s, bytes.len, false,
		    NULL);
		expect_spent(&b, id);
	}
	bed_drop(&b);
}
END_TEST

START_TEST(a_running_request_put_back_is_not_run_again)
{
	auto_str struct str bytes = { 0 };
	char id[ID_MAX + 1];
	struct answer a;
	struct claim *c;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	copy(&b, DIR_PENDING, id, &bytes);
	c = bed_consume(&b, id);
	ok(&b, claim_started(c, &b.e));
	renameat(b.q->dir[DIR_CLAIMED], id, b.q->dir[DIR_PENDING], id);
	expect_spent(&b, id);
	bed_write(&b, DIR_PENDING, id, bytes.s, bytes.len);
	expect_spent(&b, id);
	/* Moved away, deleted: its runner still answers. */
	bed_answer(&b, id, OUTCOME_DONE, &a);
	ok(&b, claim_answer(c, &a, &b.e));
	answer_clear(&a);
	claim_close(c);
	expect_spent(&b, id);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	bed_drop(&b);
}
END_TEST

/* A runner that dies is noticed even if its file is gone from claimed/. */
START_TEST(a_dead_runner_cannot_be_hidden)
{
	char id[ID_MAX + 1];
	struct answer a;
	struct claim *c;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	c = bed_consume(&b, id);
	ok(&b, claim_started(c, &b.e));
	ck_assert_int_eq(unlinkat(b.q->dir[DIR_CLAIMED], id, 0), 0);
	claim_close(c);
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ok(&b, queue_read_answer(b.q, id, &a, &b.e));
	ck_assert_int_eq(a.outcome, OUTCOME_UNKNOWN);
	answer_clear(&a);
	bed_drop(&b);
}
END_TEST

START_TEST(an_answer_put_back_is_not_collected_twice)
{
	auto_str struct str bytes = { 0 };
	char id[ID_MAX + 1], name[ANSWER_NAME];
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	queue_answer_name(id, name);
	bed_decide(&b, id);
	copy(&b, DIR_ANSWERED, name, &bytes);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	for (int i = 0; i < 3; i++) {
		bed_write(&b, DIR_ANSWERED, name, bytes.s, bytes.len);
		ck_assert_int_eq(queue_collect(b.q, id, &b.e), 0);
		ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
		ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 0);
		ck_assert_int_eq(queue_collect(b.q, id, &b.e), 0);
	}
	bed_drop(&b);
}
END_TEST

/* Also after its time, when even the folder has forgotten it. */
START_TEST(an_answer_put_back_after_a_month)
{
	auto_str struct str bytes = { 0 };
	char id[ID_MAX + 1], name[ANSWER_NAME];
	struct clock late;
	struct bed b;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "x"), sizeof id);
	queue_answer_name(id, name);
	bed_decide(&b, id);
	copy(&b, DIR_ANSWERED, name, &bytes);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 1);
	late = b.now;
	late.wall_ms += 1000LL * 3600 * 24 * 30;
	late.boot_ms += 1000LL * 3600 * 24 * 30;
	ok(&b, queue_sweep(b.q, &late, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_CLOSED), 0);
	bed_write(&b, DIR_ANSWERED, name, bytes.s, bytes.len);
	ck_assert_int_eq(queue_collect(b.q, id, &b.e), 0);
	bed_drop(&b);
}
END_TEST

static void
rewrite(struct bed *b, enum queue_dir from, const char *id, const char *was,
    const char *is)
{
	auto_str struct str bytes = { 0 };
	char *at;

	copy(b, from, id, &bytes);
	at = strstr(bytes.s, was);
	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(strlen(was), strlen(is));
	memcpy(at, is, strlen(is));
	ck_assert_int_eq(unlinkat(b->q->dir[from], id, 0), 0);
	bed_write(b, from, id, bytes.s, bytes.len);
}

/* Between show and claim, and between claim and run. */
START_TEST(a_request_swapped_after_it_was_shown)
{
	struct digest none = { { 0 } }, shown, now;
	char id[ID_MAX + 1];
	struct request r;
	enum entry_state s;
	struct claim *c;
	struct bed b;
	bool waiter;

	bed_make(&b);
	memcpy(id, bed_submit(&b, "rm -r build"), sizeof id);
	ok(&b, queue_read(b.q, id, &r, &s, &waiter, &b.e));
	request_digest(&r, &none, &shown);
	request_clear(&r);
	rewrite(&b, DIR_PENDING, id, "rm -r build", "rm -r /home");
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	request_digest(claim_request(c), &none, &now);
	ck_assert(!digest_eq(&shown, &now));
	claim_close(c);
	rewrite(&b, DIR_PENDING, id, "rm -r /home", "rm -r build");

	/* Locked and read, then swapped: the claim is lost. */
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	rewrite(&b, DIR_PENDING, id, "rm -r build", "rm -r /home");
	ck_assert_int_eq(claim_take(c, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_LOST);
	claim_close(c);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 1);
	ck_assert_uint_eq(bed_count(&b, DIR_PENDING), 0);

	/* Taken, then swapped: what was read is what is held. */
	memcpy(id, bed_submit(&b, "rm -r build"), sizeof id);
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	rewrite(&b, DIR_CLAIMED, id, "rm -r build", "rm -r /home");
	ok(&b, claim_consume(c, "stmt\n", "sig", &b.e));
	ck_assert_str_eq(json_str(claim_request(c)->input, "command"),
	    "rm -r build");
	claim_close(c);
	bed_drop(&b);
}
END_TEST

/* A request of its own making, as only an agent would write it. */
static void
plant_time(struct bed *b, int64_t boot_ms, int64_t wall_ms, int64_t ttl_s,
    char id[static ID_MAX + 1])
{
	struct request r;
	struct str blob;

	bed_request(&r, "x");
	r.created_boot_ms = boot_ms;
	r.created_wall_ms = wall_ms;
	r.ttl_s = ttl_s;
	memcpy(r.boot_id, b->now.boot_id, sizeof r.boot_id);
	memcpy(r.project, b->home.project, sizeof r.project);
	memset(r.nonce, '0', 32);
	id_make(boot_ms, 1, r.id);
	ok(b, request_encode(&r, &blob, &b->e));
	bed_write(b, DIR_PENDING, r.id, r.bytes.s, r.bytes.len);
	memcpy(id, r.id, sizeof r.id);
	request_clear(&r);
}

static void
expect_refused(struct bed *b, const char *id, size_t aside)
{
	struct entries l;
	struct claim *c;

	ok(b, queue_list(b->q, &b->now, false, &l, &b->e));
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(l.aside, aside);
	entries_clear(&l);
	ck_assert_int_eq(queue_lock(b->q, id, &b->now, &c, &b->e), -1);
	ok(b, queue_sweep(b->q, &b->now, NULL, NULL, &b->e));
	ck_assert(!queue_has(b->q->dir[DIR_PENDING], id));
	ck_assert_int_eq(queue_lock(b->q, id, &b->now, &c, &b->e), -1);
}

START_TEST(a_request_with_a_forged_time)
{
	char id[ID_MAX + 1];
	struct claim *c;
	struct bed b;
	int64_t boot, wall;

	bed_make(&b);
	boot = b.now.boot_ms;
	wall = b.now.wall_ms;
	/* Clocks differ a little. */
	plant_time(&b, boot + 1000, wall + 1000, 60, id);
	ok(&b, queue_lock(b.q, id, &b.now, &c, &b.e));
	claim_close(c);
	unlinkat(b.q->dir[DIR_PENDING], id, 0);
	plant_time(&b, boot + 3000, wall, 60, id);
	expect_refused(&b, id, 1);
	plant_time(&b, boot, wall + 3000, 60, id);
	expect_refused(&b, id, 1);
	plant_time(&b, boot, wall, b.lim.ttl_max_s + 1, id);
	expect_refused(&b, id, 1);
	plant_time(&b, boot, wall, 9007199254740992, id);
	expect_refused(&b, id, 1);
	/* Its time is over by one clock only: over. */
	if (boot > 61000) {
		plant_time(&b, boot - 61000, wall, 60, id);
		expect_refused(&b, id, 0);
	}
	plant_time(&b, boot, wall - 61000, 60, id);
	expect_refused(&b, id, 0);
	bed_drop(&b);
}
END_TEST

START_TEST(a_request_of_another_boot_or_project)
{
	char id[ID_MAX + 1], was[37];
	struct bed b;

	bed_make(&b);
	memcpy(was, b.now.boot_id, sizeof was);
	b.now.boot_id[0] = was[0] == 'f' ? '0' : 'f';
	plant_time(&b, b.now.boot_ms, b.now.wall_ms, 60, id);
	memcpy(b.now.boot_id, was, sizeof was);
	expect_refused(&b, id, 0);	/* expired: closed, as after a reboot */
	ck_assert(queue_has(b.q->dir[DIR_CLOSED], id));
	memcpy(was, b.home.project, 33);
	b.home.project[0] = was[0] == 'f' ? '0' : 'f';
	plant_time(&b, b.now.boot_ms, b.now.wall_ms, 60, id);
	memcpy(b.home.project, was, 33);
	expect_refused(&b, id, 1);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("an approval is used twice, late, or for something else",
	tcase_add_test(tc, a_used_request_put_back_anywhere);
	tcase_add_test(tc, a_running_request_put_back_is_not_run_again);
	tcase_add_test(tc, a_dead_runner_cannot_be_hidden);
	tcase_add_test(tc, an_answer_put_back_is_not_collected_twice);
	tcase_add_test(tc, an_answer_put_back_after_a_month);
	tcase_add_test(tc, a_request_swapped_after_it_was_shown);
	tcase_add_test(tc, a_request_with_a_forged_time);
	tcase_add_test(tc, a_request_of_another_boot_or_project);)
