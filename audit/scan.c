#include "audit/scan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>

#include "audit/event.h"
#include "audit/reader.h"
#include "common/mem.h"

#include "common/banned.h"

#define CHUNK_BYTES	(4 * 1024 * 1024)
#define THREADS_MAX	16

struct job {
	const struct logset	*set;
	struct scan_order	 order;
	uint64_t		 from, upto;	/* a file's stretch */
	struct scan		 out;
	/* the run being built */
	struct scan_item	 run;
	bool			 running;
	struct tree_range	 range;
	struct err		 e;
	int			 rc;
};

struct scanner {
	const struct logset	*set;
	struct scan_order	 order;
	uint64_t		 at;
	size_t			 threads;
	struct job		 jobs[THREADS_MAX];
	struct scan		 outs[THREADS_MAX];
};

static void *
grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap == 0 ? 64 : *cap * 2;
	return xrealloc(p, *cap, size);
}

static void
put_item(struct scan *s, const struct scan_item *i)
{
	s->items = grow(s->items, s->n, &s->cap, sizeof *s->items);
	s->items[s->n++] = *i;
}

static void
put_place(struct scan *s, uint64_t seq, uint64_t offset)
{
	s->places = grow(s->places, s->n_places, &s->cap_places,
	    sizeof *s->places);
	s->places[s->n_places++] = (struct scan_place){ seq, offset };
}

static void
run_end(struct job *j)
{
	struct scan *s = &j->out;

	if (!j->running)
		return;
	j->running = false;
	j->run.node = s->n_nodes;
	j->run.nodes = j->range.n;
	for (size_t i = 0; i < j->range.n; i++) {
		s->nodes = grow(s->nodes, s->n_nodes, &s->cap_nodes,
		    sizeof *s->nodes);
		s->nodes[s->n_nodes++] = j->range.node[i];
	}
	put_item(s, &j->run);
}

static void
odd_line(struct job *j, const struct line *l)
{
	const struct scan_item item = { .kind = SCAN_LINE,
		.from = l->offset, .to = l->end, .lines = 1 };

	run_end(j);
	put_item(&j->out, &item);
}

/* Does somebody have to read what the record says? */
static bool
is_odd(const struct job *j, const struct chain_line *c)
{
	const struct event_kind *k = event_kind_find(c->kind, c->kind_len);

	if (k == NULL || c->seq == 0)
		return true;
	return k->title != NULL && (c->seq >= j->order.sworn_from ||
	    (k->flags & EVENT_TRUST) != 0);
}

static bool
follows(struct job *j, const struct line *l, const struct chain_line *c)
{
	if (!j->running || c->seq != j->run.seq + j->run.lines ||
	    !digest_eq(&c->prev, &j->run.hash))
		return false;
	if (c->seq < j->order.signed_from)
		return true;
	j->out.signatures++;
	return sign_ok(j->run.next, l->text, c->signed_len, c->sig);
}

static void
run_add(struct job *j, const struct line *l, const struct chain_line *c)
{
	const struct event_kind *k;

	if (!follows(j, l, c)) {
		run_end(j);
		j->running = true;
		j->run = (struct scan_item){ .kind = SCAN_RUN,
			.from = l->offset, .seq = c->seq,
			.first_len = l->len, .prev = c->prev };
		tree_begin(&j->range, c->seq);
	}
	j->run.to = l->end;
	j->run.lines++;
	chain_hash(l->text, l->len, &j->run.hash);
	memcpy(j->run.next, c->next, SIGN_PUB);
	tree_add(&j->range, &j->run.hash);
	if (c->seq == j->order.pin) {
		j->run.has_pin = true;
		j->run.at_pin = j->run.hash;
	}
	k = event_kind_find(c->kind, c->kind_len);
	if (k != NULL && (k->flags & EVENT_APPROVAL) != 0)
		put_place(&j->out, c->seq, l->offset);
}

/* Where the first line that begins at `at` or behind it begins. */
static int
line_start(struct job *j, uint64_t at, uint64_t *ret)
{
	const struct logset_part *p = logset_find(j->set, at);
	uint64_t end = p->start + p->size;
	char buf[4096];

	if (at == p->start) {
		*ret = at;
		return 0;
	}
	for (at--; at < end; ) {
		size_t n = end - at < sizeof buf ? (size_t)(end - at) :
		    sizeof buf;
		char *lf;

		if (logset_pread(j->set, buf, n, at, &j->e) == -1)
			return -1;
		lf = memchr(buf, '\n', n);
		if (lf != NULL) {
			*ret = at + (uint64_t)(lf + 1 - buf);
			return 0;
		}
		at += n;
	}
	*ret = end;
	return 0;
}

static void *
job_run(void *arg)
{
	struct job *j = arg;
	struct reader rd;
	struct line l;
	uint64_t from;
	int got;

	j->rc = -1;
	if (line_start(j, j->from, &from) == -1)
		return NULL;
	reader_init(&rd, j->set, from, j->upto, 1);
	while ((got = reader_next(&rd, &l, &j->e)) == 1) {
		struct chain_line c;

		if (!l.ended || !chain_parse(l.text, l.len, &c) ||
		    is_odd(j, &c))
			odd_line(j, &l);
		else
			run_add(j, &l, &c);
	}
	run_end(j);
	reader_clear(&rd);
	j->rc = got;
	return NULL;
}

struct scanner *
scanner_new(const struct logset *set, const struct scan_order *order)
{
	struct scanner *s = xcalloc(1, sizeof *s);
	cpu_set_t cpus;

	s->set = set;
	s->order = *order;
	s->threads = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ?
	    (size_t)CPU_COUNT(&cpus) : 1;
	if (s->threads < 1)
		s->threads = 1;
	if (s->threads > THREADS_MAX)
		s->threads = THREADS_MAX;
	return s;
}

void
scanner_free(struct scanner *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < THREADS_MAX; i++) {
		free(s->outs[i].items);
		free(s->outs[i].nodes);
		free(s->outs[i].places);
	}
	free(s);
}

/* Cut the window; a chunk lies in one file. */
static size_t
cut(struct scanner *s)
{
	size_t n = 0;

	while (n < s->threads && s->at < s->set->size) {
		const struct logset_part *p = logset_find(s->set, s->at);
		uint64_t left = p->start + p->size - s->at;
		struct job *j = &s->jobs[n];

		*j = (struct job){ .set = s->set, .order = s->order,
			.from = s->at, .out = s->outs[n] };
		j->upto = s->at + (left < CHUNK_BYTES ? left : CHUNK_BYTES);
		j->out.n = j->out.n_nodes = j->out.n_places = 0;
		j->out.signatures = 0;
		s->at = j->upto;
		n++;
	}
	return n;
}

int
scanner_next(struct scanner *s, const struct scan **ret, struct err *e)
{
	pthread_t thread[THREADS_MAX];
	bool started[THREADS_MAX] = { false };
	size_t n = cut(s);
	int rc = 0;

	for (size_t i = 1; i < n; i++)
		started[i] = pthread_create(&thread[i], NULL, job_run,
		    &s->jobs[i]) == 0;
	for (size_t i = 0; i < n; i++) {
		if (!started[i])
			job_run(&s->jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
		s->outs[i] = s->jobs[i].out;
		if (s->jobs[i].rc == -1 && rc == 0)
			rc = err_set(e, ERR_SYSTEM, "%s", s->jobs[i].e.text);
	}
	*ret = s->outs;
	return rc == -1 ? -1 : (int)n;
}
