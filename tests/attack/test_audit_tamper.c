/*
 * "The log is edited, cut, reordered, forked, replaced": each attack on a log
 * of 50 records is found, with its kind and its exit code.  Here by whoever
 * can write the log and nothing else.
 */
#include "tests/attack/tamper.h"

static void delete_one(struct bed *b) { lines_remove(&b->l, 20, 1); }
static void delete_first(struct bed *b) { lines_remove(&b->l, 0, 1); }
static void delete_some(struct bed *b) { lines_remove(&b->l, 20, 7); }
static void cut_last(struct bed *b) { b->l.n--; }
static void cut_some(struct bed *b) { b->l.n -= 10; }
static void cut_all(struct bed *b) { b->l.n = 0; }
static void cut_inside(struct bed *b) { b->l.l[RECORDS - 1].len -= 40; }
static void cut_newline(struct bed *b) { b->l.l[RECORDS - 1].len--; }
static void swap_two(struct bed *b) { lines_move(&b->l, 20, 21); }
static void move_back(struct bed *b) { lines_move(&b->l, 30, 12); }
static void move_on(struct bed *b) { lines_move(&b->l, 12, 30); }

static void
repeat_here(struct bed *b)
{
	lines_insert(&b->l, 21, b->l.l[20].s, b->l.l[20].len);
}

static void
repeat_at_end(struct bed *b)
{
	lines_insert(&b->l, b->l.n, b->l.l[20].s, b->l.l[20].len);
}

static void
insert_garbage(struct bed *b)
{
	lines_insert(&b->l, 20, "{\"hello\":1}\n", 12);
}

static void
insert_at_end(struct bed *b)
{
	lines_insert(&b->l, b->l.n, "{\"hello\":1}\n", 12);
}

static char forged[CHAIN_RECORD_MAX];

/* A line of the right shape, number and parent, signed by nobody. */
static void
insert_forged(struct bed *b)
{
	size_t len = b->l.l[20].len;
	char *p;

	memcpy(forged, b->l.l[20].s, len);
	p = memmem(forged, len, "make step", 9);
	ck_assert_ptr_nonnull(p);
	memcpy(p, "evil step", 9);
	lines_insert(&b->l, 20, forged, len);
}

static void
insert_far_number(struct bed *b)
{
	insert_forged(b);
	memcpy(forged + 14, "000000000045", 12);
}

static void
foreign_instead(struct bed *b)
{
	for (size_t i = 20; i < 26; i++)
		b->l.l[i].s = b->foreign.l[i].s,
		b->l.l[i].len = b->foreign.l[i].len;
}

static void
foreign_between(struct bed *b)
{
	lines_insert(&b->l, 20, b->foreign.l[20].s, b->foreign.l[20].len);
}

static const struct attack attacks[] = {
	A(delete_one, MISSING, TAMPERED, 21),
	A(delete_first, MISSING, TAMPERED, 1),
	A(delete_some, MISSING, TAMPERED, 21),
	A(cut_last, TRUNCATED, TRUNCATED, 0),
	A(cut_some, TRUNCATED, TRUNCATED, 0),
	A(cut_all, TRUNCATED, TRUNCATED, 0),
	A(cut_inside, TRUNCATED, TRUNCATED, 0),
	A(cut_newline, TRUNCATED, TRUNCATED, 0),
	A(swap_two, REORDERED, TAMPERED, 21),
	A(move_back, REORDERED, TAMPERED, 13),
	A(move_on, REORDERED, TAMPERED, 13),
	A(repeat_here, DUPLICATE_SEQ, TAMPERED, 22),
	A(repeat_at_end, DUPLICATE_SEQ, TAMPERED, 51),
	A(insert_garbage, INSERTED, TAMPERED, 21),
	A(insert_at_end, INSERTED, TAMPERED, 51),
	A(insert_forged, INSERTED, TAMPERED, 21),
	A(insert_far_number, INSERTED, TAMPERED, 21),
	A(foreign_instead, FOREIGN_LOG, TAMPERED, 21),
	A(foreign_between, FOREIGN_LOG, TAMPERED, 21),
};

START_TEST(an_attack_is_found_and_named)
{
	attack_run(&attacks[_i]);
}
END_TEST

UNIT_MAIN("attack/audit/tamper",
	tcase_add_loop_test(tc, an_attack_is_found_and_named, 0,
	    (int)ARRAY_LEN(attacks));
)
