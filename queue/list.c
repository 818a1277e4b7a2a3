/*
 * What people see of the folder.
 */
#include "queue/inside.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define CLOSED_SHOWN	200
#define READ_TIMES	4

struct listing {
	struct queue		*q;
	const struct clock	*now;
	struct entries		 out;
	int64_t			 bytes;		/* read so far */
};

static enum entry_state
state_of(const struct queue *q, enum queue_dir from, const char *id)
{
	char answer[ANSWER_NAME];

	queue_answer_name(id, answer);
	switch (from) {
	case DIR_PENDING:
		return ENTRY_PENDING;
	case DIR_CLAIMED:
		return queue_ledger_has(q, id, LEDGER_USED) ? ENTRY_RUNNING :
		    ENTRY_CLAIMED;
	case DIR_CLOSED:
		return queue_ledger_has(q, id, LEDGER_USED) &&
		    !queue_ledger_has(q, id, LEDGER_COLLECTED) &&
		    queue_has(q->dir[DIR_ANSWERED], answer) ? ENTRY_ANSWERED :
		    ENTRY_CLOSED;
	case DIR_TMP:
	case DIR_ANSWERED:
	case DIR_BLOBS:
	case DIR_ASIDE:
	case DIR_COUNT:
		break;
	}
	BUG("no requests live in that folder");
}

/* 1: entry filled; 0: not to be listed; -1: to be set aside or an error. */
static int
read_entry(struct listing *l, enum queue_dir from, const char *id,
    struct entry *ret, struct err *e)
{
	struct entry en = { 0 };
	struct queue_file file;

	if (queue_get(l->q, from, id, &en.req, &file, e) == -1)
		return e->code == ERR_NO_ID ? 0 : -1;
	en.waiter = file.waiter;
	if (from == DIR_PENDING) {
		/* A used id in pending/ was put there by no one honest. */
		int ok = queue_ledger_has(l->q, id, LEDGER_USED) ?
		    err_set(e, ERR_FORMAT, "'%s' was already decided", id) :
		    queue_admit(l->q, &en.req, l->now, e);

		if (ok == -1 || request_expired(&en.req, l->now)) {
			request_clear(&en.req);
			return ok == -1 ? -1 : 0;
		}
	}
	en.state = state_of(l->q, from, id);
	*ret = en;
	return 1;
}

static int
add_entry(struct listing *l, enum queue_dir from, const char *id,
    struct err *e)
{
	struct entry en;
	int got;

	/* It moved on while we listed: the state first seen stands. */
	for (size_t i = 0; i < l->out.n; i++)
		if (str_eq(l->out.e[i].req.id, id))
			return 0;
	if (l->bytes > l->q->lim.bytes_max) {
		l->out.more++;
		return 0;
	}
	got = read_entry(l, from, id, &en, e);
	if (got == -1 && e->code == ERR_FORMAT) {
		l->out.aside += queue_set_aside(l->q, from, id);
		return 0;
	}
	if (got != 1)
		return got;
	l->bytes += (int64_t)en.req.bytes.len;
	l->out.e = xrealloc(l->out.e, l->out.n + 1, sizeof *l->out.e);
	l->out.e[l->out.n++] = en;
	return 0;
}

/* All ids of a folder, the oldest `max` (or, of closed/, the newest). */
static int
add_folder(struct listing *l, enum queue_dir from, size_t max, struct err *e)
{
	struct fs_names ids = { 0 };
	size_t at = 0, end;
	int ok = 0;

	if (queue_ids(l->q, from, id_ok, &ids, &l->out.foreign, e) == -1)
		return -1;
	end = ids.n;
	if (end > max && from == DIR_CLOSED)
		at = end - max;
	else if (end > max) {
		l->out.more += end - max;
		end = max;
	}
	for (; at < end && ok == 0; at++)
		ok = add_entry(l, from, ids.names[at], e);
	fs_names_clear(&ids);
	return ok;
}

/* Closed requests whose answer still waits, found by the answers. */
static int
add_answered(struct listing *l, struct err *e)
{
	struct fs_names names = { 0 };
	int ok = 0;

	if (queue_ids(l->q, DIR_ANSWERED, queue_is_answer, &names,
	    &l->out.foreign, e) == -1)
		return -1;
	for (size_t i = 0; i < names.n && ok == 0; i++) {
		char *id = names.names[i];

		id[strlen(id) - 2] = '\0';
		if (state_of(l->q, DIR_CLOSED, id) == ENTRY_ANSWERED)
			ok = add_entry(l, DIR_CLOSED, id, e);
	}
	fs_names_clear(&names);
	return ok;
}

static int
by_age(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const char *xid = x->req.id, *yid = y->req.id;

	if (x->req.created_wall_ms != y->req.created_wall_ms)
		return x->req.created_wall_ms < y->req.created_wall_ms ? -1 :
		    1;
	return id_compare(&xid, &yid);
}

int
queue_list(struct queue *q, const struct clock *now, bool closed,
    struct entries *ret, struct err *e)
{
	struct listing l = { .q = q, .now = now };
	size_t max = (size_t)q->lim.pending_max;
	struct err local;

	if (e == NULL)
		e = &local;
	if (add_folder(&l, DIR_PENDING, max, e) == -1 ||
	    add_folder(&l, DIR_CLAIMED, max, e) == -1 ||
	    (closed ? add_folder(&l, DIR_CLOSED, CLOSED_SHOWN, e) :
	    add_answered(&l, e)) == -1) {
		entries_clear(&l.out);
		return -1;
	}
	if (l.out.n > 0)
		qsort(l.out.e, l.out.n, sizeof *l.out.e, by_age);
	*ret = l.out;
	return 0;
}

void
entries_clear(struct entries *l)
{
	for (size_t i = 0; i < l->n; i++)
		request_clear(&l->e[i].req);
	free(l->e);
	*l = (struct entries){ 0 };
}

/* The one id of a folder that begins so, into `found`; -1: another one too. */
static int
find_prefix(struct queue *q, enum queue_dir from, const char *prefix,
    char found[static ID_MAX + 1], struct err *e)
{
	struct fs_names l = { 0 };
	size_t foreign = 0;
	int got = queue_ids(q, from, id_ok, &l, &foreign, e);

	for (size_t i = 0; i < l.n && got == 0; i++) {
		if (!str_starts(l.names[i], prefix) ||
		    str_eq(l.names[i], found))
			continue;
		if (found[0] != '\0')
			got = err_set(e, ERR_NO_ID, "'%s' is ambiguous: %s, %s",
			    prefix, found, l.names[i]);
		else
			memcpy(found, l.names[i], strlen(l.names[i]) + 1);
	}
	fs_names_clear(&l);
	return got;
}

int
queue_resolve(struct queue *q, const char *prefix,
    char ret_id[static ID_MAX + 1], enum entry_state *ret_state,
    struct err *e)
{
	static const enum queue_dir places[] = { DIR_PENDING, DIR_CLAIMED,
		DIR_CLOSED };
	enum queue_dir where = DIR_COUNT;
	char found[ID_MAX + 1] = "";

	if (!id_prefix_ok(prefix))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", prefix);
	for (size_t d = 0; d < ARRAY_LEN(places); d++)
		if (find_prefix(q, places[d], prefix, found, e) == -1)
			return -1;
	if (found[0] != '\0')
		where = queue_find(q, found);
	if (where == DIR_COUNT)
		return err_set(e, ERR_NO_ID, "no request begins with '%s'",
		    prefix);
	memcpy(ret_id, found, sizeof found);
	*ret_state = state_of(q, where, found);
	return 0;
}

int
queue_read(struct queue *q, const char *id, struct request *ret,
    enum entry_state *ret_state, bool *ret_waiter, struct err *e)
{
	enum queue_dir at = DIR_COUNT;
	struct err local;
	struct request r;
	struct queue_file file;
	int got = -1;

	if (e == NULL)
		e = &local;
	err_set(e, ERR_NO_ID, "no request '%.60s'", id);
	/* Moved between the question and the open: ask again. */
	for (int i = 0; id_ok(id) && i < READ_TIMES && got == -1 &&
	    e->code == ERR_NO_ID; i++)
		if ((at = queue_find(q, id)) != DIR_COUNT)
			got = queue_get(q, at, id, &r, &file, e);
	if (got == -1) {
		if (e->code == ERR_FORMAT)
			queue_set_aside(q, at, id);
		return -1;
	}
	/* What is over needs no blob, and its blob may be gone. */
	if (queue_get_blob(q, &r, e) == -1 && at != DIR_CLOSED) {
		request_clear(&r);
		return -1;
	}
	*ret_state = state_of(q, at, id);
	*ret_waiter = file.waiter;
	*ret = r;
	return 0;
}
