/*
 * tests/unit/originals_bed.h - a project folder, a log and a store, for tests
 * of audit/originals.
 */
#ifndef TESTS_ORIGINALS_BED_H
#define TESTS_ORIGINALS_BED_H

#include <ftw.h>

#include "audit/originals/check.h"
#include "audit/originals/originals.h"
#include "audit/originals/restore.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

struct bed {
	struct testlog	 log;
	char		 root[600];
	int		 rootfd;
	char		 session[24];
};

static inline void
bed_new(struct bed *b)
{
	testlog_new(&b->log);
	umask(022);
	snprintf(b->root, sizeof b->root, "%s/root", b->log.dir);
	if (mkdir(b->root, 0755) == -1)
		abort();
	snprintf(b->session, sizeof b->session, "s1");
	b->rootfd = open(b->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static inline int
bed_unlink(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st;
	(void)kind;
	(void)f;
	return remove(path);
}

static inline void
bed_end(struct bed *b)
{
	close(b->rootfd);
	audit_free(b->log.a);
	close(b->log.fd);
	keyring_clear(&b->log.ring);
	nftw(b->log.dir, bed_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void
bed_put(struct bed *b, const char *name, const void *p, size_t len)
{
	int fd = openat(b->rootfd, name, O_WRONLY | O_CREAT | O_TRUNC |
	    O_CLOEXEC, 0644);

	if (fd == -1 || io_write_all(fd, p, len, NULL) == -1)
		abort();
	close(fd);
}

static inline void
bed_text(struct bed *b, const char *name, const char *text)
{
	bed_put(b, name, text, strlen(text));
}

static inline bool
bed_is(struct bed *b, const char *name, const char *text)
{
	struct str s;
	int fd = openat(b->rootfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool same;

	if (fd == -1)
		return text == NULL && errno == ENOENT;
	str_init(&s, 1 << 24);
	same = io_read_all(fd, 1 << 24, &s, NULL) == 0 && text != NULL &&
	    strcmp(s.s, text) == 0;
	str_clear(&s);
	close(fd);
	return same;
}

static inline struct originals *
bed_open(struct bed *b)
{
	struct originals *o;
	struct err e = { 0 };

	if (originals_open(b->log.fd, b->rootfd, b->root, ORIGINALS_HOOK, &o,
	    &e) == -1)
		testlog_fail("originals", &e);
	return o;
}

/* Keep one path, as a hook does, and record it.  0 or -1. */
static inline int
bed_keep(struct bed *b, const char *name, bool whole,
    char hex[DIGEST_HEX + 1], struct err *e)
{
	char *path = xasprintf("%s/%s", b->root, name);
	const struct originals_target t = { path, path, whole };
	struct originals *o = NULL;
	cJSON *f = json_object();
	const struct event ev = { .kind = "allow", .session = b->session,
		.agent = "claude", .fields = f };
	int rc = originals_open(b->log.fd, b->rootfd, b->root, ORIGINALS_HOOK,
	    &o, e);

	if (rc == 0)
		rc = originals_before(o, &t, 1, hex, NULL, e);
	if (rc == 0)
		json_add_str(f, ORIGINALS_FIELD, hex);
	if (rc == 0)
		rc = audit_append(b->log.a, &ev, &b->log.clock, &b->log.seq,
		    e);
	originals_close(o);
	json_free(f);
	free(path);
	return rc;
}

/* Note what it changed. */
static inline int
bed_note(struct bed *b, const char *hex)
{
	struct originals *o = bed_open(b);
	char changed[DIGEST_HEX + 1];
	cJSON *f = json_object();
	const struct event ev = { .kind = "tool.done", .session = b->session,
		.agent = "claude", .fields = f };
	struct err e;
	int rc = originals_after(o, hex, changed, &e);

	json_add_str(f, ORIGINALS_FIELD, hex);
	if (rc == 0 && changed[0] != '\0')
		json_add_str(f, CHANGED_FIELD, changed);
	if (rc == 0)
		rc = audit_append(b->log.a, &ev, &b->log.clock, NULL, &e);
	originals_close(o);
	json_free(f);
	return rc;
}

/* `restore --session`, as the command does it.  0, 1: some refused. */
static inline int
bed_restore(struct bed *b, struct err *e)
{
	struct timeline time = { 0 };
	struct file_list want = { 0 };
	struct restore plan = { 0 };
	struct store *s = NULL;
	struct digest kept, wanted;
	int rc = -1;

	if (store_open(b->log.fd, false, STORE_SHARED, &s, e) == 0 &&
	    timeline_read(b->log.fd, &time, e) == 0) {
		const struct restore_ask ask = { .store = s, .time = &time };

		rc = restore_want_session(&ask, b->session, true, &want,
		    e);
	}
	if (rc == 0)
		restore_want_tidy(b->rootfd, &want);
	if (rc == 0 && (restore_plan(s, b->rootfd, &want, &plan, e) == -1 ||
	    restore_keep(s, &plan, &kept, e) == -1 ||
	    file_list_put(s, &want, NULL, &wanted, e) == -1 ||
	    store_hold(s, &wanted, e) == -1 ||
	    restore_run(s, b->rootfd, &plan, e) == -1))
		rc = -1;
	if (rc == 0)
		store_let_go(s, &wanted);
	if (rc == 0 && plan.refused > 0)
		rc = 1;
	restore_clear(&plan);
	file_list_clear(&want);
	timeline_clear(&time);
	store_free(s);
	return rc;
}

struct bed_found {
	size_t	missing, edited;
};

static inline void
bed_find(void *arg, const struct originals_finding *f)
{
	struct bed_found *found = arg;

	if (f->missing)
		found->missing++;
	else
		found->edited++;
}

static inline struct bed_found
bed_verify(struct bed *b)
{
	struct bed_found found = { 0 };
	struct err e = { 0 };
	size_t n;

	if (originals_verify(b->log.fd, true, bed_find, &found, &n, &e) == -1)
		testlog_fail("verify", &e);
	return found;
}

#endif
