/*
 * The asker's second half: find what was asked before, read an answer, be the
 * one that hands it on.
 */
#include "queue/inside.h"

#include <errno.h>
#include <string.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define CLOSED_LOOK	200	/* newest closed requests to look through */

static int
read_answer(struct queue *q, enum queue_dir from, const char *id,
    struct answer *ret, struct err *e)
{
	char name[ANSWER_NAME];
	auto_str struct str text = { 0 };

	queue_answer_name(id, name);
	str_init(&text, ANSWER_MAX);
	if (fs_read_own(q->dir[from], name, ANSWER_MAX, &text, e) == -1) {
		if (e->sys == ENOENT)
			return err_set(e, ERR_NO_ID, "no answer to '%s'", id);
		if (queue_is_damage(e))
			e->code = ERR_FORMAT;
	} else if (answer_decode(id, text.s, text.len, ret, e) == 0) {
		if (str_eq(ret->project, q->home->project))
			return 0;
		answer_clear(ret);
		err_set(e, ERR_FORMAT, "an answer of another project");
	}
	if (e->code == ERR_FORMAT)
		queue_set_aside(q, from, name);
	return err_add(e, "answer to '%s'", id);
}

int
queue_read_answer(struct queue *q, const char *id, struct answer *ret,
    struct err *e)
{
	struct answer a;
	struct err local;

	if (e == NULL)
		e = &local;
	if (!id_ok(id))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", id);
	if (read_answer(q, DIR_ANSWERED, id, &a, e) == -1 &&
	    (e->code != ERR_NO_ID ||
	    read_answer(q, DIR_CLOSED, id, &a, e) == -1))
		return -1;
	*ret = a;
	return 0;
}

int
queue_collect(struct queue *q, const char *id, struct err *e)
{
	char name[ANSWER_NAME];
	struct err local;

	if (e == NULL)
		e = &local;
	if (!id_ok(id))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", id);
	queue_answer_name(id, name);
	/* Without the ledger the folder must do: words, never a permission. */
	if (q->home->jailed)
		return queue_move(q, DIR_ANSWERED, DIR_CLOSED, name, NULL) ==
		    0;
	/* Every honest answer belongs to a consumed request. */
	if (!queue_ledger_has(q, id, LEDGER_USED) ||
	    !queue_has(q->dir[DIR_ANSWERED], name))
		return queue_ledger_has(q, id, LEDGER_COLLECTED) ? 0 :
		    err_set(e, ERR_NO_ID, "no answer to '%s'", id);
	if (queue_ledger_add(q, id, LEDGER_COLLECTED, "", false, e) == -1)
		return e->sys == EEXIST ? 0 : -1;
	/* Ours whatever becomes of the file: the sweeper tidies up. */
	queue_move(q, DIR_ANSWERED, DIR_CLOSED, name, NULL);
	return 1;
}

static enum trace_state
trace_of(struct queue *q, enum queue_dir from, const struct request *r,
    const struct clock *now)
{
	char name[ANSWER_NAME];

	queue_answer_name(r->id, name);
	if (q->home->jailed)
		return queue_has(q->dir[DIR_ANSWERED], name) ? TRACE_ANSWERED :
		    from == DIR_CLOSED || request_expired(r, now) ?
		    TRACE_NONE : from == DIR_PENDING ? TRACE_PENDING :
		    TRACE_CLAIMED;
	if (queue_ledger_has(q, r->id, LEDGER_COLLECTED))
		return TRACE_COLLECTED;
	if (!queue_ledger_has(q, r->id, LEDGER_USED))
		return from == DIR_CLOSED || request_expired(r, now) ?
		    TRACE_NONE : from == DIR_PENDING ? TRACE_PENDING :
		    TRACE_CLAIMED;
	if (queue_has(q->dir[DIR_ANSWERED], name))
		return TRACE_ANSWERED;
	return from == DIR_CLAIMED ? TRACE_CLAIMED : TRACE_NONE;
}

static bool
same_text(const char *a, const char *b)
{
	return str_eq(a, b == NULL ? "" : b);
}

static bool
is_wanted(const struct trace_key *w, const struct request *r)
{
	return digest_eq(&r->call_key, &w->call_key) &&
	    same_text(r->session, w->session) &&
	    same_text(r->agent_id, w->agent_id);
}

static void
trace_one(struct queue *q, enum queue_dir from, const char *id,
    const struct trace_key *w, const struct clock *now, struct trace *t)
{
	enum trace_state s;
	struct request r;

	if (queue_get(q, from, id, &r, NULL, NULL) == -1)
		return;
	if (is_wanted(w, &r) && queue_admit(q, &r, now, NULL) == 0 &&
	    r.created_wall_ms >= now->wall_ms -
	    (q->lim.ttl_max_s + q->lim.answer_keep_s) * 1000 &&
	    r.created_wall_ms >= t->created_wall_ms &&
	    (s = trace_of(q, from, &r, now)) != TRACE_NONE) {
		t->state = s;
		t->created_wall_ms = r.created_wall_ms;
		memcpy(t->id, r.id, sizeof t->id);
	}
	request_clear(&r);
}

/* However long ago, and in whichever boot, they were closed. */
static int
trace_answered(struct queue *q, const struct trace_key *w,
    const struct clock *now, struct trace *t, struct err *e)
{
	struct fs_names l = { 0 };
	size_t foreign = 0;

	if (queue_ids(q, DIR_ANSWERED, queue_is_answer, &l, &foreign, e) == -1)
		return -1;
	for (size_t i = 0; i < l.n; i++) {
		l.names[i][strlen(l.names[i]) - 2] = '\0';
		trace_one(q, DIR_CLOSED, l.names[i], w, now, t);
	}
	fs_names_clear(&l);
	return 0;
}

int
queue_find_call(struct queue *q, const struct trace_key *w,
    const struct clock *now, struct trace *ret, struct err *e)
{
	static const enum queue_dir all[] = { DIR_CLOSED, DIR_CLAIMED,
		DIR_PENDING };
	struct trace t = { .state = TRACE_NONE };

	if (trace_answered(q, w, now, &t, e) == -1)
		return -1;
	for (size_t d = 0; d < ARRAY_LEN(all); d++) {
		struct fs_names l = { 0 };
		size_t foreign = 0, from = 0;

		if (queue_ids(q, all[d], id_ok, &l, &foreign, e) == -1)
			return -1;
		if (l.n > CLOSED_LOOK)
			from = l.n - CLOSED_LOOK;
		for (size_t i = from; i < l.n; i++)
			trace_one(q, all[d], l.names[i], w, now, &t);
		fs_names_clear(&l);
	}
	*ret = t;
	return 0;
}
