/* common/err, mem, str, io: what everything stands on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

/* --- err --- */

START_TEST(err_texts_stack_up)
{
	struct err e;

	ck_assert_int_eq(err_set(&e, ERR_LOST, "gone: %d", 7), -1);
	ck_assert_int_eq(e.code, ERR_LOST);
	ck_assert_int_eq(e.sys, 0);
	ck_assert_int_eq(err_add(&e, "claim '%s'", "x"), -1);
	ck_assert_str_eq(e.text, "claim 'x': gone: 7");
	ck_assert_int_eq(e.code, ERR_LOST);

	errno = ENOSPC;
	ck_assert_int_eq(err_sys(&e, "cannot write '%s'", "f"), -1);
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_int_eq(e.sys, ENOSPC);
	ck_assert_int_eq(e.code, ERR_SYSTEM);
	ck_assert_str_eq(e.text,
	    "cannot write 'f': No space left on device");
}
END_TEST

START_TEST(err_may_be_null)
{
	ck_assert_int_eq(err_set(NULL, ERR_USAGE, "x"), -1);
	ck_assert_int_eq(err_sys(NULL, "x"), -1);
	ck_assert_int_eq(err_add(NULL, "x"), -1);
}
END_TEST

START_TEST(err_exit_codes)
{
	struct err e;

	err_set(&e, ERR_FORMAT, "x");
	ck_assert_int_eq(err_exit(&e), 8);
	for (int c = ERR_NEGATIVE; c <= ERR_SYSTEM; c++) {
		err_set(&e, (enum err_code)c, "x");
		ck_assert_int_eq(err_exit(&e), c);
	}
}
END_TEST

/* Whatever is cut off, the text stays valid UTF-8. */
START_TEST(err_cuts_between_characters)
{
	static const char *const chars[] = {
		"a", "\xc3\xbc", "\xe6\x97\xa5", "\xf0\x9f\x98\x80",
	};
	struct err e;

	for (size_t c = 0; c < ARRAY_LEN(chars); c++) {
		for (int shift = 0; shift < 4; shift++) {
			auto_str struct str s = { 0 };

			str_init(&s, 4096);
			for (int i = 0; i < shift; i++)
				str_addc(&s, 'x');
			while (s.len < 2 * sizeof e.text)
				str_add(&s, chars[c]);
			err_set(&e, ERR_USAGE, "%s", s.s);
			ck_assert(utf8_ok(e.text, strlen(e.text)));
			ck_assert_uint_ge(strlen(e.text), sizeof e.text - 4);
			err_add(&e, "abc");
			ck_assert(utf8_ok(e.text, strlen(e.text)));
			errno = EIO;
			err_sys(&e, "%s", s.s);
			ck_assert(utf8_ok(e.text, strlen(e.text)));
		}
	}
	err_set(&e, ERR_USAGE, "%s", "");
	ck_assert_str_eq(e.text, "");
}
END_TEST

START_TEST(bug_aborts)
{
	fclose(stderr);
	BUG("on purpose");
}
END_TEST

/* --- mem --- */

START_TEST(mem_copies_exactly)
{
	auto_free char *a = xstrdup("abc"), *b = xstrndup("a\0c", 3);
	auto_free char *c = xasprintf("%d-%s", 7, "x");
	auto_free int *z = xcalloc(0, 0);

	ck_assert_ptr_null(xstrdup(NULL));
	ck_assert_str_eq(a, "abc");
	ck_assert_mem_eq(b, "a\0c", 4);
	ck_assert_str_eq(c, "7-x");
	ck_assert_ptr_nonnull(z);
	z = xrealloc(z, 4, sizeof *z);
	ck_assert_ptr_nonnull(z);
}
END_TEST

START_TEST(mem_steals_once)
{
	auto_free char *a = xstrdup("abc");
	auto_free char *b = mem_steal(&a);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), copy = fd;
	auto_close int got = fd_steal(&fd);

	ck_assert_ptr_null(a);
	ck_assert_str_eq(b, "abc");
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(got, copy);
	errno = EXDEV;
	mem_close_fd(&fd);
	mem_close_fd(&got);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_int_eq(fcntl(copy, F_GETFD), -1);
	got = -1;
}
END_TEST

START_TEST(no_memory_ends_the_process)
{
	fclose(stderr);
	free(xrealloc(NULL, SIZE_MAX / 2, 4));
}
END_TEST

/* --- str --- */

START_TEST(str_grows_to_its_ceiling)
{
	auto_str struct str s = { 0 };

	str_init(&s, 200);
	ck_assert_str_eq(s.s, "");
	for (int i = 0; i < 199; i++)
		str_addc(&s, 'a');
	str_add(&s, "bc");
	ck_assert_uint_eq(s.len, 200);
	ck_assert_uint_eq(strlen(s.s), 200);
	ck_assert_int_eq(s.s[199], 'b');
	ck_assert(s.full);
	str_addf(&s, "%s", "more");
	ck_assert_uint_eq(s.len, 200);
	str_reset(&s);
	ck_assert(!s.full && s.len == 0 && s.s[0] == '\0');
	str_addf(&s, "%d|%s", 5, "x");
	str_addn(&s, "\0y", 2);
	ck_assert_uint_eq(s.len, 5);
	ck_assert_mem_eq(s.s, "5|x\0y", 6);
}
END_TEST

START_TEST(str_is_given_away)
{
	struct str s;
	auto_free char *text = NULL;

	str_init(&s, 10);
	str_add(&s, "abc");
	text = str_take(&s);
	ck_assert_str_eq(text, "abc");
	ck_assert_ptr_null(s.s);
	str_clear(&s);
	str_wipe(&s);
	str_init(&s, 10);
	str_add(&s, "secret");
	str_wipe(&s);
	ck_assert_ptr_null(s.s);
}
END_TEST

START_TEST(str_compares)
{
	ck_assert(str_eq(NULL, NULL) && str_eq("a", "a"));
	ck_assert(!str_eq(NULL, "") && !str_eq("", NULL) && !str_eq("a", "b"));
	ck_assert(str_starts("abc", "ab") && str_starts("abc", ""));
	ck_assert(!str_starts("ab", "abc"));
	ck_assert(str_ends("abc", "bc") && str_ends("abc", ""));
	ck_assert(!str_ends("c", "bc") && !str_ends("abd", "bc"));
}
END_TEST

/* --- io --- */

static int
temp_fd(const char *content)
{
	FILE *f = tmpfile();
	int fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);

	fclose(f);
	ck_assert_int_eq(io_write_all(fd, content, strlen(content), NULL), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

START_TEST(io_reads_all_or_nothing)
{
	auto_close int fd = temp_fd("0123456789");
	auto_str struct str s = { 0 };
	struct err e;

	str_init(&s, 64);
	str_add(&s, "had ");
	ck_assert_int_eq(io_read_all(fd, 9, &s, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_str_eq(s.s, "had ");
	ck_assert(!s.full && s.max == 64);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(io_read_all(fd, 10, &s, &e), 0);
	ck_assert_str_eq(s.s, "had 0123456789");
	ck_assert_uint_eq(s.max, 64);
	ck_assert_int_eq(io_read_all(-1, 10, &s, &e), -1);
	ck_assert_int_eq(e.sys, EBADF);
	ck_assert_str_eq(s.s, "had 0123456789");
}
END_TEST

START_TEST(io_reads_at_a_place)
{
	auto_close int fd = temp_fd("0123456789");
	char buf[5] = "";
	struct err e;

	ck_assert_int_eq(io_pread_full(fd, buf, 4, 3, &e), 0);
	ck_assert_str_eq(buf, "3456");
	ck_assert_int_eq(io_pread_full(fd, buf, 4, 7, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	ck_assert_int_eq(io_pread_full(-1, buf, 4, 7, &e), -1);
	ck_assert_int_eq(e.sys, EBADF);
}
END_TEST

static void
wake(int sig)
{
	(void)sig;
}

/* A pipe that is written late, slowly, and with signals in between. */
START_TEST(io_survives_signals_and_short_transfers)
{
	struct sigaction sa = { .sa_handler = wake };
	auto_str struct str s = { 0 };
	const size_t total = 300000;
	int p[2];
	pid_t pid, parent = getpid();

	ck_assert_int_eq(sigaction(SIGUSR1, &sa, NULL), 0);
	ck_assert_int_eq(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		auto_free char *big = xcalloc(total, 1);

		memset(big, 'x', total);
		close(p[0]);
		for (int i = 0; i < 20; i++)
			kill(parent, SIGUSR1);
		_exit(io_write_all(p[1], big, total, NULL) == 0 ? 0 : 1);
	}
	close(p[1]);
	str_init(&s, total);
	for (int i = 0; i < 20; i++)
		kill(pid, SIGUSR1);
	ck_assert_int_eq(io_read_all(p[0], total, &s, NULL), 0);
	ck_assert_uint_eq(s.len, total);
	close(p[0]);
	int status;
	while (waitpid(pid, &status, 0) == -1)
		ck_assert_int_eq(errno, EINTR);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(io_reports_a_full_disk)
{
	auto_close int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct err e;

	ck_assert_int_eq(io_write_all(fd, "x", 1, &e), -1);
	ck_assert_int_eq(e.sys, ENOSPC);
	ck_assert_int_eq(io_write_all(fd, "", 0, &e), 0);
}
END_TEST

UNIT_MAIN("common/base",
	tcase_add_test(tc, err_texts_stack_up);
	tcase_add_test(tc, err_may_be_null);
	tcase_add_test(tc, err_exit_codes);
	tcase_add_test(tc, err_cuts_between_characters);
	tcase_add_test_raise_signal(tc, bug_aborts, SIGABRT);
	tcase_add_test(tc, mem_copies_exactly);
	tcase_add_test(tc, mem_steals_once);
	tcase_add_exit_test(tc, no_memory_ends_the_process, 8);
	tcase_add_test(tc, str_grows_to_its_ceiling);
	tcase_add_test(tc, str_is_given_away);
	tcase_add_test(tc, str_compares);
	tcase_add_test(tc, io_reads_all_or_nothing);
	tcase_add_test(tc, io_reads_at_a_place);
	tcase_add_test(tc, io_survives_signals_and_short_transfers);
	tcase_add_test(tc, io_reports_a_full_disk);
)
