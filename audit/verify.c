#include "audit/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/check.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

static const struct {
	const char	*name;
	enum verify_exit exit;
} kinds[] = {
	[VERIFY_OK] = { "ok", VERIFY_EXIT_OK },
	[VERIFY_EDITED] = { "edited", VERIFY_EXIT_TAMPERED },
	[VERIFY_MISSING] = { "missing", VERIFY_EXIT_TAMPERED },
	[VERIFY_INSERTED] = { "inserted", VERIFY_EXIT_TAMPERED },
	[VERIFY_REORDERED] = { "reordered", VERIFY_EXIT_TAMPERED },
	[VERIFY_DUPLICATE_SEQ] = { "duplicate_seq", VERIFY_EXIT_TAMPERED },
	[VERIFY_FORKED] = { "forked", VERIFY_EXIT_TAMPERED },
	[VERIFY_TRUNCATED] = { "truncated", VERIFY_EXIT_TRUNCATED },
	[VERIFY_ROLLED_BACK] = { "rolled_back", VERIFY_EXIT_TRUNCATED },
	[VERIFY_KEY_CHANGED] = { "key_changed", VERIFY_EXIT_KEY },
	[VERIFY_FOREIGN_LOG] = { "foreign_log", VERIFY_EXIT_TAMPERED },
	[VERIFY_UNSIGNED_DECISION] = { "unsigned_decision",
	    VERIFY_EXIT_TAMPERED },
	[VERIFY_BAD_SIGNATURE] = { "bad_signature", VERIFY_EXIT_TAMPERED },
	[VERIFY_TORN] = { "torn", VERIFY_EXIT_TORN },
	[VERIFY_RESUMED] = { "resumed", VERIFY_EXIT_KEY },
	[VERIFY_ARCHIVE_MISSING] = { "archive_missing",
	    VERIFY_EXIT_TRUNCATED },
};

const char *
verify_kind_name(enum verify_kind k)
{
	return kinds[k].name;
}

/* The gravest of them; the findings past the table were of lines. */
static enum verify_exit
worst(const struct verify_report *r)
{
	static const enum verify_exit order[] = { VERIFY_EXIT_TAMPERED,
		VERIFY_EXIT_KEY, VERIFY_EXIT_TRUNCATED, VERIFY_EXIT_TORN };

	if (r->more > 0)
		return VERIFY_EXIT_TAMPERED;
	for (size_t o = 0; o < ARRAY_LEN(order); o++) {
		for (size_t i = 0; i < r->n_findings; i++) {
			if (!r->findings[i].closed &&
			    kinds[r->findings[i].kind].exit == order[o])
				return order[o];
		}
	}
	return VERIFY_EXIT_OK;
}

/* What no run is: line by line. */
static int
feed_lines(struct check *k, const struct scan_item *i, uint64_t number,
    struct line *ret_last, struct err *e)
{
	struct reader rd;
	struct line l;
	int got;

	reader_init(&rd, &k->log->set, i->from, i->to, number);
	while ((got = reader_next(&rd, &l, e)) == 1) {
		check_line(k, &l);
		*ret_last = l;
	}
	ret_last->text = "";		/* its buffer goes */
	ret_last->len = 0;
	reader_clear(&rd);
	return got;
}

struct feed {
	const struct logset_part *part;	/* that line numbers count in */
	uint64_t		  number;
	struct line		  last;
};

static int
feed(struct check *k, struct feed *f, const struct scan *s, struct err *e)
{
	check_places(k, s->places, s->n_places);
	for (size_t i = 0; i < s->n; i++) {
		const struct scan_item *it = &s->items[i];
		const struct logset_part *p = logset_find(&k->log->set,
		    it->from);

		if (p != f->part)
			f->number = 1;
		f->part = p;
		if ((it->kind != SCAN_RUN ||
		    !check_run(k, it, s->nodes + it->node)) &&
		    feed_lines(k, it, f->number, &f->last, e) == -1)
			return -1;
		f->number += it->lines;
	}
	k->r->signatures += s->signatures;
	return 0;
}

static int
read_log(struct check *k, struct err *e)
{
	struct scanner *sc = scanner_new(&k->log->set, &k->order);
	struct feed f = { .last = { .text = "" } };
	const struct scan *s;
	int n;

	while ((n = scanner_next(sc, &s, e)) > 0) {
		for (int i = 0; i < n; i++) {
			if (feed(k, &f, &s[i], e) == -1)
				n = -1;
		}
	}
	scanner_free(sc);
	if (n == -1)
		return -1;
	check_end(k, &f.last);
	return 0;
}

/* The file `audit/checkpoint` is an anchor like others.  -1: not one. */
static int
own_anchor(int privfd, struct anchor *ret, bool *ret_there, struct err *e)
{
	auto_close int dir = fs_open_dir(privfd, "audit", NULL);
	auto_str struct str text = { 0 };
	struct err why = { 0 };

	*ret_there = false;
	*ret = (struct anchor){ .where = CHECKPOINT_FILE };
	str_init(&text, NOTE_MAX);
	if (dir == -1 || (fs_read_own(dir, CHECKPOINT_FILE, NOTE_MAX, &text,
	    &why) == -1 && why.sys == ENOENT))
		return 0;
	if (why.text[0] != '\0')
		return err_set(e, ERR_FORMAT, "%s", why.text);
	*ret_there = true;
	return note_open(text.s, text.len, &ret->sealed, e);
}

struct anchors {
	struct anchor	*a;
	size_t		 n;
	bool		 bad;		/* our own file is no checkpoint */
	struct err	 why;
	uint64_t	 hint;		/* what it claims to cover */
};

static void
take_anchors(int privfd, const struct verify_options *opt,
    struct anchors *ret)
{
	bool there;

	*ret = (struct anchors){ .a = xcalloc(opt->n_anchors + 1,
	    sizeof *ret->a) };
	if (own_anchor(privfd, &ret->a[0], &there, &ret->why) == -1)
		ret->bad = true;
	else if (there)
		ret->hint = ret->a[ret->n++].sealed.note.size;
	for (size_t i = 0; i < opt->n_anchors; i++)
		ret->a[ret->n++] = opt->anchors[i];
}

/* One reading of it all. */
static int
pass(struct verified *v, const struct scan_order *order, struct anchors *an,
    struct err *e)
{
	struct check *k = &v->check;
	struct finding *bad;
	int rc;

	check_clear(k);
	v->report = (struct verify_report){ 0 };
	check_init(k, &v->opt, &v->log, &v->report);
	k->order = *order;
	k->anchors = an->a;
	k->n_anchors = an->n;
	rc = read_log(k, e);
	k->anchors = NULL;
	k->n_anchors = 0;
	if (an->bad && (bad = check_find(k, VERIFY_EDITED, NULL, k->want,
	    "a signed note", an->why.text)) != NULL)
		snprintf(bad->file, sizeof bad->file, CHECKPOINT_FILE);
	v->report.signatures += k->sworn.signatures;
	v->report.covered = k->covered;
	v->report.exit = worst(&v->report);
	return rc;
}

/* Is there something whose first place only signatures can show? */
static bool
needs_full(const struct verify_report *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		enum verify_kind k = r->findings[i].kind;

		if (k != VERIFY_TORN && k != VERIFY_RESUMED &&
		    k != VERIFY_ARCHIVE_MISSING)
			return true;
	}
	return false;
}

static int
passes(struct verified *v, struct anchors *an, struct err *e)
{
	const struct verify_options *opt = &v->opt;
	struct scan_order o = {
		.pin = v->log.pinned ? v->log.pin.seq : UINT64_MAX,
		.signed_from = opt->full ? 0 : opt->fast ? UINT64_MAX :
		    an->hint,
		.sworn_from = opt->full ? 0 : an->hint,
	};

	if (pass(v, &o, an, e) == -1)
		return -1;
	if (v->report.covered < o.sworn_from) {
		/* The file claimed more than the log's checkpoints do. */
		o.sworn_from = v->report.covered;
		o.signed_from = opt->fast ? UINT64_MAX : o.sworn_from;
		if (pass(v, &o, an, e) == -1)
			return -1;
	}
	if (opt->full || !needs_full(&v->report))
		return 0;
	o.sworn_from = o.signed_from = 0;
	return pass(v, &o, an, e);
}

int
verify_begin(int privfd, const struct verify_options *opt,
    struct verified *v, struct err *e)
{
	struct anchors an;
	int rc;

	*v = (struct verified){ .log = LOGFILE_INIT, .opt = *opt };
	if (digest_setup(e) == -1 ||
	    logfile_open(privfd, false, &v->log, e) == -1) {
		logfile_close(&v->log);
		return -1;
	}
	logfile_unlock(&v->log);
	take_anchors(privfd, opt, &an);
	rc = passes(v, &an, e);
	for (size_t i = 0; rc == 0 && i < opt->n_anchors; i++)
		opt->anchors[i].seen = an.a[an.n - opt->n_anchors + i].seen;
	free(an.a);
	if (rc == -1)
		verify_end(v);
	return rc;
}

void
verify_end(struct verified *v)
{
	check_clear(&v->check);
	logfile_close(&v->log);
}

int
audit_verify(int privfd, const struct verify_options *opt,
    struct verify_report *ret, struct err *e)
{
	struct verified v;

	if (verify_begin(privfd, opt, &v, e) == -1)
		return err_add(e, "audit");
	*ret = v.report;
	verify_end(&v);
	return 0;
}
