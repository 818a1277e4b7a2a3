/*
 * "The log is edited, cut, reordered, forked, replaced": each attack on a log
 * of 50 records is found, with its kind and its exit code.
 */
#include "tests/unit/unit.h"

#include "audit/logfile.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define RECORDS	50
#define OTHER	"fedcba9876543210fedcba9876543210"
#define LOG	"audit/audit.jsonl"

/* The log as lines, with their LF. */
struct lines {
	char	*text;
	size_t	 len;
	struct { const char *s; size_t len; } l[RECORDS + 20];
	size_t	 n;
};

static void
lines_read(struct testlog *t, struct lines *ret)
{
	const char *p;

	memset(ret, 0, sizeof *ret);
	ret->text = testlog_read(t, LOG, &ret->len);
	p = ret->text;
	while (p < ret->text + ret->len) {
		const char *end = memchr(p, '\n',
		    (size_t)(ret->text + ret->len - p));

		ret->l[ret->n].s = p;
		ret->l[ret->n++].len = (size_t)(end + 1 - p);
		p = end + 1;
	}
}

static void
lines_write(struct testlog *t, const struct lines *l)
{
	struct str s;

	str_init(&s, 1 << 24);
	for (size_t i = 0; i < l->n; i++)
		str_addn(&s, l->l[i].s, l->l[i].len);
	testlog_write(t, LOG, s.s, s.len);
	str_clear(&s);
}

static void
lines_remove(struct lines *l, size_t at, size_t n)
{
	memmove(&l->l[at], &l->l[at + n], (l->n - at - n) * sizeof l->l[0]);
	l->n -= n;
}

static void
lines_insert(struct lines *l, size_t at, const char *s, size_t len)
{
	memmove(&l->l[at + 1], &l->l[at], (l->n - at) * sizeof l->l[0]);
	l->l[at].s = s;
	l->l[at].len = len;
	l->n++;
}

static void
lines_move(struct lines *l, size_t from, size_t to)
{
	const char *s = l->l[from].s;
	size_t len = l->l[from].len;

	lines_remove(l, from, 1);
	lines_insert(l, to, s, len);
}

/* Two logs of equal length, and a copy of the first as it was at 30. */
struct bed {
	struct testlog	t, other;
	struct lines	l, foreign;
	char		*old_log, *old_key, *old_pin;
	size_t		 old_log_len, old_key_len, old_pin_len;
};

static void
bed_save(struct bed *b)
{
	b->old_log = testlog_read(&b->t, LOG, &b->old_log_len);
	b->old_key = testlog_read(&b->t, "log.key", &b->old_key_len);
	b->old_pin = testlog_read(&b->t, "audit.head", &b->old_pin_len);
}

static void
bed_up(struct bed *b)
{
	testlog_new(&b->t);
	testlog_fill(&b->t, 30);
	bed_save(b);
	testlog_fill(&b->t, RECORDS);
	testlog_new_in(&b->other, OTHER);
	testlog_fill(&b->other, RECORDS);
	lines_read(&b->t, &b->l);
	lines_read(&b->other, &b->foreign);
	ck_assert_uint_eq(b->l.n, RECORDS);
}

static void
bed_down(struct bed *b)
{
	free(b->l.text);
	free(b->foreign.text);
	free(b->old_log);
	free(b->old_key);
	free(b->old_pin);
	testlog_end(&b->t);
	testlog_end(&b->other);
}

/* --- whoever has no key --- */

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

static void
restore(struct bed *b, bool log, bool key, bool pin)
{
	if (log) {
		testlog_write(&b->t, LOG, b->old_log, b->old_log_len);
		b->l.n = 0;
		free(b->l.text);
		lines_read(&b->t, &b->l);
	}
	if (key)
		testlog_write(&b->t, "log.key", b->old_key, b->old_key_len);
	if (pin)
		testlog_write(&b->t, "audit.head", b->old_pin, b->old_pin_len);
}

static void old_log(struct bed *b) { restore(b, true, false, false); }
static void old_log_key(struct bed *b) { restore(b, true, true, false); }
static void old_log_pin(struct bed *b) { restore(b, true, false, true); }
static void old_pin(struct bed *b) { restore(b, false, false, true); }
static void old_key(struct bed *b) { restore(b, false, true, false); }

static void
no_pin(struct bed *b)
{
	unlinkat(b->t.fd, "audit.head", 0);
}

static void
bad_pin(struct bed *b)
{
	testlog_write(&b->t, "audit.head", "{\"seq\":\"1\"}\n", 12);
}

static void
take_file(struct bed *b, const char *name)
{
	size_t len;
	char *p = testlog_read(&b->other, name, &len);

	testlog_write(&b->t, name, p, len);
	free(p);
}

static void foreign_key(struct bed *b) { take_file(b, "log.key"); }

static void
foreign_all(struct bed *b)
{
	take_file(b, "log.key");
	take_file(b, "audit.head");
	take_file(b, LOG);
	free(b->l.text);
	lines_read(&b->t, &b->l);
}

static void
no_key(struct bed *b)
{
	unlinkat(b->t.fd, "log.key", 0);
}

/* --- whoever has keys: of the log as it was, or his own --- */

/* The pin and the keys as an honest writer would have left them. */
static void
pin_end(struct bed *b, const struct chain_key *key)
{
	const char *s = b->l.l[b->l.n - 1].s;
	size_t len = b->l.l[b->l.n - 1].len - 1;
	unsigned char slots[KEY_SLOTS * KEY_SLOT_BYTES];
	struct head h = { 0 };
	struct chain_line c;
	struct str text;

	ck_assert(chain_parse(s, len, &c));
	h.seq = c.seq;
	h.synced = c.seq;
	chain_hash(s, len, &h.hash);
	memcpy(h.boot_id, b->t.clock.boot_id, sizeof h.boot_id);
	str_init(&text, 4096);
	head_encode(&h, &text);
	testlog_write(&b->t, "audit.head", text.s, text.len);
	str_clear(&text);
	if (key == NULL)
		return;
	key_slots_encode(c.seq + 1, key->seed, slots);
	testlog_write(&b->t, "log.key", slots, sizeof slots);
}

static void
edit_last_and_pin(struct bed *b)
{
	char *p = memmem(b->l.text, b->l.len, b->l.l[49].s, b->l.l[49].len);

	p += b->l.l[49].len - 20;		/* in its signature */
	*p = *p == '0' ? '1' : '0';
	pin_end(b, NULL);
}

/* Edit record 40 and mend every hash behind it, but sign nothing. */
static void
edit_and_rehash(struct bed *b)
{
	static char copy[RECORDS][4096];

	for (size_t i = 40; i < RECORDS; i++) {
		size_t len = b->l.l[i].len;
		struct digest d;
		char hex[DIGEST_HEX + 1];

		memcpy(copy[i], b->l.l[i].s, len);
		if (i == 40) {
			copy[i][len - 160] ^= 1;
		} else {
			chain_hash(copy[i - 1], b->l.l[i - 1].len - 1, &d);
			digest_hex(&d, hex);
			memcpy(copy[i] + 36, hex, DIGEST_HEX);
		}
		b->l.l[i].s = copy[i];
	}
	pin_end(b, NULL);
}

/* Write on from record `from` with keys of one's own. */
static struct str mine[RECORDS];

static void
go_on(struct bed *b, size_t from, struct chain_key key)
{
	struct event ev = { .kind = "allow", .session = "s1",
		.agent = "claude" };
	struct record r = { .project = PROJECT, .event = &ev,
		.clock = &b->t.clock };

	for (size_t i = from; i < RECORDS; i++) {
		struct chain_key next;

		r.seq = i;
		chain_hash(b->l.l[i - 1].s, b->l.l[i - 1].len - 1, &r.prev);
		key_next(&key, &next);
		str_init(&mine[i], CHAIN_RECORD_MAX);
		ck_assert_int_eq(record_build(&r, &key, next.pub, &mine[i],
		    NULL), 0);
		str_addc(&mine[i], '\n');
		b->l.l[i].s = mine[i].s;
		b->l.l[i].len = mine[i].len;
		key = next;
	}
	b->l.n = RECORDS;
	pin_end(b, &key);
}

static void
own_keys(struct bed *b)
{
	static const unsigned char seed[SIGN_SEED] = { 66 };
	struct chain_key key;

	key_make(seed, &key);
	go_on(b, 30, key);
}

/* A copy of log.key at 30 signs another history from there. */
static bool
stolen_key(struct bed *b, struct chain_key *ret)
{
	struct key_slots s;
	struct chain_line c;
	int slot, fd;

	testlog_write(&b->t, "stolen", b->old_key, b->old_key_len);
	fd = openat(b->t.fd, "stolen", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
	close(fd);
	unlinkat(b->t.fd, "stolen", 0);
	ck_assert(chain_parse(b->l.l[29].s, b->l.l[29].len - 1, &c));
	return key_find(&s, 30, c.next, ret, &slot);
}

static void
fork_after_theft(struct bed *b)
{
	struct chain_key key;
	size_t len;
	char *pin = testlog_read(&b->t, "audit.head", &len);

	ck_assert(stolen_key(b, &key));
	go_on(b, 30, key);
	testlog_write(&b->t, "audit.head", pin, len);
	free(pin);
}

static void
twin_beside(struct bed *b)
{
	struct chain_key key;
	struct lines all = b->l;

	ck_assert(stolen_key(b, &key));
	go_on(b, 30, key);
	b->l = all;
	lines_insert(&b->l, 31, mine[30].s, mine[30].len);
	testlog_write(&b->t, "log.key", "", 0);
}

/* A new beginning, by a stranger or by the approver himself. */
static void
begin_anew(struct bed *b, unsigned char who)
{
	struct testlog again;
	char *genesis = xstrdup(b->t.genesis);

	unlinkat(b->t.fd, LOG, 0);
	again = b->t;
	memset(again.seed, who, SIGN_SEED);

	const struct audit_birth birth = { PROJECT, "/home/u/proj",
	    again.seed, &b->t.clock };

	ck_assert_int_eq(audit_genesis(b->t.fd, &birth,
	    &(struct digest){ { 0 } }, NULL), 0);
	ck_assert_int_eq(testlog_allow(&b->t, "ls", NULL), 0);
	memcpy(b->t.genesis, genesis, sizeof b->t.genesis);
	free(genesis);
	free(b->l.text);
	lines_read(&b->t, &b->l);
}

static void begin_by_stranger(struct bed *b) { begin_anew(b, 99); }
static void begin_by_approver(struct bed *b) { begin_anew(b, 7); }

struct attack {
	const char		*name;
	void			(*fn)(struct bed *);
	enum verify_kind	 kind;
	enum verify_exit	 exit;
	uint64_t		 line;		/* 0: the end of the log */
};

#define A(fn, kind, exit, line) { #fn, fn, VERIFY_##kind, \
	VERIFY_EXIT_##exit, line }
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
	A(foreign_all, FOREIGN_LOG, TAMPERED, 1),
	A(foreign_key, KEY_CHANGED, KEY, 0),
	A(no_key, KEY_CHANGED, KEY, 0),
	A(old_log, TRUNCATED, TRUNCATED, 0),
	A(old_log_key, ROLLED_BACK, TRUNCATED, 0),
	A(old_log_pin, TRUNCATED, TRUNCATED, 0),
	A(old_pin, ROLLED_BACK, TRUNCATED, 0),
	A(old_key, ROLLED_BACK, TRUNCATED, 0),
	A(no_pin, ROLLED_BACK, TRUNCATED, 0),
	A(bad_pin, ROLLED_BACK, TRUNCATED, 0),
	A(edit_last_and_pin, BAD_SIGNATURE, TAMPERED, 50),
	A(edit_and_rehash, BAD_SIGNATURE, TAMPERED, 41),
	A(own_keys, KEY_CHANGED, KEY, 31),
	A(fork_after_theft, FORKED, TAMPERED, 0),
	A(twin_beside, FORKED, TAMPERED, 32),
	A(begin_by_stranger, KEY_CHANGED, KEY, 1),
	A(begin_by_approver, KEY_CHANGED, KEY, 1),
};

START_TEST(an_attack_is_found_and_named)
{
	const struct attack *a = &attacks[_i];
	struct verify_report r;
	struct bed b;

	bed_up(&b);
	a->fn(&b);
	lines_write(&b.t, &b.l);
	for (int full = 0; full < 2; full++) {
		testlog_verify(&b.t, full, &r);
		ck_assert_msg(r.exit == a->exit && r.n_findings > 0 &&
		    r.findings[0].kind == a->kind &&
		    r.findings[0].line == a->line,
		    "%s: exit %d, %zu findings, first %s in line %d: %s, %s",
		    a->name, (int)r.exit, r.n_findings,
		    verify_kind_name(r.findings[0].kind),
		    (int)r.findings[0].line, r.findings[0].expected,
		    r.findings[0].found);
	}
	/* Nobody writes on and so covers up that the end is wrong. */
	if (a->line == 0 || a->line > RECORDS)
		ck_assert_msg(testlog_allow(&b.t, "ls", NULL) == -1, "%s",
		    a->name);
	for (size_t i = 0; i < RECORDS; i++)
		str_clear(&mine[i]);
	bed_down(&b);
}
END_TEST

UNIT_MAIN("attack/audit/tamper",
	tcase_add_loop_test(tc, an_attack_is_found_and_named, 0,
	    (int)ARRAY_LEN(attacks));
)
