/*
 * One request in one hand.  The order of the steps is the promise: lock,
 * read, take, consume, started, answer.
 */
#include "queue/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

struct claim {
	struct queue	*q;
	char		 id[ID_MAX + 1];
	struct request	 req;
	struct queue_file file;		/* what req was read from */
	bool		 has_req;	/* not for an adopted one */
	bool		 taken;		/* pending/ -> claimed/ was ours */
	bool		 denied;	/* its denial is kept */
	bool		 consumed;
	int		 dir, lock;
};

static struct claim *
claim_new(struct queue *q, const char *id)
{
	struct claim *c = xcalloc(1, sizeof *c);

	c->q = q;
	memcpy(c->id, id, strlen(id) + 1);
	c->dir = c->lock = -1;
	return c;
}

/* Why can this id not be locked?  Always -1. */
static int
refuse(struct queue *q, const char *id, struct err *e)
{
	if (queue_ledger_has(q, id, LEDGER_USED))
		return err_set(e, ERR_LOST, "'%s' was already decided%s", id,
		    queue_never_started(q, id) ? ", but never started: nothing "
		    "ran, and the agent must ask again" : "");
	switch (queue_find(q, id)) {
	case DIR_PENDING:
	case DIR_CLAIMED:
		return err_set(e, ERR_LOST, "'%s' is held by someone else",
		    id);
	case DIR_CLOSED:
		return err_set(e, ERR_LOST, "'%s' is over", id);
	case DIR_TMP:
	case DIR_ANSWERED:
	case DIR_BLOBS:
	case DIR_ASIDE:
	case DIR_COUNT:
		break;
	}
	return err_set(e, ERR_NO_ID, "no request '%s'", id);
}

/* Under the lock: read what will run, and refuse what must not. */
static int
read_pending(struct claim *c, const struct clock *now, struct err *e)
{
	struct queue *q = c->q;

	if (queue_ledger_has(q, c->id, LEDGER_USED))
		return refuse(q, c->id, e);
	if (queue_get(q, DIR_PENDING, c->id, &c->req, &c->file, e)
	    == -1) {
		if (e->code == ERR_NO_ID)
			return refuse(q, c->id, e);
		goto bad;
	}
	c->has_req = true;
	if (queue_admit(q, &c->req, now, e) == -1)
		goto bad;
	if (request_expired(&c->req, now))
		return err_set(e, ERR_LOST, "'%s' has expired", c->id);
	if (queue_get_blob(q, &c->req, e) == -1)
		goto bad;
	return 0;
bad:
	if (e->code == ERR_FORMAT)
		queue_set_aside(q, DIR_PENDING, c->id);
	return -1;
}

int
queue_lock(struct queue *q, const char *id, const struct clock *now,
    struct claim **ret, struct err *e)
{
	struct err local;
	struct claim *c;
	int got;

	if (e == NULL)
		e = &local;
	if (!id_ok(id))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", id);
	if (!queue_has(q->dir[DIR_PENDING], id))
		return refuse(q, id, e);
	c = claim_new(q, id);
	got = queue_run_lock(q, id, &c->dir, &c->lock, e);
	if (got == 0)
		err_set(e, ERR_LOST, "'%s' is held by someone else", id);
	if (got != 1 || read_pending(c, now, e) == -1) {
		claim_close(c);
		return -1;
	}
	*ret = c;
	return 0;
}

const struct request *
claim_request(const struct claim *c)
{
	return c->has_req ? &c->req : NULL;
}

int
claim_lock_fd(const struct claim *c)
{
	return c->lock;
}

int
claim_run_dir(const struct claim *c)
{
	return c->dir;
}

/*
 * Is the file in claimed/ the one we read?  Only what was read is ever run:
 * this keeps the folder from showing another file as the one that is.
 */
static bool
same_file(const struct claim *c)
{
	const struct stat *was = &c->file.st;
	struct stat st;

	return fstatat(c->q->dir[DIR_CLAIMED], c->id, &st,
	    AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == was->st_dev &&
	    st.st_ino == was->st_ino && st.st_size == was->st_size &&
	    st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

int
claim_take(struct claim *c, struct err *e)
{
	struct queue *q = c->q;
	struct err local;

	if (e == NULL)
		e = &local;
	if (!c->has_req || c->taken)
		BUG("claim_take out of order");
	if (queue_move(q, DIR_PENDING, DIR_CLAIMED, c->id, e) == -1)
		return e->sys != ENOENT ? -1 : err_set(e, ERR_LOST,
		    "'%s' was withdrawn", c->id);
	c->taken = true;
	if (same_file(c))
		return 0;
	c->taken = false;
	queue_set_aside(q, DIR_CLAIMED, c->id);
	return err_set(e, ERR_LOST, "'%s' was changed after it was shown",
	    c->id);
}

int
claim_deny(struct claim *c, const struct answer *a, struct err *e)
{
	if (!c->taken || c->consumed || !str_eq(c->id, a->id))
		BUG("claim_deny out of order");
	c->denied = true;
	return queue_put_denial(c->dir, a, e);
}

int
claim_consume(struct claim *c, const char *stmt, const char *sig,
    struct err *e)
{
	auto_free char *text = xasprintf("%s%s\n", stmt, sig);
	struct err local;

	if (e == NULL)
		e = &local;
	if (!c->taken || c->consumed)
		BUG("claim_consume out of order");
	/* Of one who died over it: its words are not this decision's. */
	if (!c->denied)
		queue_drop_denial(c->dir);
	if (queue_ledger_add(c->q, c->id, LEDGER_USED, text, true, e) == 0) {
		c->consumed = true;
		return 0;
	}
	/* What may have been marked is not given back. */
	c->consumed = queue_ledger_has(c->q, c->id, LEDGER_USED);
	return e->sys != EEXIST ? -1 :
	    err_set(e, ERR_LOST, "'%s' was already decided", c->id);
}

int
claim_adopt(struct queue *q, const char *id, int lock_fd, struct claim **ret,
    struct err *e)
{
	struct claim *c;
	int dir;

	if (!id_ok(id))
		return err_set(e, ERR_NO_ID, "'%.60s' is not an id", id);
	if (queue_run_holds(q, id, lock_fd, &dir, e) == -1)
		return -1;
	if (!queue_ledger_has(q, id, LEDGER_USED)) {
		mem_close_fd(&dir);
		return err_set(e, ERR_PERMITTED, "'%s' was not approved", id);
	}
	c = claim_new(q, id);
	c->dir = dir;
	c->lock = lock_fd;
	c->taken = c->consumed = true;
	*ret = c;
	return 0;
}

int
claim_started(struct claim *c, struct err *e)
{
	struct err local;

	if (e == NULL)
		e = &local;
	if (!c->consumed)
		BUG("claim_started before claim_consume");
	if (queue_has(c->dir, RUN_ANSWER))
		return err_set(e, ERR_LOST, "'%s' was answered before",
		    c->id);
	if (queue_ledger_add(c->q, c->id, LEDGER_STARTED, "", true, e) == 0)
		return 0;
	return e->sys != EEXIST ? -1 :
	    err_set(e, ERR_LOST, "'%s' was already started", c->id);
}

int
claim_answer(struct claim *c, const struct answer *a, struct err *e)
{
	if (!c->consumed || !str_eq(c->id, a->id))
		BUG("claim_answer before claim_consume");
	return queue_publish(c->q, c->dir, a, e);
}

void
claim_close(struct claim *c)
{
	if (c == NULL)
		return;
	if (c->taken && !c->consumed)
		queue_move(c->q, DIR_CLAIMED, DIR_PENDING, c->id, NULL);
	if (c->lock != -1 && !c->consumed &&
	    !queue_ledger_has(c->q, c->id, LEDGER_USED))
		queue_run_remove(c->q, c->id, c->dir);
	if (c->has_req)
		request_clear(&c->req);
	mem_close_fd(&c->dir);
	mem_close_fd(&c->lock);
	free(c);
}
