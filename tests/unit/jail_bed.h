/*
 * tests/unit/jail_bed.h - a project and a home of our own: bed_open makes
 * them, put writes a file below (with its directories), bed_close removes all.
 */
#ifndef TESTS_JAIL_BED_H
#define TESTS_JAIL_BED_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/spec.h"
#include "tests/unit/unit.h"

struct bed {
	char		  dir[64];
	char		  cwd[80], home[80];
	struct spec_place place;
};

static inline void
put(const char *below, const char *name, const char *text)
{
	auto_free char *path = xasprintf("%s/%s", below, name);

	for (char *p = path + strlen(below) + 1; (p = strchr(p, '/')) != NULL;
	    p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	if (text == NULL) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		return;
	}

	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static inline void
bed_open(struct bed *b)
{
	snprintf(b->dir, sizeof b->dir, "/tmp/test-jail.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(b->dir));
	snprintf(b->cwd, sizeof b->cwd, "%s/p", b->dir);
	snprintf(b->home, sizeof b->home, "%s/h", b->dir);
	put(b->dir, "p", NULL);
	put(b->dir, "h", NULL);
	b->place = (struct spec_place){ .cwd = b->cwd,
	    .home = b->home };
}

static inline int
bed_remove(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	return remove(path);
}

static inline void
bed_close(struct bed *b)
{
	ck_assert_int_eq(nftw(b->dir, bed_remove, 16, FTW_DEPTH | FTW_PHYS),
	    0);
}

#endif
