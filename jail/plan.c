#include "jail/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/list.h"

#include "common/banned.h"

void
marks_add(struct marks *m, const char *path, unsigned why, bool dir)
{
	if ((m->n & (m->n - 1)) == 0)
		m->v = xrealloc(m->v, m->n == 0 ? 1 : m->n * 2, sizeof *m->v);
	m->v[m->n++] = (struct mark){ xstrdup(path), why, dir };
}

void
marks_settle(struct marks *m)
{
	size_t kept = 0;

	if (m->n > 0)
		qsort(m->v, m->n, sizeof *m->v, path_order);
	for (size_t i = 0; i < m->n; i++)
		if (kept > 0 &&
		    strcmp(m->v[kept - 1].path, m->v[i].path) == 0) {
			m->v[kept - 1].why |= m->v[i].why;
			free(m->v[i].path);
		} else {
			m->v[kept++] = m->v[i];
		}
	m->n = m->settled = kept;
}

struct mark *
marks_find(const struct marks *m, const char *path, size_t len)
{
	return path_find(m->v, m->settled, sizeof *m->v, path, len);
}

void
marks_clear(struct marks *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].path);
	free(m->v);
	*m = (struct marks){ 0 };
}

/* Length of the most specific mark of one of these kinds that covers path. */
static size_t
nearest(const struct marks *m, const char *path, unsigned why)
{
	size_t len = strlen(path);

	for (; len > 0; len = path_up(path, len)) {
		const struct mark *at = marks_find(m, path, len);

		if (at != NULL && (at->why & why) != 0)
			break;
	}
	return len;
}

static enum op_kind
wanted(const struct marks *m, const struct mark *at)
{
	const char *path = at->path;
	const unsigned given = MARK_OPEN | MARK_SHOWN;

	/* Settings can come from a project: none of them opens our keys. */
	if (nearest(m, path, MARK_CLOSED) > nearest(m, path, given))
		return OP_HIDE;
	if (nearest(m, path, MARK_DENY_READ) > nearest(m, path, MARK_READ |
	    given))
		return OP_HIDE;
	size_t own = nearest(m, path, MARK_PRIVATE);
	size_t open = nearest(m, path, MARK_OPEN);
	size_t held = nearest(m, path, MARK_DENY_WRITE | MARK_NAME);

	/* Starting in /tmp itself is no reason to show the host's. */
	if (own > nearest(m, path, MARK_READ | MARK_WRITE | given |
	    MARK_ALLOW_SOCKET) && own >= nearest(m, path, MARK_CWD))
		return OP_PRIVATE;
	if ((at->why & MARK_SOCKET) != 0 && (at->why & MARK_ALLOW_SOCKET) == 0)
		return OP_HIDE;
	if (open > held)
		return OP_WRITE;
	if ((at->why & MARK_PIPE) != 0 && held != 0)
		return OP_HIDE;
	return nearest(m, path, MARK_WRITE) == 0 || held != 0 ? OP_READ :
	    OP_WRITE;
}

static void
plan_add(struct plan *p, enum op_kind kind, char *owned, bool dir)
{
	if ((p->n & (p->n - 1)) == 0)
		p->v = xrealloc(p->v, p->n == 0 ? 1 : p->n * 2, sizeof *p->v);
	p->v[p->n++] = (struct op){ owned, kind, dir, false };
}

/* The op that op i lies in, among the first n, or NULL: the read-only tree. */
static const struct op *
above(const struct plan *p, size_t i, size_t n)
{
	const char *path = p->v[i].path;
	const struct op *up = NULL;

	for (size_t len = strlen(path); up == NULL && len > 1; ) {
		len = path_up(path, len);
		up = path_find(p->v, n, sizeof *p->v, path, len);
	}
	return up;
}

static void
sort(struct plan *p)
{
	if (p->n > 0)
		qsort(p->v, p->n, sizeof *p->v, path_order);
}

/* Leave out what is like its surroundings. */
static void
drop_equal(struct plan *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct op op = p->v[i];
		const struct op *up;

		p->v[kept] = op;
		up = above(p, kept, kept);
		if (op.kind == (up == NULL ? OP_READ : up->kind))
			free(op.path);
		else
			kept++;
	}
	p->n = kept;
}

/* Every directory between a writable place and what is special in it. */
static void
pin(struct plan *p)
{
	size_t n = p->n;

	for (size_t i = 0; i < n; i++) {
		const struct op *up = above(p, i, n);
		size_t top;

		if (up == NULL || up->kind != OP_WRITE)
			continue;
		top = strlen(up->path);
		for (char *s = p->v[i].path + top + 1;
		    (s = strchr(s, '/')) != NULL; s++) {
			char *dir = xstrndup(p->v[i].path,
			    (size_t)(s - p->v[i].path));

			plan_add(p, OP_WRITE, dir, true);
		}
	}
	sort(p);
	n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (n > 0 && strcmp(p->v[n - 1].path, p->v[i].path) == 0)
			free(p->v[i].path);
		else
			p->v[n++] = p->v[i];
	p->n = n;
}

/* Somewhere to start, where everything around is hidden. */
static void
stand(struct plan *p, const struct marks *m)
{
	for (size_t i = 0; i < m->n; i++) {
		if ((m->v[i].why & MARK_CWD) == 0 ||
		    wanted(m, &m->v[i]) != OP_HIDE)
			continue;
		for (size_t k = 0; k < p->n; k++)
			if (strcmp(p->v[k].path, m->v[i].path) == 0)
				return;
		plan_add(p, OP_DIR, xstrdup(m->v[i].path), true);
		sort(p);
		return;
	}
}

int
plan_make(struct marks *m, struct plan *ret, struct err *e)
{
	struct plan p = { 0 };

	marks_settle(m);
	for (size_t i = 0; i < m->n; i++)
		plan_add(&p, wanted(m, &m->v[i]), xstrdup(m->v[i].path),
		    m->v[i].dir);
	sort(&p);
	drop_equal(&p);
	if (p.n > 0 && strcmp(p.v[0].path, "/") == 0 &&
	    p.v[0].kind == OP_HIDE) {
		plan_clear(&p);
		return err_set(e, ERR_USAGE, "cannot deny reading '/': name "
		    "the directories below it");
	}
	pin(&p);
	stand(&p, m);
	for (size_t i = 0; i < p.n; i++) {
		const struct op *up = above(&p, i, p.n);

		p.v[i].make = up != NULL && (up->kind == OP_HIDE ||
		    up->kind == OP_PRIVATE);
	}
	*ret = p;
	return 0;
}

void
plan_clear(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
	*p = (struct plan){ 0 };
}
