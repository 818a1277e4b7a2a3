/* common/fs: every kind of file a stranger can put where ours is expected. */
#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

static char top[64];
static int dir;
static struct err e;

static void
setup(void)
{
	snprintf(top, sizeof top, "/tmp/test-fs.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(dir, -1);
}

static void
remove_below(int fd)
{
	struct fs_names l = { 0 };

	ck_assert_int_eq(fs_list(fd, NULL, 100000, &l, NULL, NULL), 0);
	for (size_t i = 0; i < l.n; i++) {
		int sub;

		if (unlinkat(fd, l.names[i], 0) == 0)
			continue;
		sub = openat(fd, l.names[i],
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		ck_assert_int_ne(sub, -1);
		remove_below(sub);
		close(sub);
		ck_assert_int_eq(unlinkat(fd, l.names[i], AT_REMOVEDIR), 0);
	}
	fs_names_clear(&l);
}

static void
teardown(void)
{
	remove_below(dir);
	close(dir);
	ck_assert_int_eq(rmdir(top), 0);
}

static void
put(const char *name, const char *text, mode_t mode)
{
	auto_close int fd = openat(dir, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(io_write_all(fd, text, strlen(text), NULL), 0);
	ck_assert_int_eq(fchmod(fd, mode), 0);
}

static void
check_content(const char *name, const char *want)
{
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	ck_assert_int_eq(fs_read_own(dir, name, 100, &s, &e), 0);
	ck_assert_str_eq(s.s, want);
}

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

UNIT_MAIN("common/fs",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names);
	tcase_add_test(tc, own_file_is_read);
	tcase_add_test(tc, size_is_capped);
	tcase_add_test(tc, missing_says_enoent);
	tcase_add_test(tc, strange_files_are_refused);
	tcase_add_test(tc, hard_links_are_refused);
	tcase_add_test(tc, open_modes_are_refused);
	tcase_add_test(tc, foreign_owners_are_refused);
	tcase_add_test(tc, beneath_stays_beneath);
	tcase_add_test(tc, follow_follows);
	tcase_add_test(tc, private_directories);
	tcase_add_test(tc, new_files_never_meet_old_ones);
	tcase_add_test(tc, replace_keeps_or_changes);
	tcase_add_test(tc, failed_writes_leave_nothing);
	tcase_add_test(tc, rename_new_never_overwrites);
	tcase_add_test(tc, lists_are_capped_and_chosen);
	tcase_add_test(tc, path_of_a_descriptor);
)
