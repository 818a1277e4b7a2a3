/*
 * tests/unit/originals_kept.h - one project for a test case: keep, restore, and
 * look at what came of it.
 */
#ifndef TESTS_ORIGINALS_KEPT_H
#define TESTS_ORIGINALS_KEPT_H

#include "tests/unit/originals_bed.h"

static struct bed b;
static char hex[DIGEST_HEX + 1];

static inline void
setup(void)
{
	bed_new(&b);
}

static inline void
teardown(void)
{
	bed_end(&b);
}

static inline void
keep(const char *name, bool whole)
{
	struct err e = { 0 };

	ck_assert_msg(bed_keep(&b, name, whole, hex, &e) == 0, "%s", e.text);
}

static inline void
restore(int expected)
{
	struct err e = { 0 };
	int rc = bed_restore(&b, &e);

	ck_assert_msg(rc == expected, "%d: %s", rc, e.text);
}

/* The list of the last keep. */
static inline struct file_list
kept(void)
{
	struct file_list l = { 0 };
	struct store *s;
	struct digest d;

	ck_assert_int_eq(digest_parse(hex, &d), 0);
	ck_assert_int_eq(store_open(b.log.fd, false, STORE_SHARED, &s, NULL),
	    0);
	ck_assert_int_eq(file_list_get(s, &d, &l, NULL), 0);
	store_free(s);
	return l;
}

static inline mode_t
mode_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(fstatat(b.rootfd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static inline bool
link_is(const char *name, const char *to)
{
	char buf[256] = "";

	return readlinkat(b.rootfd, name, buf, sizeof buf - 1) > 0 &&
	    strcmp(buf, to) == 0;
}

#endif
