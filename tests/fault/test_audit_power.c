/*
 * A power cut: of what was not synced, any part may be on disk.  The log cut
 * to any length from the last sync on, an old pin, either key slot torn or
 * both there: the log goes on, and verify calls it torn at most.
 */
#include "tests/unit/unit.h"

#include "audit/head.h"
#include "audit/key.h"
#include "tests/unit/audit_log.h"

#define LOG	"audit/audit.jsonl"
#define UNSYNCED	6

struct disk {
	char	*log, *key_old, *key_new;
	size_t	 log_len, synced_len;
	char	*pins[UNSYNCED + 1];	/* after each record; [0] synced */
	size_t	 pin_len;
};

/* The pin as it was, from another boot than the one we come up in. */
static char *
pin_of_last_boot(struct testlog *t, size_t *ret_len)
{
	struct head h;
	struct str s;
	char *text = testlog_read(t, "audit.head", ret_len);

	ck_assert_int_eq(head_decode(text, *ret_len, &h), 0);
	memset(h.boot_id, 'a', 36);
	str_init(&s, 4096);
	head_encode(&h, &s);
	free(text);
	return str_take(&s);
}

static void
disk_make(struct testlog *t, struct disk *d)
{
	size_t n;

	testlog_new(t);
	ck_assert_int_eq(testlog_allow(t, "ls", NULL), 0);
	ck_assert_int_eq(audit_sync(t->a, NULL), 0);
	free(testlog_read(t, LOG, &d->synced_len));
	d->pins[0] = pin_of_last_boot(t, &d->pin_len);
	for (int i = 1; i <= UNSYNCED; i++) {
		ck_assert_int_eq(testlog_allow(t, "ls", NULL), 0);
		d->pins[i] = pin_of_last_boot(t, &d->pin_len);
	}
	d->log = testlog_read(t, LOG, &d->log_len);
	d->key_old = testlog_read(t, "log.key", &n);
	ck_assert_uint_eq(n, 256);
	ck_assert_int_eq(audit_sync(t->a, NULL), 0);
	d->key_new = testlog_read(t, "log.key", &n);
	ck_assert_uint_eq(n, 256);
}

static void
disk_free(struct testlog *t, struct disk *d)
{
	for (int i = 0; i <= UNSYNCED; i++)
		free(d->pins[i]);
	free(d->log);
	free(d->key_old);
	free(d->key_new);
	testlog_end(t);
}

static void
power_on(struct testlog *t, const struct disk *d, size_t len, int pin,
    const char *key)
{
	struct verify_report r;
	struct err e = { 0 };

	testlog_write(t, LOG, d->log, len);
	testlog_write(t, "audit.head", d->pins[pin], d->pin_len);
	testlog_write(t, "log.key", key, 256);
	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK || r.exit == VERIFY_EXIT_TORN,
	    "length %zu, pin %d: exit %d, %s: %s %s", len, pin, (int)r.exit,
	    verify_kind_name(r.findings[0].kind), r.findings[0].expected,
	    r.findings[0].found);
	ck_assert_msg(testlog_allow(t, "on", &e) == 0,
	    "length %zu, pin %d: %s", len, pin, e.text);
	testlog_verify(t, true, &r);
	ck_assert_msg(r.exit == VERIFY_EXIT_OK, "length %zu, pin %d: exit %d",
	    len, pin, (int)r.exit);
	ck_assert_uint_le(r.n_findings, 1);
	ck_assert_int_eq(testlog_allow(t, "on", &e), 0);
}

START_TEST(the_log_is_cut_anywhere_behind_the_sync)
{
	struct testlog t;
	struct disk d;

	disk_make(&t, &d);
	for (size_t len = d.synced_len; len <= d.log_len; len++) {
		int pin = len % 7 == 0 ? (int)(len / 7) % (UNSYNCED + 1) :
		    UNSYNCED;

		power_on(&t, &d, len, pin, d.key_old);
	}
	disk_free(&t, &d);
}
END_TEST

/* The sync itself: the new slot half written, both there, the old half gone. */
START_TEST(either_slot_is_lost)
{
	struct testlog t;
	struct disk d;
	char key[256];
	size_t old_at, new_at;

	disk_make(&t, &d);
	old_at = d.key_old[0] != '\0' ? 0 : KEY_SLOT_BYTES;
	new_at = KEY_SLOT_BYTES - old_at;
	ck_assert_int_ne(d.key_new[new_at], '\0');
	for (size_t n = 0; n <= KEY_SLOT_BYTES; n++) {
		memcpy(key, d.key_old, sizeof key);
		memcpy(key + new_at, d.key_new + new_at, n);
		power_on(&t, &d, d.log_len, (int)n % (UNSYNCED + 1), key);

		memcpy(key, d.key_new, sizeof key);
		memcpy(key + old_at + n, d.key_old + old_at + n,
		    KEY_SLOT_BYTES - n);
		power_on(&t, &d, d.log_len, (int)n % (UNSYNCED + 1), key);
	}
	for (size_t lost = 0; lost < 256; lost += KEY_SLOT_BYTES) {
		memcpy(key, d.key_old, sizeof key);
		memcpy(key + new_at, d.key_new + new_at, KEY_SLOT_BYTES);
		memset(key + lost, 0xff, KEY_SLOT_BYTES);
		power_on(&t, &d, d.log_len, UNSYNCED, key);
	}
	disk_free(&t, &d);
}
END_TEST

/* What was synced is not excused: shorter than that is a cut. */
START_TEST(a_cut_before_the_sync_is_no_accident)
{
	struct testlog t;
	struct disk d;
	struct verify_report r;

	disk_make(&t, &d);
	for (size_t len = d.synced_len - 60; len < d.synced_len; len += 9) {
		testlog_write(&t, LOG, d.log, len);
		testlog_write(&t, "audit.head", d.pins[UNSYNCED], d.pin_len);
		testlog_write(&t, "log.key", d.key_old, 256);
		testlog_verify(&t, true, &r);
		ck_assert_int_eq(r.exit, VERIFY_EXIT_TRUNCATED);
		ck_assert_int_eq(testlog_allow(&t, "on", NULL), -1);
	}
	disk_free(&t, &d);
}
END_TEST

/* Both slots gone at once is no crash: closed, until an approver resumes. */
START_TEST(without_any_seed_a_human_must_come)
{
	static const char zero[256];
	struct testlog t;
	struct disk d;
	struct verify_report r;

	disk_make(&t, &d);
	testlog_write(&t, "log.key", zero, sizeof zero);
	ck_assert_int_eq(testlog_allow(&t, "on", NULL), -1);
	ck_assert_int_eq(audit_resume(t.fd, PROJECT, t.seed, &t.clock, NULL),
	    0);
	ck_assert_int_eq(testlog_allow(&t, "on", NULL), 0);
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_KEY);
	disk_free(&t, &d);
}
END_TEST

UNIT_MAIN("fault/audit/power",
	tcase_add_test(tc, the_log_is_cut_anywhere_behind_the_sync);
	tcase_add_test(tc, either_slot_is_lost);
	tcase_add_test(tc, a_cut_before_the_sync_is_no_accident);
	tcase_add_test(tc, without_any_seed_a_human_must_come);
)
