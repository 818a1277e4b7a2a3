/* The doorbell: rings, the timer behind it, and the library's traps. */
#include "queue/watch.h"
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <sys/resource.h>

/* Wait for a ring sooner than the timer would come; how long it took. */
static int64_t
ring_ms(struct watch *w)
{
	int64_t start = clock_boot_ms();

	while ((watch_wait(w, -1, -1) & WATCH_LOOK) == 0)
		;
	return clock_boot_ms() - start;
}

/* What rang while the bed was made is over. */
static void
quiet(struct watch *w)
{
	while ((watch_wait(w, -1, 100) & WATCH_LOOK) != 0)
		;
}

static void
touch(struct bed *b, const char *name)
{
	auto_free char *path = xasprintf("%s/.sandbox/escalations/%s",
	    b->root, name);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	ck_assert_int_ne(fd, -1);
	close(fd);
}

static struct watch *
open_bed(const struct bed *b)
{
	static const struct home *homes[1];

	homes[0] = &b->home;
	return watch_open(homes, 1);
}

START_TEST(a_request_rings)
{
	struct bed b;
	struct watch *w;

	bed_make(&b);
	w = open_bed(&b);
	ck_assert(watch_has_bell(w));
	quiet(w);
	bed_submit(&b, "npm install -g x");
	ck_assert_int_lt(ring_ms(w), 150);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

START_TEST(timer_looks_without_a_ring)
{
	struct bed b;
	struct watch *w;
	int64_t ms;

	bed_make(&b);
	w = open_bed(&b);
	ms = ring_ms(w);
	ck_assert_int_ge(ms, 150);
	ck_assert_int_le(ms, 5000);
	ck_assert_uint_eq(watch_wait(w, -1, 0), 0);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

START_TEST(input_wakes_and_its_end_too)
{
	struct bed b;
	struct watch *w;
	int p[2];

	bed_make(&b);
	ck_assert_int_eq(pipe(p), 0);
	w = open_bed(&b);
	ck_assert_uint_eq(watch_wait(w, p[0], 0) & WATCH_INPUT, 0);
	ck_assert_int_eq(write(p[1], "a", 1), 1);
	ck_assert_uint_ne(watch_wait(w, p[0], -1) & WATCH_INPUT, 0);
	ck_assert_int_eq(read(p[0], &(char){ 0 }, 1), 1);
	close(p[1]);
	ck_assert_uint_ne(watch_wait(w, p[0], -1) & WATCH_INPUT, 0);
	close(p[0]);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

/* 20,000 events, more than the kernel queues: it neither hangs nor spins. */
START_TEST(a_storm_is_one_ring)
{
	struct bed b;
	struct watch *w;
	unsigned rings = 0;

	bed_make(&b);
	w = open_bed(&b);
	quiet(w);
	for (int i = 0; i < 20000; i++) {
		touch(&b, "pending/storm");
		ck_assert_int_eq(unlinkat(b.home.bus, "pending/storm", 0), 0);
	}
	while ((watch_wait(w, -1, 100) & WATCH_LOOK) != 0)
		ck_assert_uint_lt(++rings, 20);
	ck_assert_uint_ge(rings, 1);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

START_TEST(a_replaced_folder_is_hung_again)
{
	struct bed b;
	struct watch *w;
	int64_t end = clock_boot_ms() + 15000;

	bed_make(&b);
	w = open_bed(&b);
	ck_assert_int_eq(unlinkat(b.home.bus, "pending", AT_REMOVEDIR), 0);
	while (watch_has_bell(w) && clock_boot_ms() < end)
		watch_wait(w, -1, -1);
	ck_assert(!watch_has_bell(w));
	ck_assert_int_eq(mkdirat(b.home.bus, "pending", 0700), 0);
	while (!watch_has_bell(w) && clock_boot_ms() < end)
		watch_wait(w, -1, -1);
	ck_assert(watch_has_bell(w));
	quiet(w);
	touch(&b, "pending/x");
	ck_assert_int_lt(ring_ms(w), 150);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

/* A link in a folder's place is not followed: the timer remains. */
START_TEST(a_planted_link_is_not_watched)
{
	struct bed b;
	struct watch *w;

	bed_make(&b);
	ck_assert_int_eq(unlinkat(b.home.bus, "pending", AT_REMOVEDIR), 0);
	ck_assert_int_eq(symlinkat("/tmp", b.home.bus, "pending"), 0);
	w = open_bed(&b);
	ck_assert(!watch_has_bell(w));
	ck_assert_int_le(ring_ms(w), 5000);
	watch_close(w);
	bed_drop(&b);
}
END_TEST

/* The library's descriptor would be inherited by all we start. */
START_TEST(no_descriptor_of_it_survives_exec_or_close)
{
	struct bed b;
	struct watch *w;
	int bells = 0, left = 0;

	bed_make(&b);
	for (int round = 0; round < 2; round++) {
		DIR *d;
		const struct dirent *ent;

		w = round == 0 ? open_bed(&b) : NULL;
		d = opendir("/proc/self/fd");
		ck_assert_ptr_nonnull(d);
		while ((ent = readdir(d)) != NULL) {
			char is[64] = "";
			int fd = atoi(ent->d_name);

			if (readlinkat(dirfd(d), ent->d_name, is,
			    sizeof is - 1) == -1 || strcmp(is,
			    "anon_inode:inotify") != 0)
				continue;
			ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
			bells += round == 0;
			left += round == 1;
		}
		closedir(d);
		watch_close(w);
	}
	ck_assert_int_eq(bells, 1);
	ck_assert_int_eq(left, 0);
	bed_drop(&b);
}
END_TEST

/* select(2) aborts on descriptors of 1024 and more: then there is the timer. */
START_TEST(high_descriptors_do_without)
{
	struct bed b;
	struct watch *w;
	struct rlimit lim;
	int fds[1100], n = 0;

	bed_make(&b);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &lim), 0);
	lim.rlim_cur = lim.rlim_max < 2000 ? lim.rlim_max : 2000;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &lim), 0);
	while (n < 1100 && (n == 0 || fds[n - 1] < 1024)) {
		fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		ck_assert_int_ne(fds[n++], -1);
	}
	w = open_bed(&b);
	ck_assert(!watch_has_bell(w));
	ck_assert_int_le(ring_ms(w), 1000);
	watch_close(w);
	while (n > 0)
		close(fds[--n]);
	bed_drop(&b);
}
END_TEST

START_TEST(any_of_several_folders_rings)
{
	struct bed a, b;
	const struct home *const homes[] = { &a.home, &b.home };
	struct watch *w;

	bed_make(&a);
	bed_make(&b);
	w = watch_open(homes, 2);
	ck_assert(watch_has_bell(w));
	quiet(w);
	bed_submit(&b, "npm install -g x");
	ck_assert_int_lt(ring_ms(w), 150);
	quiet(w);
	bed_submit(&a, "npm install -g x");
	ck_assert_int_lt(ring_ms(w), 150);
	watch_close(w);
	bed_drop(&a);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/watch",
	tcase_add_test(tc, any_of_several_folders_rings);
	tcase_add_test(tc, a_request_rings);
	tcase_add_test(tc, timer_looks_without_a_ring);
	tcase_add_test(tc, input_wakes_and_its_end_too);
	tcase_add_test(tc, a_storm_is_one_ring);
	tcase_add_test(tc, a_replaced_folder_is_hung_again);
	tcase_add_test(tc, a_planted_link_is_not_watched);
	tcase_add_test(tc, no_descriptor_of_it_survives_exec_or_close);
	tcase_add_test(tc, high_descriptors_do_without);)
