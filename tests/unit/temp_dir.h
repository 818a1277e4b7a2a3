/*
 * tests/unit/temp_dir.h - a directory of our own around every test:
 * tcase_add_checked_fixture(tc, setup, teardown).
 */
#ifndef TESTS_TEMP_DIR_H
#define TESTS_TEMP_DIR_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

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

#endif
