/* common/fs: every kind of file a stranger can put where ours is expected. */
#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/temp_dir.h"

#include "common/banned.h"

START_TEST(names)
{
	char longest[257];

	memset(longest, 'a', sizeof longest);
	longest[255] = '\0';
	ck_assert(fs_name_ok(longest) && fs_name_ok("...") &&
	    fs_name_ok(".a") && fs_name_ok("a b\n"));
	longest[255] = 'a';
	longest[256] = '\0';
	ck_assert(!fs_name_ok(longest) && !fs_name_ok("") &&
	    !fs_name_ok(".") && !fs_name_ok("..") && !fs_name_ok("a/b") &&
	    !fs_name_ok("/"));
}
END_TEST

/* What is open may have been replaced before it is looked at. */
START_TEST(own_file_that_is_replaced_is_read)
{
	pid_t pid;

	put("f", "hello", 0600);
	pid = fork();
	while (pid == 0) {
		put("g", "other", 0600);
		if (renameat(dir, "g", dir, "f") == -1)
			_exit(1);
	}
	for (int i = 0; i < 30000; i++) {
		int fd = fs_open_own(dir, "f", NULL, &e);

		ck_assert_msg(fd != -1, "%d: %s", i, e.text);
		close(fd);
	}
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(own_file_is_read)
{
	struct stat st;

	put("f", "hello", 0600);
	auto_close int fd = fs_open_own(dir, "f", &st, &e);
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(st.st_size, 5);
	ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	check_content("f", "hello");
	put("g", "", 0400);
	check_content("g", "");
}
END_TEST

START_TEST(size_is_capped)
{
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	put("f", "hello", 0600);
	ck_assert_int_eq(fs_read_own(dir, "f", 4, &s, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_str_eq(e.text, "'f': more than 4 bytes");
	ck_assert_uint_eq(s.len, 0);
}
END_TEST

START_TEST(missing_says_enoent)
{
	struct str s;

	ck_assert_int_eq(fs_open_own(dir, "none", NULL, &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
	ck_assert_int_eq(e.code, ERR_SYSTEM);
	str_init(&s, 10);
	ck_assert_int_eq(fs_read_own(dir, "none", 10, &s, &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
	str_clear(&s);
}
END_TEST

/* What a file is, is asked before a byte is read; nothing here may block. */
START_TEST(strange_files_are_refused)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	auto_close int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	put("f", "x", 0600);
	ck_assert_int_eq(symlinkat("f", dir, "link"), 0);
	ck_assert_int_eq(fs_open_own(dir, "link", NULL, &e), -1);
	ck_assert_int_eq(e.sys, ELOOP);
	ck_assert_int_eq(fs_open_plain(dir, "link", NULL, &e), -1);
	ck_assert_int_eq(e.sys, ELOOP);

	ck_assert_int_eq(mkfifoat(dir, "fifo", 0600), 0);
	ck_assert_int_eq(fs_open_own(dir, "fifo", NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_int_eq(fs_open_plain(dir, "fifo", NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);

	ck_assert_int_eq(mkdirat(dir, "d", 0700), 0);
	ck_assert_int_eq(fs_open_own(dir, "d", NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);

	snprintf(sun.sun_path, sizeof sun.sun_path, "%s/sock", top);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&sun, sizeof sun), 0);
	ck_assert_int_eq(fs_open_own(dir, "sock", NULL, &e), -1);

	ck_assert_int_eq(fs_open_plain(AT_FDCWD, "/dev/null", NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
}
END_TEST

START_TEST(hard_links_are_refused)
{
	put("f", "x", 0600);
	ck_assert_int_eq(linkat(dir, "f", dir, "g", 0), 0);
	ck_assert_int_eq(fs_open_own(dir, "f", NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_str_eq(e.text, "'f' has 2 names");
	auto_close int fd = fs_open_plain(dir, "f", NULL, &e);
	ck_assert_int_ne(fd, -1);
}
END_TEST

START_TEST(open_modes_are_refused)
{
	static const mode_t bad[] = { 0640, 0620, 0610, 0604, 0602, 0601 };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		put("f", "x", bad[i]);
		ck_assert_int_eq(fs_open_own(dir, "f", NULL, &e), -1);
		ck_assert_int_eq(e.code, ERR_FORMAT);
	}
	put("f", "x", 0644);
	auto_close int fd = fs_open_plain(dir, "f", NULL, &e);
	ck_assert_int_ne(fd, -1);
}
END_TEST

/* As root we make one; as a plain user the root directory is one. */
START_TEST(foreign_owners_are_refused)
{
	auto_close int foreign = -1;

	if (geteuid() == 0) {
		put("f", "x", 0600);
		ck_assert_int_eq(fchownat(dir, "f", 12345, 12345, 0), 0);
		ck_assert_int_eq(fs_open_own(dir, "f", NULL, &e), -1);
		ck_assert_int_eq(mkdirat(dir, "d", 0700), 0);
		ck_assert_int_eq(fchownat(dir, "d", 12345, 12345, 0), 0);
		foreign = fs_open_dir(dir, "d", &e);
	} else {
		ck_assert_int_eq(fs_open_own(AT_FDCWD, "/etc/passwd", NULL,
		    &e), -1);
		foreign = fs_open_dir_follow("/", &e);
	}
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_ptr_nonnull(strstr(e.text, "belongs to uid"));
	ck_assert_int_ne(foreign, -1);
	ck_assert_int_eq(fs_check_private(foreign, "d", &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "belongs to uid"));
}
END_TEST

START_TEST(beneath_stays_beneath)
{
	static const char *const out[] = {
		"..", "../x", "d/../..", "/etc/passwd", "up", "up/etc", "in",
		"in/f", "d/out/etc/passwd", "proc",
	};

	ck_assert_int_eq(mkdirat(dir, "d", 0700), 0);
	put("d/f", "x", 0600);
	ck_assert_int_eq(symlinkat("/", dir, "up"), 0);
	ck_assert_int_eq(symlinkat("d", dir, "in"), 0);
	ck_assert_int_eq(symlinkat("../..", dir, "d/out"), 0);
	ck_assert_int_eq(symlinkat("/proc/self/root", dir, "proc"), 0);
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		int fd = fs_beneath(dir, out[i], O_RDONLY, &e);

		ck_assert_msg(fd == -1, "%s", out[i]);
		ck_assert(e.sys == EXDEV || e.sys == ELOOP);
	}
	auto_close int fd = fs_beneath(dir, "d/f", O_RDONLY, &e);
	ck_assert_int_ne(fd, -1);
	auto_close int sub = fs_open_dir(dir, "d", &e);
	ck_assert_int_ne(sub, -1);
	ck_assert_int_eq(fs_open_dir(dir, "d/f", &e), -1);
	ck_assert_int_eq(e.sys, ENOTDIR);
	ck_assert_int_eq(fs_open_dir(dir, "in", &e), -1);
}
END_TEST

START_TEST(follow_follows)
{
	char path[80];

	ck_assert_int_eq(symlinkat(".", dir, "here"), 0);
	snprintf(path, sizeof path, "%s/here", top);
	auto_close int fd = fs_open_dir_follow(path, &e);
	ck_assert_int_ne(fd, -1);
	snprintf(path, sizeof path, "%s/none", top);
	ck_assert_int_eq(fs_open_dir_follow(path, &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
}
END_TEST

UNIT_MAIN("common/fs",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names);
	tcase_add_test(tc, own_file_that_is_replaced_is_read);
	tcase_add_test(tc, own_file_is_read);
	tcase_add_test(tc, size_is_capped);
	tcase_add_test(tc, missing_says_enoent);
	tcase_add_test(tc, strange_files_are_refused);
	tcase_add_test(tc, hard_links_are_refused);
	tcase_add_test(tc, open_modes_are_refused);
	tcase_add_test(tc, foreign_owners_are_refused);
	tcase_add_test(tc, beneath_stays_beneath);
	tcase_add_test(tc, follow_follows);
)
