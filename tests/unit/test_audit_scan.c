/*
 * A log of several chunks, read by several threads: what is wrong is found
 * where it is, also at the chunks' edges.
 */
#include "tests/unit/unit.h"

#include "audit/chain.h"
#include "audit/scan.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"
#define CHUNK	(4 * 1024 * 1024)
#define BIG	20000		/* bytes of a record */
#define RECORDS	700		/* more than three chunks */

static void
fill(struct testlog *t)
{
	char *text = xcalloc(BIG + 1, 1);
	struct err e = { 0 };

	testlog_new(t);
	memset(text, 'x', BIG);
	while (t->seq + 1 < RECORDS) {
		if (testlog_allow(t, text, &e) == -1)
			testlog_fail("append", &e);
		if (t->seq % 200 == 150) {
			ck_assert_int_eq(testlog_checkpoint(t, NULL, &e), 0);
			t->seq++;
		}
	}
	free(text);
}

/* Number of the line that holds a byte, and where it begins. */
static uint64_t
line_of(const char *text, size_t at, size_t *ret_start)
{
	uint64_t n = 1;

	*ret_start = 0;
	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			n++;
			*ret_start = i + 1;
		}
	}
	return n;
}

START_TEST(whole_in_every_mode)
{
	static const struct verify_options modes[] = {
		{ .fast = true }, { .full = false }, { .full = true } };
	struct testlog t;

	fill(&t);
	for (size_t i = 0; i < 3; i++) {
		struct verify_report r;

		testlog_verify_as(&t, &modes[i], &r);
		ck_assert_msg(r.exit == VERIFY_EXIT_OK && r.n_findings == 0,
		    "mode %zu: %s in line %d", i,
		    verify_kind_name(r.findings[0].kind),
		    (int)r.findings[0].line);
		ck_assert_uint_eq(r.records, t.seq + 1);
		ck_assert_uint_eq(r.last_good_seq, t.seq);
		ck_assert_uint_eq(r.covered, 551);
	}
	testlog_end(&t);
}
END_TEST

/* In the line over each edge, and in those beside it. */
START_TEST(a_changed_byte_at_an_edge)
{
	struct testlog t;
	size_t len, start;
	char *text;

	fill(&t);
	text = testlog_read(&t, LOG, &len);
	ck_assert_uint_gt(len, 3 * CHUNK);
	for (size_t edge = CHUNK; edge < len; edge += CHUNK) {
		for (int side = -1; side <= 1; side++) {
			size_t at = side == 0 ? edge :
			    side < 0 ? edge - BIG : edge + BIG;
			struct verify_report r;
			uint64_t line;

			line = line_of(text, at, &start);
			text[start + 1000] ^= 1;
			testlog_write(&t, LOG, text, len);
			testlog_verify_fast(&t, &r);
			ck_assert_int_eq(r.exit, VERIFY_EXIT_TAMPERED);
			ck_assert_int_eq(r.findings[0].kind, VERIFY_EDITED);
			ck_assert_uint_eq(r.findings[0].line, line);
			ck_assert_uint_eq(r.findings[0].offset, start);
			ck_assert_uint_eq(r.last_good_seq, line - 2);
			text[start + 1000] ^= 1;
		}
	}
	free(text);
	testlog_end(&t);
}
END_TEST

/* A line that begins exactly where a chunk does. */
START_TEST(a_line_that_begins_with_a_chunk)
{
	struct testlog t;
	struct verify_report r;
	struct str pad;
	struct err e = { 0 };
	struct stat st;

	testlog_new(&t);
	str_init(&pad, CHAIN_RECORD_MAX);
	for (;;) {
		size_t left, over, n = BIG;

		ck_assert_int_eq(fstatat(t.fd, LOG, &st, 0), 0);
		left = CHUNK - (size_t)st.st_size;
		if (left == 0)
			break;
		/* What a record of no text takes. */
		ck_assert_int_eq(testlog_allow(&t, "", &e), 0);
		over = (size_t)st.st_size;
		ck_assert_int_eq(fstatat(t.fd, LOG, &st, 0), 0);
		over = (size_t)st.st_size - over;
		left -= over;
		if (left < 2 * BIG + 2 * over)
			n = left - over;
		str_reset(&pad);
		while (pad.len < n)
			str_addc(&pad, 'x');
		ck_assert_int_eq(testlog_allow(&t, pad.s, &e), 0);
	}
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(testlog_allow(&t, "ls", NULL), 0);
	testlog_verify(&t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK, "%s in line %d",
	    verify_kind_name(r.findings[0].kind), (int)r.findings[0].line);
	ck_assert_uint_eq(r.records, t.seq + 1);
	str_clear(&pad);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("audit/scan",
	tcase_add_test(tc, whole_in_every_mode);
	tcase_add_test(tc, a_changed_byte_at_an_edge);
	tcase_add_test(tc, a_line_that_begins_with_a_chunk);
)
