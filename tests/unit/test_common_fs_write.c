/* common/fs: making, replacing, moving and listing. */
#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/temp_dir.h"

#include "common/banned.h"

START_TEST(private_directories)
{
	umask(0);
	auto_close int a = fs_make_private(dir, "p", &e);
	ck_assert_int_ne(a, -1);
	auto_close int b = fs_make_private(dir, "p", &e);
	ck_assert_int_ne(b, -1);

	ck_assert_int_eq(fchmod(a, 0750), 0);
	ck_assert_int_eq(fs_make_private(dir, "p", &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	put("f", "x", 0600);
	ck_assert_int_eq(fs_make_private(dir, "f", &e), -1);
	ck_assert_int_eq(symlinkat("/tmp", dir, "l"), 0);
	ck_assert_int_eq(fs_make_private(dir, "l", &e), -1);
	ck_assert_int_eq(fs_make_private(dir, "none/p", &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
	auto_close int fd = fs_open_own(dir, "f", NULL, &e);
	ck_assert_int_eq(fs_check_private(fd, "f", &e), -1);
	ck_assert_int_eq(fs_check_private(-1, "x", &e), -1);
}
END_TEST

START_TEST(new_files_never_meet_old_ones)
{
	umask(0);
	ck_assert_int_eq(fs_write_new(dir, "f", "one", 3, true, &e), 0);
	check_content("f", "one");
	ck_assert_int_eq(fs_write_new(dir, "f", "two", 3, false, &e), -1);
	ck_assert_int_eq(e.sys, EEXIST);
	check_content("f", "one");
	ck_assert_int_eq(symlinkat("nowhere", dir, "dangling"), 0);
	ck_assert_int_eq(fs_create(dir, "dangling", &e), -1);
	ck_assert_int_eq(e.sys, EEXIST);
	ck_assert_int_eq(faccessat(dir, "nowhere", F_OK, 0), -1);
}
END_TEST

START_TEST(publish_is_whole_and_once)
{
	struct stat st;
	struct fs_names l = { 0 };

	umask(0);
	ck_assert_int_eq(fs_publish(dir, "f", "one", 3, &e), 0);
	check_content("f", "one");
	ck_assert_int_eq(fstatat(dir, "f", &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(fs_publish(dir, "f", "two", 3, &e), -1);
	ck_assert_int_eq(e.sys, EEXIST);
	check_content("f", "one");
	ck_assert_int_eq(symlinkat("nowhere", dir, "dangling"), 0);
	ck_assert_int_eq(fs_publish(dir, "dangling", "x", 1, &e), -1);
	ck_assert_int_eq(e.sys, EEXIST);
	ck_assert_int_eq(fs_publish(dir, "none/f", "x", 1, &e), -1);
	ck_assert_int_eq(fs_list(dir, NULL, 100, &l, NULL, &e), 0);
	ck_assert_uint_eq(l.n, 2);
	fs_names_clear(&l);
}
END_TEST

START_TEST(replace_keeps_or_changes)
{
	struct stat st;
	struct fs_names l = { 0 };

	ck_assert_int_eq(fs_replace(dir, "f", "one", 3, 0600, &e), 0);
	check_content("f", "one");
	ck_assert_int_eq(fs_replace(dir, "f", "two", 3, 0640, &e), 0);
	ck_assert_int_eq(fstatat(dir, "f", &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0640);

	/* A link is replaced, what it points to stays. */
	put("target", "mine", 0600);
	ck_assert_int_eq(symlinkat("target", dir, "link"), 0);
	ck_assert_int_eq(fs_replace(dir, "link", "new", 3, 0600, &e), 0);
	check_content("target", "mine");
	check_content("link", "new");

	/* A directory cannot be replaced, and nothing is left behind. */
	ck_assert_int_eq(mkdirat(dir, "d", 0700), 0);
	ck_assert_int_eq(fs_replace(dir, "d", "x", 1, 0600, &e), -1);
	ck_assert_int_eq(fs_replace(dir, "none/f", "x", 1, 0600, &e), -1);
	ck_assert_int_eq(fs_list(dir, NULL, 100, &l, NULL, &e), 0);
	ck_assert_uint_eq(l.n, 4);
	fs_names_clear(&l);
}
END_TEST

/* A file that may not grow fails the write in the middle of the way. */
START_TEST(failed_writes_leave_nothing)
{
	struct rlimit none = { 4, 4 };
	struct fs_names l = { 0 };

	put("old", "old", 0600);
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_int_eq(fs_write_new(dir, "f", "12345678", 8, true, &e), -1);
	ck_assert_int_eq(e.sys, EFBIG);
	ck_assert_int_eq(fs_replace(dir, "old", "12345678", 8, 0600, &e), -1);
	ck_assert_int_eq(e.sys, EFBIG);
	check_content("old", "old");
	ck_assert_int_eq(fs_list(dir, NULL, 100, &l, NULL, &e), 0);
	ck_assert_uint_eq(l.n, 1);
	fs_names_clear(&l);
}
END_TEST

START_TEST(rename_new_never_overwrites)
{
	put("a", "a", 0600);
	put("b", "b", 0600);
	ck_assert_int_eq(fs_rename_new(dir, "a", dir, "b", &e), -1);
	ck_assert_int_eq(e.sys, EEXIST);
	check_content("b", "b");
	ck_assert_int_eq(fs_rename_new(dir, "a", dir, "c", &e), 0);
	check_content("c", "a");
	ck_assert_int_eq(fs_rename_new(dir, "a", dir, "d", &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
}
END_TEST

static bool
wanted(const char *name)
{
	return name[0] != 'x';
}

START_TEST(lists_are_capped_and_chosen)
{
	struct fs_names l = { 0 };
	size_t more = 9;
	char name[16];

	ck_assert_int_eq(fs_list(dir, NULL, 10, &l, &more, &e), 0);
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(more, 0);
	for (int i = 0; i < 70; i++) {
		snprintf(name, sizeof name, "%c%d", i % 2 ? 'x' : 'y', i);
		put(name, "", 0600);
	}
	ck_assert_int_eq(fs_list(dir, wanted, 100, &l, NULL, &e), 0);
	ck_assert_uint_eq(l.n, 35);
	for (size_t i = 0; i < l.n; i++)
		ck_assert_int_eq(l.names[i][0], 'y');
	fs_names_clear(&l);
	ck_assert_int_eq(fs_list(dir, NULL, 60, &l, &more, &e), 0);
	ck_assert_uint_eq(l.n, 60);
	ck_assert_uint_eq(more, 10);
	fs_names_clear(&l);
	ck_assert_uint_eq(l.n, 0);
	ck_assert_int_eq(fs_list(-1, NULL, 60, &l, &more, &e), -1);
}
END_TEST

START_TEST(path_of_a_descriptor)
{
	auto_str struct str s = { 0 };
	int p[2];

	str_init(&s, 4096);
	ck_assert_int_eq(fs_path_of(dir, &s, &e), 0);
	ck_assert_str_eq(s.s, top);
	ck_assert_int_eq(pipe2(p, O_CLOEXEC), 0);
	ck_assert_int_eq(fs_path_of(p[0], &s, &e), -1);
	ck_assert_str_eq(s.s, top);
	close(p[0]);
	close(p[1]);
	ck_assert_int_eq(fs_path_of(-1, &s, &e), -1);
}
END_TEST

UNIT_MAIN("common/fs_write",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, private_directories);
	tcase_add_test(tc, new_files_never_meet_old_ones);
	tcase_add_test(tc, publish_is_whole_and_once);
	tcase_add_test(tc, replace_keeps_or_changes);
	tcase_add_test(tc, failed_writes_leave_nothing);
	tcase_add_test(tc, rename_new_never_overwrites);
	tcase_add_test(tc, lists_are_capped_and_chosen);
	tcase_add_test(tc, path_of_a_descriptor);
)
