/* Contents by their digest: in, out, and what is not what it says. */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "audit/originals/inside.h"
#include "audit/originals/packing.h"
#include "tests/unit/originals_bed.h"

static struct bed b;
static struct store *s;

static void
setup(void)
{
	struct err e;

	bed_new(&b);
	ck_assert_int_eq(store_open(b.log.fd, true, STORE_SHARED, &s, &e), 0);
}

static void
teardown(void)
{
	store_free(s);
	bed_end(&b);
}

/* A number of lines, of which one is different. */
static char *
lines(unsigned n, unsigned odd)
{
	struct str t;

	str_init(&t, 1 << 24);
	for (unsigned i = 0; i < n; i++)
		str_addf(&t, "line %u of many, %u\n", i * 7919 % 1009,
		    i == odd ? 1 : 0);
	return str_take(&t);
}

static void
comes_back(const struct digest *d, const char *text)
{
	struct str got;
	struct err e = { 0 };

	str_init(&got, 1 << 24);
	ck_assert_msg(store_get(s, d, 1 << 24, &got, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(got.len, strlen(text));
	ck_assert_str_eq(got.s, text);
	str_clear(&got);
}

START_TEST(what_goes_in_comes_out)
{
	static const char *const texts[] = { "", "x", "hello\n" };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct digest d, plain;

		ck_assert_int_eq(store_put(s, texts[i], strlen(texts[i]), NULL,
		    &d, NULL), 0);
		digest_of(texts[i], strlen(texts[i]), NULL, &plain);
		ck_assert(digest_eq(&d, &plain));
		ck_assert(store_has(s, &d));
		comes_back(&d, texts[i]);
	}
}
END_TEST

START_TEST(a_small_change_is_kept_as_a_difference)
{
	char *a = lines(20000, 1), *c = lines(20000, 19000);
	struct object_info whole, part, third;
	struct digest da, dc, dx;

	ck_assert_int_eq(store_put(s, a, strlen(a), NULL, &da, NULL), 0);
	ck_assert_int_eq(store_put(s, c, strlen(c), &da, &dc, NULL), 0);
	ck_assert(store_info(s, &da, &whole) && !whole.delta);
	ck_assert(store_info(s, &dc, &part) && part.delta);
	ck_assert(digest_eq(&part.base, &da));
	ck_assert_uint_le(part.bytes, 4096);
	comes_back(&da, a);
	comes_back(&dc, c);
	/* The next stands on the same whole one, not on the difference. */
	c[5] = '!';
	ck_assert_int_eq(store_put(s, c, strlen(c), &dc, &dx, NULL), 0);
	ck_assert(store_info(s, &dx, &third) && third.delta);
	ck_assert(digest_eq(&third.base, &da));
	comes_back(&dx, c);
	free(a);
	free(c);
}
END_TEST

/* Noise leaves nothing else to be saved, and fills all tables of a matcher. */
START_TEST(a_small_change_of_much_is_small)
{
	size_t len = STORE_SMALL / 2;
	char *a = xcalloc(len, 1);
	struct digest da, dc;
	struct object_info part;
	uint64_t x = 1;

	for (size_t i = 0; i < len; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		a[i] = (char)(x >> 56);
	}
	ck_assert_int_eq(store_put(s, a, len, NULL, &da, NULL), 0);
	a[1000] ^= 1;
	ck_assert_int_eq(store_put(s, a, len, &da, &dc, NULL), 0);
	ck_assert(store_info(s, &dc, &part) && part.delta);
	ck_assert_uint_le(part.bytes, 4096);
	free(a);
}
END_TEST

START_TEST(a_bad_guess_costs_nothing)
{
	struct digest base, d, nowhere = { { 1 } };
	struct object_info info;
	char *a = lines(1000, 1);

	ck_assert_int_eq(store_put(s, "other", 5, NULL, &base, NULL), 0);
	ck_assert_int_eq(store_put(s, a, strlen(a), &base, &d, NULL), 0);
	ck_assert(store_info(s, &d, &info));
	a[0] = '!';
	ck_assert_int_eq(store_put(s, a, strlen(a), &nowhere, &d, NULL), 0);
	ck_assert(store_info(s, &d, &info) && !info.delta);
	comes_back(&d, a);
	free(a);
}
END_TEST

/* --- files --------------------------------------------------------------- */

static int
scratch(void)
{
	return memfd_create("scratch", MFD_CLOEXEC);
}

START_TEST(large_files_go_through_in_pieces)
{
	size_t len = STORE_SMALL + 12345;
	char *text = xcalloc(1, len + 1);
	struct digest d, plain;
	struct str got;
	bool sparse;
	int to = scratch(), fd;

	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + i * i % 23);
	bed_put(&b, "large", text, len);
	fd = openat(b.rootfd, "large", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(store_put_fd(s, fd, UINT64_MAX, &d, &sparse, NULL), 0);
	ck_assert(!sparse);
	digest_of(text, len, NULL, &plain);
	ck_assert(digest_eq(&d, &plain));
	ck_assert_int_eq(store_get_fd(s, &d, false, to, NULL), 0);
	ck_assert_int_eq(lseek(to, 0, SEEK_SET), 0);
	str_init(&got, len);
	ck_assert_int_eq(io_read_all(to, len, &got, NULL), 0);
	ck_assert_uint_eq(got.len, len);
	ck_assert_int_eq(memcmp(got.s, text, len), 0);
	str_clear(&got);
	lseek(fd, 0, SEEK_SET);
	ck_assert_int_eq(store_put_fd(s, fd, len - 1, &d, &sparse, NULL), -1);
	close(fd);
	close(to);
	free(text);
}
END_TEST

START_TEST(holes_stay_holes)
{
	static const off_t at[] = { 0, 5 << 20, 300 << 20 };
	off_t size = (off_t)1 << 32;
	int from = scratch(), to = scratch();
	struct digest d;
	struct stat st;
	bool sparse = false;
	char buf[6];

	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		ck_assert_int_eq(pwrite(from, "piece", 5, at[i]), 5);
	ck_assert_int_eq(ftruncate(from, size), 0);
	ck_assert_int_eq(store_put_fd(s, from, 1 << 20, &d, &sparse, NULL), 0);
	ck_assert(sparse);
	ck_assert_int_eq(store_get_fd(s, &d, true, to, NULL), 0);
	ck_assert_int_eq(fstat(to, &st), 0);
	ck_assert_int_eq(st.st_size, size);
	ck_assert_int_le(st.st_blocks * 512, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		ck_assert_int_eq(pread(to, buf, 5, at[i]), 5);
		ck_assert_int_eq(memcmp(buf, "piece", 5), 0);
	}
	close(from);
	close(to);
}
END_TEST

/* --- damage -------------------------------------------------------------- */

static void
damage(const struct digest *d, off_t at, const char *bytes, size_t len)
{
	char name[OBJECT_NAME];
	int fd;

	object_name(d, name);
	fd = openat(s->objects, name, O_RDWR | O_CLOEXEC);
	ck_assert_int_ne(fd, -1);
	if (bytes == NULL)
		ck_assert_int_eq(ftruncate(fd, at), 0);
	else
		ck_assert_int_eq(pwrite(fd, bytes, len, at), (ssize_t)len);
	close(fd);
}

static int
code_of(const struct digest *d)
{
	struct err e = { 0 };
	struct str got;

	str_init(&got, 1 << 24);
	ck_assert_int_eq(store_get(s, d, 1 << 24, &got, &e), -1);
	str_clear(&got);
	return e.code;
}

START_TEST(every_changed_byte_is_found)
{
	static const char text[] = "not much, but some text to look at";
	struct object_info info;
	struct digest d;
	struct stat st;
	char name[OBJECT_NAME];

	ck_assert_int_eq(store_put(s, text, sizeof text, NULL, &d, NULL), 0);
	object_name(&d, name);
	ck_assert_int_eq(fstatat(s->objects, name, &st, 0), 0);
	for (off_t i = 0; i < st.st_size; i++) {
		struct str got;
		char was, now;
		int fd = openat(s->objects, name, O_RDONLY | O_CLOEXEC);

		ck_assert_int_eq(pread(fd, &was, 1, i), 1);
		close(fd);
		now = (char)(was ^ 1);
		damage(&d, i, &now, 1);
		str_init(&got, 4096);
		/* Bytes of the header that mean nothing may differ. */
		if (store_get(s, &d, 4096, &got, NULL) == 0) {
			ck_assert_uint_eq(got.len, sizeof text);
			ck_assert_int_eq(memcmp(got.s, text, sizeof text), 0);
		}
		str_clear(&got);
		damage(&d, i, &was, 1);
	}
	damage(&d, st.st_size - 1, NULL, 0);
	ck_assert_int_eq(code_of(&d), ERR_DIGEST);
	ck_assert(!store_info(s, &d, &info));
	/* Kept again, it is whole again. */
	ck_assert_int_eq(store_put(s, text, sizeof text, NULL, &d, NULL), 0);
	ck_assert(store_has(s, &d));
}
END_TEST

START_TEST(another_content_under_a_name_is_found)
{
	struct digest a, c;
	char na[OBJECT_NAME], nc[OBJECT_NAME];

	ck_assert_int_eq(store_put(s, "one", 3, NULL, &a, NULL), 0);
	ck_assert_int_eq(store_put(s, "two", 3, NULL, &c, NULL), 0);
	object_name(&a, na);
	object_name(&c, nc);
	ck_assert_int_eq(renameat(s->objects, nc, s->objects, na), 0);
	ck_assert_int_eq(code_of(&a), ERR_DIGEST);
	ck_assert_int_eq(code_of(&c), ERR_NO_ID);
}
END_TEST

START_TEST(a_difference_without_its_base_is_found)
{
	char *a = lines(20000, 1), *c = lines(20000, 2);
	struct digest da, dc;

	ck_assert_int_eq(store_put(s, a, strlen(a), NULL, &da, NULL), 0);
	ck_assert_int_eq(store_put(s, c, strlen(c), &da, &dc, NULL), 0);
	ck_assert_int_eq(store_drop(s, &da, NULL), 0);
	ck_assert_int_eq(code_of(&dc), ERR_DIGEST);
	free(a);
	free(c);
}
END_TEST

START_TEST(what_is_not_ours_is_not_there)
{
	struct digest d;
	char name[OBJECT_NAME];

	ck_assert_int_eq(store_put(s, "mine", 4, NULL, &d, NULL), 0);
	object_name(&d, name);
	ck_assert_int_eq(linkat(s->objects, name, s->dir, "twin", 0), 0);
	ck_assert(!store_has(s, &d));
	ck_assert_int_eq(unlinkat(s->dir, "twin", 0), 0);
	ck_assert_int_eq(fchmodat(s->objects, name, 0644, 0), 0);
	ck_assert(!store_has(s, &d));
	ck_assert_int_eq(unlinkat(s->objects, name, 0), 0);
	ck_assert_int_eq(symlinkat("/etc/passwd", s->objects, name), 0);
	ck_assert(!store_has(s, &d));
	ck_assert_int_eq(unlinkat(s->objects, name, 0), 0);
	ck_assert_int_eq(mkfifoat(s->objects, name, 0600), 0);
	ck_assert(!store_has(s, &d));
}
END_TEST

START_TEST(one_collects_while_nobody_keeps)
{
	struct store *other = NULL;
	struct err e = { 0 };

	ck_assert_int_eq(store_open(b.log.fd, false, STORE_EXCLUSIVE, &other,
	    &e), -1);
	ck_assert_int_eq(e.code, ERR_LOST);
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &other, &e),
	    0);
	store_free(other);
}
END_TEST

START_TEST(one_restore_at_a_time)
{
	struct store *other = NULL;
	struct digest d = { { 7 } };
	struct err e = { 0 };

	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &other, &e),
	    0);
	ck_assert_int_eq(store_hold(s, &d, &e), 0);
	ck_assert_int_eq(store_hold(other, &d, &e), -1);
	ck_assert_int_eq(e.code, ERR_LOST);
	store_let_go(s, &d);
	ck_assert_int_eq(store_hold(other, &d, &e), 0);
	store_free(other);
}
END_TEST

START_TEST(hints_are_remembered)
{
	struct digest d = { { 3 } }, got;

	ck_assert(!store_hint(s, "a/b", &got));
	store_note(s, "a/b", &d);
	ck_assert(store_hint(s, "a/b", &got) && digest_eq(&d, &got));
	ck_assert(!store_hint(s, "a/c", &got));
}
END_TEST

UNIT_MAIN("audit/originals/store",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_goes_in_comes_out);
    tcase_add_test(tc, a_small_change_is_kept_as_a_difference);
    tcase_add_test(tc, a_small_change_of_much_is_small);
    tcase_add_test(tc, a_bad_guess_costs_nothing);
    tcase_add_test(tc, large_files_go_through_in_pieces);
    tcase_add_test(tc, holes_stay_holes);
    tcase_add_test(tc, every_changed_byte_is_found);
    tcase_add_test(tc, another_content_under_a_name_is_found);
    tcase_add_test(tc, a_difference_without_its_base_is_found);
    tcase_add_test(tc, what_is_not_ours_is_not_there);
    tcase_add_test(tc, one_collects_while_nobody_keeps);
    tcase_add_test(tc, one_restore_at_a_time);
    tcase_add_test(tc, hints_are_remembered);
)
