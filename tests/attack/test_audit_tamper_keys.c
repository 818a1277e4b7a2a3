/*
 * "The log is edited, cut, reordered, forked, replaced": each attack on a log
 * of 50 records is found, with its kind and its exit code.  Here by whoever
 * can write log.key and the pin as well, or has keys.
 */
#include "tests/attack/tamper.h"

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

static void
zero_slots(struct bed *b)
{
	static const char zero[KEY_SLOTS * KEY_SLOT_BYTES];

	testlog_write(&b->t, "log.key", zero, sizeof zero);
}

/* In either slot: the one that is not in use is zeros anyway. */
static void
flip_seed(struct bed *b)
{
	size_t len;
	char *p = testlog_read(&b->t, "log.key", &len);

	p[20] ^= 1;
	p[KEY_SLOT_BYTES + 20] ^= 1;
	testlog_write(&b->t, "log.key", p, len);
	free(p);
}

static void
cut_key(struct bed *b)
{
	testlog_write(&b->t, "log.key", "", 0);
}

static void
write_pin(struct bed *b, const struct head *h)
{
	struct str text;

	str_init(&text, 4096);
	head_encode(h, &text);
	testlog_write(&b->t, "audit.head", text.s, text.len);
	str_clear(&text);
}

static struct head
pin_of(struct bed *b)
{
	struct head h;
	size_t len;
	char *p = testlog_read(&b->t, "audit.head", &len);

	ck_assert_int_eq(head_decode(p, len, &h), 0);
	free(p);
	return h;
}

static void
pin_ahead(struct bed *b)
{
	struct head h = pin_of(b);

	h.seq += 5;
	write_pin(b, &h);
}

static void
pin_of_another(struct bed *b)
{
	struct head h = pin_of(b);

	h.hash.b[0] ^= 1;
	write_pin(b, &h);
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

static const struct attack attacks[] = {
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
	A(zero_slots, KEY_CHANGED, KEY, 0),
	A(flip_seed, KEY_CHANGED, KEY, 0),
	A(cut_key, KEY_CHANGED, KEY, 0),
	A(pin_ahead, TRUNCATED, TRUNCATED, 0),
	A(pin_of_another, FORKED, TAMPERED, 0),
	A(edit_last_and_pin, BAD_SIGNATURE, TAMPERED, 50),
	A(edit_and_rehash, BAD_SIGNATURE, TAMPERED, 41),
	A_FAST_MISSES(own_keys, KEY_CHANGED, KEY, 31),
	A(fork_after_theft, FORKED, TAMPERED, 0),
	A(twin_beside, FORKED, TAMPERED, 32),
	A(begin_by_stranger, KEY_CHANGED, KEY, 1),
	A(begin_by_approver, KEY_CHANGED, KEY, 1),
};

START_TEST(an_attack_is_found_and_named)
{
	attack_run(&attacks[_i]);
	for (size_t i = 0; i < RECORDS; i++)
		str_clear(&mine[i]);
}
END_TEST

UNIT_MAIN("attack/audit/tamper keys",
	tcase_add_loop_test(tc, an_attack_is_found_and_named, 0,
	    (int)ARRAY_LEN(attacks));
)
