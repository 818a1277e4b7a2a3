/* What the record says is kept, how long, and what a session finds. */
#include "tests/unit/unit.h"

#include "audit/originals/capture.h"
#include "tests/unit/originals_kept.h"

START_TEST(verify_names_what_is_gone_or_edited)
{
	struct file_list l;
	struct store *s;
	struct digest d;

	bed_text(&b, "f", "old");
	keep("f", false);
	ck_assert_uint_eq(bed_verify(&b).missing + bed_verify(&b).edited, 0);
	l = kept();
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &s, NULL),
	    0);
	ck_assert_int_eq(store_drop(s, &l.e[0].st.content, NULL), 0);
	ck_assert_uint_eq(bed_verify(&b).missing, 1);
	ck_assert_int_eq(digest_parse(hex, &d), 0);
	ck_assert_int_eq(store_drop(s, &d, NULL), 0);
	ck_assert_uint_eq(bed_verify(&b).missing, 1);
	store_free(s);
	file_list_clear(&l);
	ck_assert_int_eq(renameat(b.log.fd, "originals", b.log.fd, "gone"), 0);
	ck_assert_uint_eq(bed_verify(&b).missing, 1);
}
END_TEST

static struct originals_gone
collect(uint64_t bytes, int64_t ms)
{
	const struct originals_keep keep_for = { bytes, ms };
	struct originals_gone gone;
	struct err e = { 0 };

	ck_assert_msg(originals_collect(b.log.fd, b.log.a, &b.log.clock,
	    &keep_for, &gone, &e) == 0, "%s", e.text);
	return gone;
}

START_TEST(the_oldest_goes_first_and_verify_agrees)
{
	struct originals_gone gone;

	for (unsigned i = 0; i < 10; i++) {
		char *text = xasprintf("version %u", i);

		bed_text(&b, "f", text);
		keep("f", false);
		free(text);
	}
	gone = collect(UINT64_MAX, INT64_MAX);
	ck_assert_uint_eq(gone.objects, 0);
	ck_assert_uint_eq(gone.upto, 0);
	gone = collect(gone.left / 2, INT64_MAX);
	ck_assert_uint_gt(gone.objects, 0);
	ck_assert_uint_ge(gone.upto, 1);
	ck_assert_uint_le(gone.upto, 8);
	ck_assert_uint_eq(bed_verify(&b).missing, 0);
	/* The newest is there. */
	bed_text(&b, "f", "now");
	restore(0);
	ck_assert(!bed_is(&b, "f", "now"));
}
END_TEST

START_TEST(age_counts_and_strays_go)
{
	struct originals_gone gone;
	struct store *s;
	struct digest stray;

	bed_text(&b, "f", "old");
	keep("f", false);
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &s, NULL),
	    0);
	ck_assert_int_eq(store_put(s, "nobody's", 8, NULL, &stray, NULL), 0);
	store_free(s);
	gone = collect(UINT64_MAX, INT64_MAX);
	ck_assert_uint_eq(gone.objects, 1);
	b.log.clock.wall_ms += 1000;
	gone = collect(UINT64_MAX, 999);
	ck_assert_uint_eq(gone.objects, 2);
	ck_assert_uint_eq(gone.left, 0);
	ck_assert_uint_eq(bed_verify(&b).missing, 0);
}
END_TEST

START_TEST(a_restore_under_way_keeps_what_it_needs)
{
	struct originals_gone gone;
	struct store *s;
	struct digest d;

	bed_text(&b, "f", "old");
	keep("f", false);
	ck_assert_int_eq(digest_parse(hex, &d), 0);
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &s, NULL),
	    0);
	ck_assert_int_eq(store_hold(s, &d, NULL), 0);
	gone = collect(0, -1);		/* in use: nothing is done at all */
	ck_assert_uint_eq(gone.objects + gone.left, 0);
	store_free(s);			/* killed, as it were */
	gone = collect(0, -1);
	ck_assert_uint_eq(gone.objects, 0);
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &s, NULL),
	    0);
	ck_assert(store_has(s, &d));
	store_free(s);
}
END_TEST

START_TEST(a_baseline_reads_only_what_changed)
{
	struct originals *o = bed_open(&b);
	struct baseline one, two, three;

	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0755), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "node_modules", 0755), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "cache", 0755), 0);
	bed_text(&b, "cache/CACHEDIR.TAG", "Signature: "
	    "8a477f597d28d172789f06886806bc55\n");
	bed_text(&b, "node_modules/m", "made");
	bed_text(&b, "d/f", "text");
	ck_assert_int_eq(originals_baseline(o, "s1", b.log.clock.wall_ms + 5000,
	    &one, NULL), 0);
	ck_assert_uint_eq(one.files, 2);
	ck_assert(!one.cut);
	/* Once for a session, when it is recorded. */
	ck_assert_int_eq(originals_baseline(o, "s1", b.log.clock.wall_ms + 5000,
	    &two, NULL), 0);
	ck_assert_str_eq(two.list, one.list);
	ck_assert_int_eq(originals_baseline_noted(o, "s1", &one, NULL), 0);
	ck_assert_int_eq(originals_baseline_noted(o, "s1", &one, NULL), 0);
	ck_assert_int_eq(originals_baseline(o, "s1", b.log.clock.wall_ms + 5000,
	    &two, NULL), 0);
	ck_assert_str_eq(two.list, "");
	ck_assert_int_eq(originals_baseline(o, "s2", b.log.clock.wall_ms + 5000,
	    &two, NULL), 0);
	ck_assert_str_eq(two.list, one.list);
	bed_text(&b, "d/f", "TEXT");
	ck_assert_int_eq(originals_baseline(o, "s3", b.log.clock.wall_ms + 5000,
	    &three, NULL), 0);
	ck_assert_str_ne(three.list, one.list);
	originals_close(o);
}
END_TEST

UNIT_MAIN("audit/originals, kept",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, verify_names_what_is_gone_or_edited);
    tcase_add_test(tc, the_oldest_goes_first_and_verify_agrees);
    tcase_add_test(tc, age_counts_and_strays_go);
    tcase_add_test(tc, a_restore_under_way_keeps_what_it_needs);
    tcase_add_test(tc, a_baseline_reads_only_what_changed);
)
