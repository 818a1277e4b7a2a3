#include "audit/reader.h"

#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/chain.h"
#include "audit/logfile.h"
#include "common/id.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define BUF_BYTES	(4 * CHAIN_RECORD_MAX)
#define BUF_LEAST	4096

/* The file that the next byte lies in. */
static void
enter(struct reader *r)
{
	const struct logset_part *p = logset_find(r->set, r->at);

	r->stop = p->start + p->size;
}

void
reader_init(struct reader *r, const struct logset *set, uint64_t from,
    uint64_t upto, uint64_t number)
{
	*r = (struct reader){ .set = set, .at = from, .upto = upto,
		.number = number - 1 };
	/* Often it is one line that is wanted. */
	r->cap = upto - from < BUF_LEAST ? BUF_LEAST :
	    upto - from > BUF_BYTES ? BUF_BYTES : (size_t)(upto - from);
	r->buf = xrealloc(NULL, r->cap + 1, 1);
	if (set->n > 0)
		enter(r);
}

void
reader_all(struct reader *r, const struct logset *set)
{
	reader_init(r, set, 0, set->size, 1);
}

void
reader_clear(struct reader *r)
{
	free(r->buf);
	r->buf = NULL;
}

/* Make room and read on; 0 at the end of the file. */
static int
fill(struct reader *r, struct err *e)
{
	size_t room, left = r->end - r->start;

	memmove(r->buf, r->buf + r->start, left);
	r->start = 0;
	r->end = left;
	if (left == r->cap) {
		r->cap = BUF_BYTES;
		r->buf = xrealloc(r->buf, r->cap + 1, 1);
	}
	room = r->cap - left;
	if (room > r->stop - r->at)
		room = (size_t)(r->stop - r->at);
	if (room == 0)
		return 0;
	if (logset_pread(r->set, r->buf + left, room, r->at, e) == -1)
		return -1;
	r->at += room;
	r->end += room;
	return 1;
}

/* The next LF in buf; reads on until a record's length is there. */
static int
find_end(struct reader *r, char **ret, struct err *e)
{
	for (;;) {
		size_t have = r->end - r->start;
		int got;

		*ret = memchr(r->buf + r->start, '\n', have);
		if (*ret != NULL || have > CHAIN_RECORD_MAX)
			return 0;
		got = fill(r, e);
		if (got != 1)
			return got;
	}
}

/* What does not fit into a record: its end is found, its text dropped. */
static int
skip_overlong(struct reader *r, char **lf, struct err *e)
{
	while (*lf == NULL) {
		r->start = r->end;
		if (find_end(r, lf, e) == -1)
			return -1;
		if (*lf == NULL && r->start == r->end)
			return 0;
	}
	return 0;
}

/* Behind the last byte of a file the next one begins. */
static bool
next_part(struct reader *r)
{
	while (r->start == r->end && r->at == r->stop) {
		if (r->at >= r->set->size)
			return false;
		enter(r);
		r->number = 0;
	}
	return true;
}

int
reader_next(struct reader *r, struct line *ret, struct err *e)
{
	struct line l = { .text = "" };
	char *lf;

	l.offset = r->at - (r->end - r->start);
	if (l.offset >= r->upto || !next_part(r))
		return 0;
	if (find_end(r, &lf, e) == -1)
		return -1;
	if (lf != NULL || r->end - r->start <= CHAIN_RECORD_MAX) {
		l.ended = lf != NULL;
		if (lf == NULL)
			lf = r->buf + r->end;
		l.text = r->buf + r->start;
		l.len = (size_t)(lf - l.text);
	}
	l.overlong = lf == NULL || l.len > CHAIN_RECORD_MAX;
	if (l.overlong) {
		l.text = "";
		l.len = 0;
	}
	if (skip_overlong(r, &lf, e) == -1)
		return -1;
	if (lf != NULL) {
		l.ended = lf < r->buf + r->end;
		*lf = '\0';
		r->start = (size_t)(lf - r->buf) + l.ended;
	}
	l.end = r->at - (r->end - r->start);
	l.number = ++r->number;
	l.first = l.offset == logset_find(r->set, l.offset)->start;
	*ret = l;
	return 1;
}

int
reader_hash(const struct logset *set, uint64_t offset, uint64_t len,
    struct digest *ret, struct err *e)
{
	struct digest_state st;
	char buf[16384];

	digest_begin(&st, "sandbox-audit-v1");
	while (len > 0) {
		size_t n = len < sizeof buf ? (size_t)len : sizeof buf;

		if (logset_pread(set, buf, n, offset, e) == -1)
			return -1;
		digest_add(&st, buf, n);
		offset += n;
		len -= n;
	}
	digest_end(&st, ret);
	return 0;
}

/* A record whose JSON nobody wrote is verify's business, not a reader's. */
static int
walk_line(const struct line *l, const char *with, audit_walk_fn *fn,
    void *arg)
{
	auto_json cJSON *record = NULL;
	struct chain_line c;

	if (with != NULL && memmem(l->text, l->len, with, strlen(with)) == NULL)
		return 0;
	if (!l->ended || !chain_parse(l->text, l->len, &c) ||
	    json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1)
		return 0;
	return fn(arg, record, l->text, l->len);
}

int
audit_walk(int privfd, audit_walk_fn *fn, void *arg, struct err *e)
{
	return audit_walk_with(privfd, NULL, fn, arg, e);
}

/* What to walk over: from a place on, and only lines with a text. */
struct walk {
	uint64_t	 at;
	uint64_t	 end;		/* not 0: so many last bytes instead */
	const char	*with;
	audit_walk_fn	*fn;
	void		*arg;
};

static int
walk(int privfd, struct walk *w, struct err *e)
{
	auto_logfile struct logfile f = LOGFILE_INIT;
	struct reader r;
	struct line l;
	int got = 0, said = 0;

	if (digest_setup(e) == -1 || logfile_open(privfd, false, &f, e) == -1)
		return err_add(e, "audit");
	if (f.set.n == 0)
		return err_set(e, ERR_SETUP, "audit: the log is gone");
	logfile_unlock(&f);
	/* The half line there is no record: walk_line() passes it by. */
	if (w->end != 0 && f.set.size > w->end)
		w->at = f.set.size - w->end;
	if (w->at >= f.set.size)
		return 0;
	reader_init(&r, &f.set, w->at, f.set.size, 1);
	while (said == 0 && (got = reader_next(&r, &l, e)) == 1) {
		said = walk_line(&l, w->with, w->fn, w->arg);
		if (l.ended)
			w->at = l.end;
	}
	reader_clear(&r);
	return said != 0 ? said : got;
}

int
audit_walk_with(int privfd, const char *with, audit_walk_fn *fn, void *arg,
    struct err *e)
{
	struct walk w = { .with = with, .fn = fn, .arg = arg };

	return walk(privfd, &w, e);
}

int
audit_walk_on(int privfd, uint64_t *at, audit_walk_fn *fn, void *arg,
    struct err *e)
{
	struct walk w = { .at = *at, .fn = fn, .arg = arg };
	int rc = walk(privfd, &w, e);

	*at = w.at;
	return rc;
}

int
audit_walk_end(int privfd, uint64_t bytes, audit_walk_fn *fn, void *arg,
    struct err *e)
{
	struct walk w = { .end = bytes, .fn = fn, .arg = arg };

	return walk(privfd, &w, e);
}

struct search {
	const char	*prefix;
	char		 found[ID_MAX + 1];
	bool		 several;
};

static int
match(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct search *s = arg;
	const char *id = json_str(record, "id");

	(void)line;
	(void)len;
	if (id == NULL || !id_ok(id) || !str_starts(id, s->prefix))
		return 0;
	if (*s->found == '\0')
		memcpy(s->found, id, strlen(id) + 1);
	else if (strcmp(s->found, id) != 0)
		s->several = true;
	return 0;
}

int
audit_find_id(int privfd, const char *prefix, char ret[static ID_MAX + 1],
    struct err *e)
{
	struct search s = { .prefix = prefix };
	auto_free char *with = NULL;

	if (!id_prefix_ok(prefix))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", prefix);
	with = xasprintf("\"id\":\"%s", prefix);
	if (audit_walk_with(privfd, with, match, &s, e) == -1)
		return -1;
	if (*s.found == '\0' || s.several)
		return err_set(e, ERR_NO_ID, *s.found == '\0' ?
		    "the log knows no request '%s'" :
		    "several requests begin with '%s'", prefix);
	memcpy(ret, s.found, sizeof s.found);
	return 0;
}
