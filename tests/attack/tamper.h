/*
 * tests/attack/tamper.h - a log of 50 records to be tampered with, another
 * project's beside it, and how an attack on it is judged.
 */
#ifndef TESTS_ATTACK_TAMPER_H
#define TESTS_ATTACK_TAMPER_H

#include "tests/unit/unit.h"

#include "audit/logfile.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define RECORDS	50
#define OTHER	"fedcba9876543210fedcba9876543210"
#define LOG	"audit/audit.jsonl"

/* The log as lines, with their LF. */
struct lines {
	char	*text;
	size_t	 len;
	struct { const char *s; size_t len; } l[RECORDS + 20];
	size_t	 n;
};

static inline void
lines_read(struct testlog *t, struct lines *ret)
{
	const char *p;

	memset(ret, 0, sizeof *ret);
	ret->text = testlog_read(t, LOG, &ret->len);
	p = ret->text;
	while (p < ret->text + ret->len) {
		const char *end = memchr(p, '\n',
		    (size_t)(ret->text + ret->len - p));

		ret->l[ret->n].s = p;
		ret->l[ret->n++].len = (size_t)(end + 1 - p);
		p = end + 1;
	}
}

static inline void
lines_write(struct testlog *t, const struct lines *l)
{
	struct str s;

	str_init(&s, 1 << 24);
	for (size_t i = 0; i < l->n; i++)
		str_addn(&s, l->l[i].s, l->l[i].len);
	testlog_write(t, LOG, s.s, s.len);
	str_clear(&s);
}

static inline void
lines_remove(struct lines *l, size_t at, size_t n)
{
	memmove(&l->l[at], &l->l[at + n], (l->n - at - n) * sizeof l->l[0]);
	l->n -= n;
}

static inline void
lines_insert(struct lines *l, size_t at, const char *s, size_t len)
{
	memmove(&l->l[at + 1], &l->l[at], (l->n - at) * sizeof l->l[0]);
	l->l[at].s = s;
	l->l[at].len = len;
	l->n++;
}

static inline void
lines_move(struct lines *l, size_t from, size_t to)
{
	const char *s = l->l[from].s;
	size_t len = l->l[from].len;

	lines_remove(l, from, 1);
	lines_insert(l, to, s, len);
}

/* Two logs of equal length, and a copy of the first as it was at 30. */
struct bed {
	struct testlog	t, other;
	struct lines	l, foreign;
	char		*old_log, *old_key, *old_pin;
	size_t		 old_log_len, old_key_len, old_pin_len;
};

static inline void
bed_save(struct bed *b)
{
	b->old_log = testlog_read(&b->t, LOG, &b->old_log_len);
	b->old_key = testlog_read(&b->t, "log.key", &b->old_key_len);
	b->old_pin = testlog_read(&b->t, "audit.head", &b->old_pin_len);
}

static inline void
bed_up(struct bed *b)
{
	testlog_new(&b->t);
	testlog_fill(&b->t, 30);
	bed_save(b);
	testlog_fill(&b->t, RECORDS);
	testlog_new_in(&b->other, OTHER);
	testlog_fill(&b->other, RECORDS);
	lines_read(&b->t, &b->l);
	lines_read(&b->other, &b->foreign);
	ck_assert_uint_eq(b->l.n, RECORDS);
}

static inline void
bed_down(struct bed *b)
{
	free(b->l.text);
	free(b->foreign.text);
	free(b->old_log);
	free(b->old_key);
	free(b->old_pin);
	testlog_end(&b->t);
	testlog_end(&b->other);
}

struct attack {
	const char		*name;
	void			(*fn)(struct bed *);
	enum verify_kind	 kind;
	enum verify_exit	 exit;
	uint64_t		 line;		/* 0: the end of the log */
	bool			 fast_misses;	/* as docs/AUDIT.md says */
};

#define A(fn, kind, exit, line) { #fn, fn, VERIFY_##kind, \
	VERIFY_EXIT_##exit, line, false }
#define A_FAST_MISSES(fn, kind, exit, line) { #fn, fn, VERIFY_##kind, \
	VERIFY_EXIT_##exit, line, true }

/* Do it, and see that it is found and named in every mode. */
static inline void
attack_run(const struct attack *a)
{
	static const struct verify_options modes[] = {
		{ .fast = false }, { .full = true }, { .fast = true } };
	struct verify_report r;
	struct bed b;

	bed_up(&b);
	a->fn(&b);
	lines_write(&b.t, &b.l);
	for (size_t i = 0; i < ARRAY_LEN(modes) - a->fast_misses; i++) {
		testlog_verify_as(&b.t, &modes[i], &r);
		ck_assert_msg(r.exit == a->exit && r.n_findings > 0 &&
		    r.findings[0].kind == a->kind &&
		    r.findings[0].line == a->line,
		    "%s, mode %zu: exit %d, %zu findings, first %s in line %d: "
		    "%s, %s", a->name, i, (int)r.exit, r.n_findings,
		    verify_kind_name(r.findings[0].kind),
		    (int)r.findings[0].line, r.findings[0].expected,
		    r.findings[0].found);
	}
	/* Nobody writes on and so covers up that the end is wrong. */
	if (a->line == 0 || a->line > RECORDS)
		ck_assert_msg(testlog_allow(&b.t, "ls", NULL) == -1, "%s",
		    a->name);
	bed_down(&b);
}

#endif
