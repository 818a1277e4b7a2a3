/* Flood: how much may wait, and what happens to the rest. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

static int
submit(struct bed *b, const char *session, size_t bytes)
{
	auto_free char *text = xcalloc(bytes + 1, 1);
	struct request r;
	struct ticket t;
	int got;

	memset(text, 'x', bytes);
	bed_request(&r, text);
	free(r.session);
	r.session = xstrdup(session);
	got = queue_submit(b->q, &r, &b->now, &t, &b->e);
	if (got == 0)
		ticket_close(&t);
	request_clear(&r);
	return got;
}

static void
limit(struct bed *b, int pending, int session, int minute, int64_t bytes)
{
	b->lim.pending_max = pending;
	b->lim.pending_session_max = session;
	b->lim.new_per_minute = minute;
	b->lim.bytes_max = bytes;
	queue_free(b->q);
	ok(b, queue_open(&b->home, &b->lim, &b->q, &b->e));
}

static void
expect_full(struct bed *b, int got, const char *why)
{
	ck_assert_int_eq(got, -1);
	ck_assert_int_eq(b->e.code, ERR_PERMITTED);
	ck_assert_ptr_nonnull(strstr(b->e.text, "queue is full"));
	ck_assert_msg(strstr(b->e.text, why) != NULL, "%s", b->e.text);
	ck_assert_uint_eq(bed_count(b, DIR_TMP), 0);
}

START_TEST(pending)
{
	struct bed b;
	char s[16];

	bed_make(&b);
	limit(&b, 5, 100, 100, 16 << 20);
	for (int i = 0; i < 5; i++) {
		snprintf(s, sizeof s, "s-%d", i);
		ok(&b, submit(&b, s, 10));
	}
	expect_full(&b, submit(&b, "s-9", 10), "5 requests wait");
	ck_assert_uint_eq(bed_count(&b, DIR_PENDING), 5);
	bed_drop(&b);
}
END_TEST

START_TEST(pending_of_one_session)
{
	struct bed b;

	bed_make(&b);
	limit(&b, 64, 3, 100, 16 << 20);
	for (int i = 0; i < 3; i++)
		ok(&b, submit(&b, "a", 10));
	expect_full(&b, submit(&b, "a", 10), "of this session wait");
	for (int i = 0; i < 3; i++)
		ok(&b, submit(&b, "b", 10));
	expect_full(&b, submit(&b, "b", 10), "of this session wait");
	ok(&b, submit(&b, "", 10));
	bed_drop(&b);
}
END_TEST

/* Decided and withdrawn ones count too: it is about how often one asks. */
START_TEST(new_in_a_minute)
{
	struct fs_names l;
	struct ticket t = { .owner = true, .fd = -1 };
	struct bed b;

	bed_make(&b);
	limit(&b, 64, 64, 4, 16 << 20);
	for (int i = 0; i < 4; i++)
		ok(&b, submit(&b, "a", 10));
	ok(&b, fs_list(b.q->dir[DIR_PENDING], NULL, 9, &l, NULL, &b.e));
	bed_decide(&b, l.names[0]);
	memcpy(t.id, l.names[1], strlen(l.names[1]) + 1);
	ok(&b, queue_withdraw(b.q, &t, &b.e));
	fs_names_clear(&l);
	expect_full(&b, submit(&b, "a", 10), "within a minute");
	ok(&b, submit(&b, "b", 10));
	b.now.boot_ms += 60001;
	b.now.wall_ms += 60001;
	ok(&b, submit(&b, "a", 10));
	bed_drop(&b);
}
END_TEST

/* A session that is resumed behind a reboot: the boot clock began anew. */
START_TEST(of_another_boot)
{
	struct bed b;

	bed_make(&b);
	limit(&b, 64, 64, 4, 16 << 20);
	b.now.boot_ms = 900000000;
	for (int i = 0; i < 4; i++)
		ok(&b, submit(&b, "a", 10));
	expect_full(&b, submit(&b, "a", 10), "within a minute");
	memset(b.now.boot_id, 'b', 8);
	b.now.boot_ms = 90000;
	b.now.wall_ms += 90000;
	for (int i = 0; i < 4; i++)
		ok(&b, submit(&b, "a", 10));
	expect_full(&b, submit(&b, "a", 10), "within a minute");
	/* At the same time of another boot. */
	memset(b.now.boot_id, 'c', 8);
	ok(&b, submit(&b, "a", 10));
	bed_drop(&b);
}
END_TEST

/* Behind a reboot their ids are no longer the newest that there are. */
START_TEST(an_answer_is_found_behind_many_closed)
{
	struct trace_key key = { .session = "s-1" };
	struct ticket t = { .owner = true, .fd = -1 };
	struct trace found;
	struct bed b;
	char id[ID_MAX + 1];

	bed_make(&b);
	limit(&b, 64, 64, 1 << 20, 16 << 20);
	b.now.boot_ms = 900000000;
	for (int i = 0; i < 250; i++) {
		memcpy(t.id, bed_submit(&b, "other"), sizeof t.id);
		ok(&b, queue_withdraw(b.q, &t, &b.e));
	}
	memset(b.now.boot_id, 'b', 8);
	b.now.boot_ms = 90000;
	memcpy(id, bed_submit(&b, "mine"), sizeof id);
	bed_decide(&b, id);
	digest_of("mine", 4, NULL, &key.call_key);
	ok(&b, queue_find_call(b.q, &key, &b.now, &found, &b.e));
	ck_assert_int_eq(found.state, TRACE_ANSWERED);
	ck_assert_str_eq(found.id, id);
	bed_drop(&b);
}
END_TEST

START_TEST(bytes)
{
	struct bed b;
	int n = 0;

	bed_make(&b);
	limit(&b, 64, 64, 100, 1 << 20);
	while (submit(&b, "a", 200000) == 0)
		n++;
	expect_full(&b, -1, "bytes");
	ck_assert_int_eq(n, 5);
	ok(&b, submit(&b, "a", 10));		/* a small one still fits */
	bed_drop(&b);
}
END_TEST

/* Blobs of requests that are over make room when it is needed. */
START_TEST(old_blobs_make_room)
{
	struct fs_names l;
	struct ticket t = { .owner = true, .fd = -1 };
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	struct bed b;

	bed_make(&b);
	limit(&b, 64, 64, 100, 1 << 20);
	ok(&b, submit(&b, "a", 700000));
	expect_full(&b, submit(&b, "a", 700001), "bytes");
	ok(&b, fs_list(b.q->dir[DIR_BLOBS], NULL, 9, &l, NULL, &b.e));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_int_eq(utimensat(b.q->dir[DIR_BLOBS], l.names[0], old, 0),
	    0);
	fs_names_clear(&l);
	expect_full(&b, submit(&b, "a", 700001), "bytes");	/* wanted */
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);
	ok(&b, fs_list(b.q->dir[DIR_PENDING], NULL, 9, &l, NULL, &b.e));
	memcpy(t.id, l.names[0], strlen(l.names[0]) + 1);
	fs_names_clear(&l);
	ok(&b, queue_withdraw(b.q, &t, &b.e));
	ok(&b, submit(&b, "a", 700001));
	ck_assert_uint_eq(bed_count(&b, DIR_BLOBS), 1);
	bed_drop(&b);
}
END_TEST

START_TEST(a_value_too_large_for_any_queue)
{
	struct bed b;

	bed_make(&b);
	limit(&b, 64, 64, 100, INT64_MAX / 2);
	ck_assert_int_eq(submit(&b, "a", BLOB_MAX + 1), -1);
	ck_assert_int_eq(b.e.code, ERR_FORMAT);
	ok(&b, submit(&b, "a", BLOB_MAX));
	bed_drop(&b);
}
END_TEST

START_TEST(a_life_longer_than_the_policy_gives)
{
	struct request r;
	struct ticket t;
	struct bed b;

	bed_make(&b);
	bed_request(&r, "x");
	r.ttl_s = b.lim.ttl_max_s + 1;
	ck_assert_int_eq(queue_submit(b.q, &r, &b.now, &t, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_FORMAT);
	request_clear(&r);
	bed_drop(&b);
}
END_TEST

/* An agent that writes into the folder by itself is bounded when listed. */
START_TEST(a_planted_flood_is_cut)
{
	struct entries l;
	struct bed b;

	bed_make(&b);
	limit(&b, 1000, 1000, 1000, 16 << 20);
	for (int i = 0; i < 40; i++)
		ok(&b, submit(&b, "a", 10));
	limit(&b, 30, 8, 10, 16 << 20);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 30);
	ck_assert_uint_eq(l.more, 10);
	entries_clear(&l);
	limit(&b, 30, 8, 10, 5000);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_le(l.n, 12);
	ck_assert_uint_eq(l.n + l.more, 40);
	entries_clear(&l);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/limits",
	tcase_add_test(tc, pending);
	tcase_add_test(tc, pending_of_one_session);
	tcase_add_test(tc, new_in_a_minute);
	tcase_add_test(tc, of_another_boot);
	tcase_add_test(tc, an_answer_is_found_behind_many_closed);
	tcase_add_test(tc, bytes);
	tcase_add_test(tc, old_blobs_make_room);
	tcase_add_test(tc, a_value_too_large_for_any_queue);
	tcase_add_test(tc, a_life_longer_than_the_policy_gives);
	tcase_add_test(tc, a_planted_flood_is_cut);)
