/*
 * tests/attack/tamper_files.h - a log in several files with two checkpoints,
 * and how a file of it is changed.
 */
#ifndef TESTS_ATTACK_TAMPER_FILES_H
#define TESTS_ATTACK_TAMPER_FILES_H

#include "tests/unit/unit.h"

#include "audit/logset.h"
#include "audit/note.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define RECORDS	120
#define CURRENT	"audit/audit.jsonl"
#define NOTE	"audit/checkpoint"

/* A log in several files; checkpoints at 60 and 110; copies as it was at 50,
 * whole. */
struct bed {
	struct testlog	 t;
	char		 names[32][LOGSET_NAME + 8];	/* with their folder */
	size_t		 n;				/* archives */
	struct { char *s; size_t len; } old_log, old_key, old_pin;
	struct anchor	*anchors;
	size_t		 n_anchors;
};

static inline int
by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static inline bool
is_archive(const char *name)
{
	uint64_t seq;

	return logset_archive_seq(name, &seq);
}

static inline void
bed_names(struct bed *b)
{
	int fd = openat(b->t.fd, "audit", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_names l;
	size_t more;

	ck_assert_int_eq(fs_list(fd, is_archive, 32, &l, &more, NULL), 0);
	for (b->n = 0; b->n < l.n; b->n++)
		snprintf(b->names[b->n], sizeof b->names[0], "audit/%s",
		    l.names[b->n]);
	fs_names_clear(&l);
	close(fd);
	qsort(b->names, b->n, sizeof b->names[0], by_name);
}

static inline void
bed_up(struct bed *b)
{
	memset(b, 0, sizeof *b);
	testlog_new(&b->t);
	testlog_fill(&b->t, 20);
	b->old_log.s = testlog_read(&b->t, CURRENT, &b->old_log.len);
	b->old_key.s = testlog_read(&b->t, "log.key", &b->old_key.len);
	b->old_pin.s = testlog_read(&b->t, "audit.head", &b->old_pin.len);
	audit_rotate_at(b->t.a, 20000);
	testlog_fill(&b->t, 60);
	ck_assert_int_eq(testlog_checkpoint(&b->t, NULL, NULL), 0);
	b->t.seq++;
	testlog_fill(&b->t, 110);
	ck_assert_int_eq(testlog_checkpoint(&b->t, NULL, NULL), 0);
	b->t.seq++;
	testlog_fill(&b->t, RECORDS);
	bed_names(b);
	ck_assert_uint_ge(b->n, 3);
}

static inline void
bed_down(struct bed *b)
{
	free(b->old_log.s);
	free(b->old_key.s);
	free(b->old_pin.s);
	free(b->anchors);
	testlog_end(&b->t);
}

static inline void
change(struct bed *b, const char *name, const char *from, const char *to)
{
	size_t len;
	char *text = testlog_read(&b->t, name, &len);
	char *p = memmem(text, len, from, strlen(from));

	ck_assert_ptr_nonnull(p);
	memcpy(p, to, strlen(to));
	testlog_write(&b->t, name, text, len);
	free(text);
}

/* Take n bytes out of a file, or with n = 0 all from `at` on. */
static inline void
take_out(struct bed *b, const char *name, size_t at, size_t n)
{
	size_t len;
	char *text = testlog_read(&b->t, name, &len);

	n = n == 0 ? len - at : n;
	memmove(text + at, text + at + n, len - at - n);
	testlog_write(&b->t, name, text, len - n);
	free(text);
}

static inline size_t
line_at(struct bed *b, const char *name, size_t number, size_t *ret_len)
{
	size_t len, at = 0;
	char *text = testlog_read(&b->t, name, &len);

	for (size_t i = 1; i < number; i++)
		at = (size_t)((char *)memchr(text + at, '\n', len - at) + 1 -
		    text);
	*ret_len = (size_t)((char *)memchr(text + at, '\n', len - at) + 1 -
	    text) - at;
	free(text);
	return at;
}

#endif
