/*
 * The asker's first half: publish a request, or take it back.
 */
#include "queue/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define MINUTE_MS	60000

/* By its id alone; it may be of another boot, which the file tells. */
static bool
is_recent(const char *id, const struct clock *now)
{
	return queue_id_boot_ms(id) >= now->boot_ms - MINUTE_MS;
}

/*
 * How many of these ids are the session's?  Files are opened only when their
 * number alone could break the limit, which is the rare case.  `now`: only
 * those of the last minute.
 */
static int
count_session(struct queue *q, enum queue_dir from, const struct fs_names *l,
    const char *session, const struct clock *now)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct request r;

		if ((now != NULL && !is_recent(l->names[i], now)) ||
		    queue_get(q, from, l->names[i], &r, NULL, NULL) == -1)
			continue;
		n += str_eq(r.session, session) && (now == NULL ||
		    str_eq(r.boot_id, now->boot_id));
		request_clear(&r);
	}
	return n;
}

static int
check_waiting(struct queue *q, const struct fs_names *l, const char *session,
    struct err *e)
{
	int mine = 0;

	if (l->n >= (size_t)q->lim.pending_max)
		return err_set(e, ERR_PERMITTED, "queue is full: %zu requests "
		    "wait for a human (limit %d)", l->n, q->lim.pending_max);
	if (l->n >= (size_t)q->lim.pending_session_max)
		mine = count_session(q, DIR_PENDING, l, session, NULL);
	if (mine >= q->lim.pending_session_max)
		return err_set(e, ERR_PERMITTED, "queue is full: %d requests "
		    "of this session wait for a human (limit %d)", mine,
		    q->lim.pending_session_max);
	return 0;
}

static const enum queue_dir all[] = { DIR_PENDING, DIR_CLAIMED, DIR_CLOSED };

static int
check_rate(struct queue *q, const struct fs_names l[static ARRAY_LEN(all)],
    const char *session, const struct clock *now, struct err *e)
{
	int recent = 0, mine = 0;

	for (size_t d = 0; d < ARRAY_LEN(all); d++)
		for (size_t i = 0; i < l[d].n; i++)
			recent += is_recent(l[d].names[i], now);
	for (size_t d = 0; d < ARRAY_LEN(all); d++)
		if (recent >= q->lim.new_per_minute)
			mine += count_session(q, all[d], &l[d], session, now);
	if (mine >= q->lim.new_per_minute)
		return err_set(e, ERR_PERMITTED, "queue is full: %d requests "
		    "of this session within a minute (limit %d)", mine,
		    q->lim.new_per_minute);
	return 0;
}

/* A planted giant counts as the largest that can be honest. */
static int64_t
folder_bytes(struct queue *q, enum queue_dir from)
{
	struct fs_names l = { 0 };
	struct stat st;
	int64_t sum = 0;

	if (fs_list(q->dir[from], NULL, QUEUE_NAMES_MAX, &l, NULL, NULL) == -1)
		return INT64_MAX / 2;
	for (size_t i = 0; i < l.n; i++)
		if (fstatat(q->dir[from], l.names[i], &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
			sum += st.st_size < BLOB_MAX ? st.st_size : BLOB_MAX;
	fs_names_clear(&l);
	return sum;
}

static int
check_bytes(struct queue *q, int64_t more, const struct clock *now,
    struct err *e)
{
	int64_t have;

	for (int last = 0; ; last++) {
		have = folder_bytes(q, DIR_PENDING) +
		    folder_bytes(q, DIR_BLOBS);
		if (have + more <= q->lim.bytes_max)
			return 0;
		if (last)
			break;
		queue_drop_blobs(q, now);
	}
	return err_set(e, ERR_PERMITTED, "queue is full: %" PRId64 " bytes "
	    "wait, this would add %" PRId64 " (limit %" PRId64 ")", have, more,
	    q->lim.bytes_max);
}

/*
 * Two askers at once may both be let in as the last one: the limits keep a
 * human's list short, they guard nothing.
 */
static int
check_limits(struct queue *q, const struct request *r, int64_t blob_len,
    const struct clock *now, struct err *e)
{
	const char *session = r->session == NULL ? "" : r->session;
	struct fs_names l[ARRAY_LEN(all)] = { { 0 } };
	size_t foreign = 0;
	int ok = 0;

	for (size_t d = 0; d < ARRAY_LEN(all) && ok == 0; d++)
		ok = queue_ids(q, all[d], id_ok, &l[d], &foreign, e);
	if (ok == 0)
		ok = check_waiting(q, &l[0], session, e);
	if (ok == 0)
		ok = check_rate(q, l, session, now, e);
	/* A few small requests cannot reach the limit: no need to add up. */
	if (ok == 0 && (blob_len > 0 || (int64_t)(l[0].n + 1) * REQUEST_MAX >
	    q->lim.bytes_max))
		ok = check_bytes(q, (int64_t)r->bytes.len + blob_len, now, e);
	for (size_t d = 0; d < ARRAY_LEN(all); d++)
		fs_names_clear(&l[d]);
	return ok;
}

static void
stamp(struct queue *q, struct request *r, const struct clock *now)
{
	unsigned char bin[16];

	id_make(now->boot_ms, getpid(), r->id);
	memcpy(r->project, q->home->project, sizeof r->project);
	randombytes_buf(bin, sizeof bin);
	hex_put(bin, sizeof bin, r->nonce);
	r->created_wall_ms = now->wall_ms;
	r->created_boot_ms = now->boot_ms;
	memcpy(r->boot_id, now->boot_id, sizeof r->boot_id);
}

/*
 * A read lock, so that a second asker of the same call can hold one too.  It
 * belongs to the open file: rename does not lose it, exit and SIGKILL do.
 */
static int
hold(int fd, struct err *e)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &l) == -1 ?
	    err_sys(e, "cannot lock the request") : 0;
}

static int
publish(struct queue *q, const struct request *r, int *ret_fd, struct err *e)
{
	auto_close int fd = fs_create(q->dir[DIR_TMP], r->id, e);

	if (fd == -1)
		return -1;
	if (io_write_all(fd, r->bytes.s, r->bytes.len, e) == -1 ||
	    hold(fd, e) == -1 ||
	    fs_rename_new(q->dir[DIR_TMP], r->id, q->dir[DIR_PENDING], r->id,
	    e) == -1) {
		unlinkat(q->dir[DIR_TMP], r->id, 0);
		return -1;
	}
	*ret_fd = fd_steal(&fd);
	return 0;
}

int
queue_submit(struct queue *q, struct request *r, const struct clock *now,
    struct ticket *ret, struct err *e)
{
	auto_str struct str blob = { 0 };
	struct err local;
	int fd;

	if (e == NULL)
		e = &local;
	stamp(q, r, now);
	if (request_encode(r, &blob, e) == -1 ||
	    queue_admit(q, r, now, e) == -1 ||
	    check_limits(q, r, (int64_t)blob.len, now, e) == -1)
		return -1;
	if ((blob.len > 0 &&
	    queue_put_blob(q, &r->blob_digest, &blob, e) == -1) ||
	    publish(q, r, &fd, e) == -1)
		return err_add(e, "queue unavailable");
	*ret = (struct ticket){ .fd = fd, .owner = true };
	memcpy(ret->id, r->id, sizeof ret->id);
	return 0;
}

int
queue_attach(struct queue *q, const char *id, struct ticket *ret,
    struct err *e)
{
	enum queue_dir at = id_ok(id) ? queue_find(q, id) : DIR_COUNT;
	auto_close int fd = -1;

	if (at != DIR_PENDING && at != DIR_CLAIMED)
		return err_set(e, ERR_NO_ID, "no request '%.60s' waits", id);
	fd = fs_open_own(q->dir[at], id, NULL, e);
	if (fd == -1 || hold(fd, e) == -1)
		return -1;
	*ret = (struct ticket){ .fd = fd_steal(&fd), .owner = false };
	memcpy(ret->id, id, strlen(id) + 1);
	return 0;
}

int
queue_withdraw(struct queue *q, struct ticket *t, struct err *e)
{
	struct err local;

	if (e == NULL)
		e = &local;
	if (!t->owner || queue_move(q, DIR_PENDING, DIR_CLOSED, t->id, e) == 0)
		return 0;
	return e->sys == ENOENT ? 0 : err_add(e, "withdraw");
}

void
ticket_close(struct ticket *t)
{
	mem_close_fd(&t->fd);
	t->fd = -1;
}
