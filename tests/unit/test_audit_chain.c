#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audit/chain.h"
#include "audit/head.h"
#include "audit/key.h"

static void
good_line(struct str *s)
{
	struct digest prev;
	unsigned char next[SIGN_PUB], sig[SIGN_SIG];

	memset(prev.b, 0xab, sizeof prev.b);
	memset(next, 0xcd, sizeof next);
	memset(sig, 0xef, sizeof sig);
	str_init(s, CHAIN_RECORD_MAX * 2);
	chain_put_prefix(41, &prev, next, s);
	str_add(s, "allow\",\"tool\":\"Bash\"");
	chain_put_sig(sig, s);
}

START_TEST(a_line_is_read_by_offset)
{
	struct chain_line c;
	struct str s;

	good_line(&s);
	ck_assert(strncmp(s.s, "{\"v\":1,\"seq\":\"000000000041\","
	    "\"prev\":\"ab", 38) == 0);
	ck_assert(chain_parse(s.s, s.len, &c));
	ck_assert_uint_eq(c.seq, 41);
	ck_assert_uint_eq(c.prev.b[31], 0xab);
	ck_assert_uint_eq(c.next[31], 0xcd);
	ck_assert(chain_kind_is(&c, "allow"));
	ck_assert(!chain_kind_is(&c, "allo"));
	ck_assert_uint_eq(c.signed_len, s.len - 138);
	str_clear(&s);
}
END_TEST

/* Every byte of the frame counts, every shorter line is none. */
START_TEST(another_shape_is_no_record)
{
	struct chain_line c;
	struct str s;
	size_t frame = 184;

	good_line(&s);
	for (size_t i = 0; i < s.len; i++) {
		ck_assert_msg(!chain_parse(s.s, i, &c), "cut to %zu", i);
		if (i >= frame && i < s.len - 138)
			continue;
		s.s[i] ^= (char)0x80;
		ck_assert_msg(!chain_parse(s.s, s.len, &c), "byte %zu", i);
		s.s[i] ^= (char)0x80;
	}
	s.s[36] = 'A';			/* upper case is another spelling */
	ck_assert(!chain_parse(s.s, s.len, &c));
	s.s[36] = 'a';
	s.s[frame] = '"';		/* no kind */
	ck_assert(!chain_parse(s.s, s.len, &c));
	s.s[frame] = 'a';
	ck_assert(chain_parse(s.s, s.len, &c));
	str_clear(&s);
}
END_TEST

/* A number that is none, a kind that is none or does not end. */
START_TEST(a_byte_out_of_its_range)
{
	static const struct {
		size_t	at;
		char	c;
	} bad[] = { { 14, 'a' }, { 25, ':' }, { 14, '/' }, { 184, '{' },
		{ 184, 'A' }, { 189, '{' }, { 189, '-' }, { 189, 0x7f } };
	struct chain_line c;
	struct str s;
	struct digest prev = { { 0 } };
	unsigned char next[SIGN_PUB] = { 0 }, sig[SIGN_SIG] = { 0 };

	str_init(&s, 4096);
	chain_put_prefix(1, &prev, next, &s);
	str_add(&s, "allow\",\"x\":1");
	chain_put_sig(sig, &s);
	ck_assert(chain_parse(s.s, s.len, &c));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char was = s.s[bad[i].at];

		s.s[bad[i].at] = bad[i].c;
		ck_assert(!chain_parse(s.s, s.len, &c));
		s.s[bad[i].at] = was;
	}
	str_clear(&s);
}
END_TEST

START_TEST(a_kind_is_all_of_its_name)
{
	struct chain_line c = { .kind = "allow\"", .kind_len = 5 };

	ck_assert(chain_kind_is(&c, "allow"));
	ck_assert(!chain_kind_is(&c, "alloy"));
	ck_assert(!chain_kind_is(&c, "allo"));
	ck_assert(!chain_kind_is(&c, "allow\""));
}
END_TEST

START_TEST(a_kind_is_short)
{
	struct chain_line c;
	struct str s;
	struct digest prev = { { 0 } };
	unsigned char next[SIGN_PUB] = { 0 }, sig[SIGN_SIG] = { 0 };

	str_init(&s, CHAIN_RECORD_MAX * 2);
	chain_put_prefix(1, &prev, next, &s);
	for (int i = 0; i < 33; i++)
		str_addc(&s, 'a');
	str_addc(&s, '"');
	chain_put_sig(sig, &s);
	ck_assert(!chain_parse(s.s, s.len, &c));
	str_reset(&s);
	chain_put_prefix(1, &prev, next, &s);
	str_add(&s, "allow\"");
	while (s.len <= CHAIN_RECORD_MAX)
		str_addc(&s, ' ');
	chain_put_sig(sig, &s);
	ck_assert(!chain_parse(s.s, s.len, &c));
	str_clear(&s);
}
END_TEST

static const struct head pin = {
	.seq = 41, .hash = { { 0x5a } }, .synced = 7,
	.boot_id = "6178704d-4d61-4537-b51a-56813275b9f4",
};

START_TEST(a_pin_has_one_spelling)
{
	struct head h;
	struct str s;

	str_init(&s, 4096);
	head_encode(&pin, &s);
	ck_assert_int_eq(head_decode(s.s, s.len, &h), 0);
	ck_assert_uint_eq(h.seq, 41);
	ck_assert_uint_eq(h.synced, 7);
	ck_assert(digest_eq(&h.hash, &pin.hash));
	ck_assert_str_eq(h.boot_id, pin.boot_id);
	for (size_t i = 0; i < s.len; i++) {
		ck_assert_int_eq(head_decode(s.s, i, &h), -1);
		s.s[i] ^= (char)0x80;
		ck_assert_int_eq(head_decode(s.s, s.len, &h), -1);
		s.s[i] ^= (char)0x80;
	}
	str_addc(&s, '\n');
	ck_assert_int_eq(head_decode(s.s, s.len, &h), -1);
	ck_assert_int_eq(head_decode("", 0, &h), -1);
	str_clear(&s);
}
END_TEST

static const unsigned char seed0[SIGN_SEED] = { 1, 2, 3 };

static int
key_file(const unsigned char *bytes)
{
	int fd = memfd_create("log.key", MFD_CLOEXEC);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(pwrite(fd, bytes, 256, 0), 256);
	return fd;
}

/* Public half of the key of record n, counted from seed0 = record 0. */
static void
public_of(unsigned n, unsigned char pub[static SIGN_PUB])
{
	struct chain_key k, next;

	key_make(seed0, &k);
	while (n-- > 0) {
		key_next(&k, &next);
		k = next;
	}
	memcpy(pub, k.pub, SIGN_PUB);
}

START_TEST(keys_are_derived_forward_only)
{
	unsigned char bytes[256], pub[SIGN_PUB];
	struct key_slots s;
	struct chain_key k;
	uint64_t newest = 0;
	int slot = 7, fd;

	key_slots_encode(10, seed0, bytes);
	fd = key_file(bytes);
	ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
	ck_assert(s.slot[0].valid && !s.slot[1].valid);
	ck_assert(key_slots_newest(&s, &newest));
	ck_assert_uint_eq(newest, 10);
	public_of(0, pub);
	ck_assert(key_find(&s, 10, pub, &k, &slot));
	ck_assert_int_eq(slot, 0);
	ck_assert(!key_find(&s, 9, pub, &k, &slot));
	ck_assert(!key_find(&s, 11, pub, &k, &slot));
	public_of(64, pub);
	ck_assert(key_find(&s, 74, pub, &k, &slot));
	ck_assert_int_eq(memcmp(k.pub, pub, SIGN_PUB), 0);
	ck_assert(!key_find(&s, 11 + KEY_STEPS_MAX, pub, &k, &slot));
	key_slots_wipe(&s);
	ck_assert(!key_slots_newest(&s, &newest));
	close(fd);
}
END_TEST

START_TEST(a_damaged_slot_is_no_slot)
{
	unsigned char bytes[256];
	struct key_slots s;

	for (int i = 0; i < KEY_SLOT_BYTES; i++) {
		key_slots_encode(10, seed0, bytes);
		bytes[i] ^= 1;
		int fd = key_file(bytes);

		ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
		ck_assert_msg(!s.slot[0].valid, "byte %d", i);
		close(fd);
	}
	int empty = open("/dev/null", O_RDWR | O_CLOEXEC);

	ck_assert_int_eq(key_slots_read(empty, &s, NULL), 0);
	ck_assert(!s.slot[0].valid && !s.slot[1].valid);
	close(empty);
	ck_assert_int_eq(key_slots_read(-1, &s, NULL), -1);
}
END_TEST

START_TEST(what_is_overwritten_is_forgotten)
{
	unsigned char bytes[256], pub[SIGN_PUB];
	struct key_slots s;
	struct chain_key k, later;
	int slot, fd;

	key_slots_encode(0, seed0, bytes);
	fd = key_file(bytes);
	key_make(seed0, &k);
	key_next(&k, &later);
	ck_assert_int_eq(key_slot_write(fd, 1, 1, later.seed, NULL), 0);
	ck_assert_int_eq(key_slot_zero(fd, 0, NULL), 0);
	ck_assert_int_eq(pread(fd, bytes, 256, 0), 256);
	ck_assert_ptr_null(memmem(bytes, 256, seed0, SIGN_SEED));
	ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
	ck_assert(!s.slot[0].valid && s.slot[1].valid);
	public_of(0, pub);
	ck_assert(!key_find(&s, 0, pub, &k, &slot));
	public_of(5, pub);
	ck_assert(key_find(&s, 5, pub, &k, &slot));
	ck_assert_int_eq(slot, 1);

	/* Both there, as after a crash: the newer is used, the older helps. */
	key_slots_encode(0, seed0, bytes);
	ck_assert_int_eq(pwrite(fd, bytes, 128, 0), 128);
	ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
	ck_assert(key_find(&s, 5, pub, &k, &slot));
	ck_assert_int_eq(slot, 1);
	s.slot[1].valid = false;
	ck_assert(key_find(&s, 5, pub, &k, &slot));
	ck_assert_int_eq(slot, 0);
	key_slots_destroy(fd);
	ck_assert_int_eq(key_slots_read(fd, &s, NULL), 0);
	ck_assert(!s.slot[0].valid && !s.slot[1].valid);
	ck_assert_int_eq(key_slot_write(-1, 0, 1, seed0, NULL), -1);
	close(fd);
}
END_TEST

UNIT_MAIN("audit/chain",
	tcase_add_test(tc, a_line_is_read_by_offset);
	tcase_add_test(tc, another_shape_is_no_record);
	tcase_add_test(tc, a_byte_out_of_its_range);
	tcase_add_test(tc, a_kind_is_all_of_its_name);
	tcase_add_test(tc, a_kind_is_short);
	tcase_add_test(tc, a_pin_has_one_spelling);
	tcase_add_test(tc, keys_are_derived_forward_only);
	tcase_add_test(tc, a_damaged_slot_is_no_slot);
	tcase_add_test(tc, what_is_overwritten_is_forgotten);
)
